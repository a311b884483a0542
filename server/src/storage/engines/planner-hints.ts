import type { Sql, SqlBool } from './sql.ts'

/** SQL that makes a database use the index we want. The planners of the two databases make different mistakes. */
export type PlannerHints = {
  /** Whether it is faster to find a record among the entries of a key than a key among the entries of a record. */
  probesByKey: boolean
  /** A column of a row that was already found. Keeps the planner from using an index on that column. */
  unindexed(column: Sql<unknown>): Sql<unknown>
  /** The end of a subselect that the planner must not turn into a join. */
  notJoined: Sql<unknown>
  /** Whether a record has a matching row. `held` is `table alias where …`, `matching` is `and …` or empty. */
  hasRow(held: Sql<unknown>, alias: string, matching: Sql<unknown>): Sql<SqlBool>
  /** `from … where …` of the rows of a table that belong to a few others, each looked up in an index. */
  lookUpEach(lookUp: {
    /** The table that comes first, with its alias. */
    each: Sql<unknown>
    table: string
    alias: string
    /** Which rows of the table belong to it. */
    where: Sql<unknown>
  }): Sql<unknown>
  /** The `record`s of a select, each once and in an order that makes lookups by them fast. */
  distinctRecords(select: Sql<unknown>): Sql<unknown>
  /** The entries of a select that all of the others have, too. */
  within(entries: Sql<unknown>, others: readonly Sql<unknown>[]): Sql<unknown>
  /** All texts of a column as one text, which `listed` selects as `value` again. */
  list(column: Sql<unknown>): Sql<unknown>
  listed(texts: string): Sql<unknown>
  /** All whole numbers of a column as one JSON list. */
  numbers(column: Sql<unknown>): Sql<unknown>
  /** The rows of a JSON list of lists: `value` of each of these items, as text. */
  rows(json: string, items: readonly string[]): Sql<unknown>
  /**
   * `and …` for statements that read many rows: stops them when the request has no time left. A column of whole numbers
   * makes it cheaper. Empty where the database itself stops statements.
   */
  andInTime(numbers?: string): Sql<unknown>
}

/**
 * Up to so many matches are collected and sorted. With more, a page is found sooner by scanning the list in its order:
 * collecting costs as much as there are matches, scanning as much as there are records per match. The costs are equal
 * near the root.
 */
export function narrowMax(live: number): number {
  return Math.min(6000, Math.max(500, Math.round(Math.sqrt(30 * live))))
}

const COUNTED_MAX = 20_000

/** How many index entries SQLite reads in the time of one lookup of a record by id. */
const LOOK_UP_COST = 8

/** A total is counted by looking up the records of the narrowest set if that has no more matches than this. */
export function countedMax(live: number): number {
  return Math.min(COUNTED_MAX, Math.ceil(live / LOOK_UP_COST))
}
