import type { ResourceName } from '@kith/contract/resource'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'
import type { PlannerHints } from './planner-hints.ts'
import type { DialectName, Session } from './session.ts'
import type { RawBuilder, SqlBool } from './sql.ts'
import type { Column, StoredTable } from './stored-table.ts'

/** A handle on the database: the builder, and the plain session beneath it for statements that are built once and kept. */
export type Db = {
  query: Kysely<Tables>
  session: Session
  /**
   * Inside a transaction on a remote database: the same, for statements whose outcome nobody asks for. They are sent without waiting for their end; the end of the
   * transaction waits for it, and fails with the first of them that failed.
   */
  posting?: Db
  /** Where the transaction is shared with others. */
  shared?: Shared
  /** While writes are gathered to be sent together: takes rows that others may bring, too, and nobody asks what became of them. */
  gather?: (rows: RowSet) => void
  /** Inside a transaction on a remote database: adds to the counts that the end of the transaction writes. */
  count?: (move: CountMove) => void
  /** Outside a transaction on a remote database: the same, for statements that only read and are over at once. */
  short?: Db
}

/** Rows, and the texts of the statements that would write one of them, and any number of them. Rows with the same texts are written by one statement. */
export type RowSet = { one: string; many: string; rows: readonly (readonly unknown[])[] }

/** What those who share a transaction need to know of each other. */
export type Shared = {
  /**
   * Sends a statement that locks what bears these names, but waits for nobody: it returns a row for each lock it could take. Where it
   * could not take all of them, or someone else in the transaction has, whoever asks is sent out of it, to be run alone.
   */
  take(names: readonly string[], text: string, parameters: readonly unknown[]): void
  /** Says who has locked what bears these names. If someone else in the transaction had, whoever asks is sent out of it. */
  own(names: readonly string[]): void
  /** Throws, so that whoever asks is run alone. */
  leave(): never
  /** Does this once for all of them. */
  once(name: string, work: () => Promise<void>): Promise<void>
  /** Writes rows when all of them are through. */
  write(rows: readonly RowSet[]): void
}

/** Columns of text by their names. */
export type RowParts = Readonly<Record<string, string | null>>

export type CountMove = { workspaceId: string; resource: ResourceName; slot: number; live: number }

/** What an error of the database says about what was asked. `fields`: a version of the fields was expected that has moved. */
export type Violation = 'unique' | 'reference' | 'busy' | 'fields'

/** The folded text of one field of a record: its label, under the name of the resource, or a custom field, under its id. */
export type SearchText = { record_id: string; field: string; text: string }

/** A field whose texts are searched, and the resource that has it. */
export type SearchField = { name: string; table: ResourceName }

/** The records of one resource in a workspace. */
export type SearchTable = { workspaceId: string; table: ResourceName }

/** The trigram index: finds the records whose text in a field contains a part. */
export type SearchIndex = {
  /** Its tables, which are derived from the records. */
  tables: readonly string[]
  /** Must come before the first text of a field. */
  addFields(inside: Db, workspaceId: string, fields: readonly string[]): Promise<void>
  /** Inserts or replaces the texts of live records. */
  put(inside: Db, of: SearchTable, texts: readonly SearchText[]): Promise<void>
  remove(inside: Db, of: SearchTable, texts: { recordId: string; fields: readonly string[] }): Promise<void>
  /** Removes the texts of some records, in all fields. */
  removeAll(inside: Db, of: SearchTable, recordIds: readonly string[]): Promise<void>
  /** Removes a field with all its texts. */
  removeField(inside: Db, workspaceId: string, field: string): Promise<void>
  /** Removes all other fields, and from these the texts of records that are not live. */
  sweep(inside: Db, workspaceId: string, fields: readonly SearchField[]): Promise<void>
  /** The ids of the records whose text contains the part, as a subselect. */
  containing(workspaceId: string, field: string, part: string): RawBuilder<{ record_id: string }>
  /** Whether the text of the record under the alias `r<depth>` contains the part. */
  contains(workspaceId: string, field: string, of: { part: string; depth: number }): RawBuilder<SqlBool>
}

/** All that the database holds at one moment, for a copy. Values are text, numbers or null. */
export type Snapshot = { db: Db; tables: readonly StoredTable[]; rows(table: StoredTable): AsyncIterable<unknown[]> }

/** How busy the pool of connections is. */
export type Pool = { total: number; idle: number; waiting: number }

/** The two databases differ in what is named here, and nowhere else. */
export type Engine = {
  dialect: DialectName
  /** For reads outside a transaction. */
  db: Db
  /** Runs each statement by itself, also those that write: for libraries that bring their own queries. */
  single: Db
  /**
   * The work may be run a second time from its beginning, and so changes nothing but the database. Deadlocks and conflicts
   * with other transactions are retried so, a few times.
   */
  transaction<T>(work: (inside: Db) => Promise<T>): Promise<T>
  /**
   * Likewise, in a transaction that is perhaps shared with others who come under the same name at the same time. They are committed together,
   * and one that fails takes nothing of the others with it. For short work that happens often.
   */
  sharedTransaction<T>(name: string, work: (inside: Db) => Promise<T>): Promise<T>
  /** Only reads, and sees the database as it was at the first statement. Nothing else runs on its connection. */
  readTransaction<T>(work: (inside: Db) => Promise<T>): Promise<T>
  /** Whether transactions that write run at the same time, so that rows must be locked before they change. */
  concurrentWrites: boolean
  /** Whether all statements of a transaction see the same moment, as those of a read transaction do. */
  transactionIsSnapshot: boolean
  /** Makes others who ask for one of these names wait until the transaction ends. */
  lock(inside: Db, names: readonly string[]): Promise<void>
  /** The version of the workspace's field definitions, which stays as it is until the transaction ends. */
  holdFields(inside: Db, workspaceId: string): Promise<number>
  /**
   * Likewise where the version is known from before. Where the database is remote nobody waits: if it has moved, the transaction
   * fails, whatever was done in it. Elsewhere the version as it is comes back.
   */
  expectFields(inside: Db, workspaceId: string, expected: number): Promise<number>
  /**
   * Runs statements that write to different tables, none of which reads what another one writes; nobody asks for their outcome. Where the database is
   * remote they go there as a single one, and the end of the transaction waits for it.
   */
  together(inside: Db, work: (gathering: Db) => Promise<void>): Promise<void>
  /** Inserts any number of rows with few statements. */
  insertRows(
    inside: Db,
    table: string,
    columns: readonly Column[],
    rows: readonly (readonly unknown[])[],
  ): Promise<void>
  /** Changes one row of a table, by its key. */
  updateRow(inside: Db, table: string, key: RowParts, changes: RowParts): Promise<void>
  /** Reads everything as it stands at one moment, while others write. */
  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>
  /** The tables that a copy holds, each after those whose rows it names. */
  loadTables(db: Db): Promise<StoredTable[]>
  /** Updates the statistics of the tables after a large load, where the database does not do so itself. */
  analyze(): Promise<void>
  /** Runs work that loads very many records, in any number of transactions, and afterwards makes good what was left out for speed. */
  loadInBulk<T>(work: () => Promise<T>): Promise<T>
  /** Whether it is somewhere else, so that what does not need each other is better asked at once than in turn. */
  remote: boolean
  violation(error: unknown): Violation | undefined
  search: SearchIndex
  hints: PlannerHints
  /** Sets of up to this many matches are loaded and sorted; of larger ones a page is found by a scan of the list. */
  narrowMax(live: number): number
  /** Up to this many records are looked up to count a total; larger sets are intersected. */
  countedMax(live: number): number
  /** The slot of `record_counts` to write, so that concurrent writers meet rarely. */
  countSlot(): number
  /** Lets only one at a time through for a name, in this process, before it takes what others need: where waiting inside a transaction would do that. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>
  /** The connections to a database server; undefined where there is none. */
  pool(): Pool | undefined
  ping(): Promise<void>
  close(): Promise<void>
}
