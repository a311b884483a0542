import type { ResourceName, Schema } from '@kith/contract/resource'
import type { PlannerHints } from './planner-hints.ts'
import type { DialectName, Session, Sql, SqlBool } from './sql.ts'
import type { Column, StoredTable } from './stored-table.ts'

/** A handle on the database. */
export type Db = {
  session: Session
  /**
   * Inside a transaction on a remote database: sends statements without waiting for their results. The commit waits for
   * them, and fails with the first one that failed.
   */
  posting?: Db
  /** Inside a transaction on a remote database: adds to the counts that the end of the transaction writes. */
  count?: (move: CountMove) => void
  /** Rows that no statement of the transaction reads: its end inserts those of all jobs at once. */
  append?: (into: InsertTarget, rows: Rows) => void
}

/** The database as one workspace uses it. Every statement on its rows names the workspace. */
export type Tenant = {
  workspace: { id: string }
  engine: Engine
  /** Inside a transaction this is the transaction, inside a snapshot the snapshot. */
  db: Db
}

/** A tenant that knows its number, by which the tables of records refer to it. */
export type NumberedTenant = Tenant & { workspace: { number: number } }

/** A tenant that reads or writes records, and knows its resources. */
export type RecordTenant = NumberedTenant & { schema: Schema }

/** How a call reached the server. Records store it as `creation_source`; the command line stores `import`. */
export type Source = 'web' | 'api' | 'mcp' | 'import' | 'sample' | 'cli'

/** Who wrote something, as rows store it. */
export type Origin = { user_id: string; token_id: string | null; source: Source }

/** A tenant for which records are read: who reads them, and whether all statements see one moment. */
export type Reader = RecordTenant & {
  actor: Origin
  inside: Inside
}

/** `snapshot`: everything is read as of one moment, and nothing can be written. */
export type Inside = false | 'transaction' | 'snapshot'

export type Rows = readonly (readonly unknown[])[]

export type CountMove = { workspaceId: string; resource: ResourceName; slot: number; live: number }

/** The kind of a database error. */
export type Violation = 'unique' | 'reference' | 'busy'

/** The folded text of one field of a record, or all its words. Where it belongs: see search-fields.ts. */
export type SearchText = { record: number; field: number; text: string }

/** The trigram index: finds the records whose text in a field contains parts. All go by their numbers. */
export type SearchIndex = {
  /** Its tables, which are derived from the records. */
  tables: readonly string[]
  /** Must come before the first text of a field. */
  addFields(inside: Db, workspace: number, fields: readonly number[]): Promise<void>
  /** Inserts or replaces the texts of live records. */
  put(inside: Db, workspace: number, texts: readonly SearchText[]): Promise<void>
  remove(inside: Db, workspace: number, texts: readonly Omit<SearchText, 'text'>[]): Promise<void>
  /** Removes the texts of some records, in all fields. */
  removeAll(inside: Db, workspace: number, records: readonly number[]): Promise<void>
  /** Removes a field with all its texts. */
  removeField(inside: Db, workspace: number, field: number): Promise<void>
  /** Removes all other fields, and from these the texts of records that are not live. */
  keepOnly(inside: Db, workspace: number, fields: readonly number[]): Promise<void>
  /** The records whose text contains all parts, as a subselect. */
  containing(workspace: number, field: number, parts: readonly string[]): Sql<{ record: number }>
  /** Some of these records, each once: all of them if they are few, otherwise new ones, at a cost that has a bound. */
  someContaining(
    of: { workspace: number; resource: number },
    field: number,
    parts: readonly string[],
  ): Sql<{ record: number }>
  /** Whether the text of the record under the alias `r<depth>` contains all parts. */
  contains(workspace: number, field: number, of: { parts: readonly string[]; depth: number }): Sql<SqlBool>
}

/** Exact sums. A double stands for the shortest decimal that it is nearest to, so that 0.1 and 0.2 make 0.3. */
export type Decimals = {
  /** An aggregate: the sum of numbers, or of such sums. Null without any. */
  sum(values: Sql<unknown>): Sql<unknown>
  /** A sum as a number. */
  number(sum: Sql<unknown>): Sql<unknown>
  /** A sum divided by a count, as a number. Halves are rounded away from zero. */
  average(sum: Sql<unknown>, by: { count: Sql<unknown>; decimals: number }): Sql<unknown>
}

/** The table and columns of rows to insert. The text of a statement is kept for as long as this object. */
export type InsertTarget = {
  table: string
  columns: readonly Column[]
  /**
   * Changes of the feed. Where one transaction writes at a time, the insert numbers them. Elsewhere they wait for their
   * numbers in another table (decision 21). The first column is the workspace, the last one the time of the change.
   */
  numbered?: true
}

/** The tables whose rows have numbers. */
type NumberedTable = 'workspaces' | 'custom_fields' | 'records'

/** The content of the database at one moment, for a backup. Values are text, numbers or null. */
export type Snapshot = { db: Db; tables: readonly StoredTable[]; rows(table: StoredTable): AsyncIterable<unknown[]> }

/** How busy the pool of connections is. */
export type Pool = { total: number; idle: number; waiting: number }

/** All differences between the two databases. */
export type Engine = {
  dialect: DialectName
  /** For reads outside a transaction. */
  db: Db
  /** Runs each statement by itself, also those that write: for libraries that bring their own queries. */
  single: Db
  /** For statements that each request runs, and that find their rows by a key. They wait for each other. */
  short: Db
  /**
   * The work may run several times, so it must change nothing but the database: deadlocks and conflicts with other
   * transactions are retried a few times.
   */
  transaction<T>(work: (inside: Db) => Promise<T>): Promise<T>
  /**
   * The same, in a transaction with other work that came under the same name at the same time (see group-commit.ts).
   * For short work that happens often.
   */
  groupTransaction<T>(name: string, work: (inside: Db) => Promise<T>): Promise<T>
  /** Only reads, and sees the database as it was at the first statement. Nothing else runs on its connection. */
  readTransaction<T>(work: (inside: Db) => Promise<T>): Promise<T>
  /**
   * Whether transactions that write run at the same time. Rows must then be locked before they change, and each
   * statement sees what was committed before it. Otherwise all statements of a transaction see the same moment.
   */
  concurrentWrites: boolean
  /** Takes locks by name until the transaction ends. */
  lock(inside: Db, names: readonly string[]): Promise<void>
  /** Takes one lock until the transaction ends, unless another transaction has it. Does not wait. */
  tryLock(inside: Db, name: string): Promise<boolean>
  /** Locks the field definitions of the workspace until the transaction ends, and returns their version. */
  holdFields(inside: Db, workspaceId: string): Promise<number>
  /** Inserts any number of rows with few statements. */
  insertRows(inside: Db, into: InsertTarget, rows: Rows): Promise<void>
  /** Updates any number of records. Each row is the number of a record and then its columns, which are texts. */
  updateRecords(inside: Db, into: { workspace: number; columns: readonly string[] }, rows: Rows): Promise<void>
  /** Numbers for new rows of a table. */
  takeNumbers(inside: Db, table: NumberedTable, count: number): Promise<number[]>
  /** After rows came with their numbers from elsewhere: the next ones are higher. */
  continueNumbers(inside: Db): Promise<void>
  /**
   * Gives numbers to all changes of a workspace that are committed, where they do not have them yet. Not in the
   * transaction of the caller, which must say so if it is in one.
   */
  numberChanges(workspaceId: string, from?: 'transaction'): Promise<void>
  /** Reads everything in one snapshot, while others write. */
  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>
  loadNames(db: Db): Promise<Set<string>>
  /** The tables of a backup, each after those that it references. */
  loadTables(db: Db): Promise<StoredTable[]>
  /** Updates the statistics of the tables after a large load, where the database does not do so itself. */
  analyze(): Promise<void>
  /** Runs work that loads many records in any number of transactions, and builds their indexes afterwards. */
  loadInBulk<T>(work: () => Promise<T>): Promise<T>
  /** Whether statements travel over a network, so that independent ones are better sent at once. */
  remote: boolean
  violation(error: unknown): Violation | undefined
  search: SearchIndex
  hints: PlannerHints
  decimals: Decimals
  /** Sets of up to this many matches are loaded and sorted; of larger ones a page is found by a scan of the list. */
  narrowMax(live: number): number
  /** Up to this many records are looked up to count a total; larger sets are intersected. */
  countedMax(live: number): number
  /** The slot of `record_counts` to write, so that concurrent writers meet rarely. */
  countSlot(): number
  /** Runs work of the same name one at a time in this process, before it takes a connection. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>
  /** The connections to a database server; undefined where there is none. */
  pool(): Pool | undefined
  ping(): Promise<void>
  /**
   * From now on, transactions that write fail when the last migration of the database is another one, and on a server
   * while one runs.
   */
  holdTo(migration: string): void
  /** Keeps all transactions of engines that are held to a migration from writing until this one ends. */
  lockSchema(inside: Db): Promise<void>
  /** Fails if the database cannot be reached or accepts no writes. */
  checkWritable(): Promise<void>
  /** Before the first use: fails if a database server is reached in a way that does not work. */
  checkServer(): Promise<void>
  close(): Promise<void>
}
