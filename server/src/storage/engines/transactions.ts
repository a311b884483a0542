import type { Db, InsertTarget, Rows } from './engine.ts'
import { type Session, sql } from './sql.ts'

/** Does work in a transaction and takes back everything that it has written. */
export async function takeBack<T>(inside: Db, work: (db: Db) => Promise<T>): Promise<T> {
  await sql`savepoint taken_back`.run(inside)
  try {
    return await work(discarding(inside))
  } finally {
    await sql`rollback to savepoint taken_back`.run(inside)
    await sql`release savepoint taken_back`.run(inside)
  }
}

/** The writes at the end of the transaction are not kept either. */
function discarding({ session, posting, count, append }: Db): Db {
  const db: Db = { session }
  if (count) db.count = () => {}
  if (append) db.append = () => {}
  if (posting) db.posting = discarding(posting)
  return db
}

/** For statements whose results are not needed: inside a transaction on a remote database they are not waited for. */
export function posting(inside: Db): Db {
  return inside.posting ?? inside
}

/** For work that reads the rows that it has appended: they are inserted at once. */
export function insertingAtOnce({ append: _, posting, ...db }: Db): Db {
  return posting ? { ...db, posting: insertingAtOnce(posting) } : db
}

/** Rows that a transaction read before it had its locks have changed since. The engine restarts the transaction. */
export class Conflict extends Error {
  constructor() {
    super('What was read before it was locked has changed.')
  }
}

const ATTEMPTS = 8

const SHORTEST_MS = 10

const LONGEST_MS = 250

/** Retries work that fails for a temporary reason, a few times and after random pauses. */
export async function retrying<T>(isPassing: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) throw error
    }
    // Two transactions that met once would meet again if both waited equally long.
    const longest = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** attempt)
    await new Promise((resume) => setTimeout(resume, Math.random() * longest))
  }
}

/**
 * A session that takes statements until it is ended. If one of several concurrent reads fails, their transaction ends,
 * and statements of the others must not reach a connection that another call may use by then.
 */
export function untilEnded({ dialect, run }: Session): { session: Session; end(): void } {
  let ended = false
  const session: Session = {
    dialect,
    run(sql, parameters) {
      if (ended) throw new Error('The read transaction has ended.')
      return run(sql, parameters)
    },
  }
  const end = () => {
    ended = true
  }
  return { session, end }
}

/** One at a time for each name, in the order in which they came. */
export function newTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name)
    const mine = before === undefined ? work() : before.then(work, work)
    // The next one waits for the end, also after a failure.
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}

/** How many numbers of records a process takes at a time where several processes write. */
export const RECORD_NUMBERS_TAKEN = 1000

/** The version of a workspace's field definitions in the database. */
export async function loadFieldsVersion(db: Db, workspaceId: string): Promise<number> {
  const version = await sql<number>`select fields_version from workspaces where id = ${workspaceId}`.value(db)
  if (version === undefined) throw new Error('The workspace is gone.')
  return version
}

/** The name of the lock that a change of the fields takes alone, and that writers of records share. */
export function fieldsLock(workspaceId: string): string {
  return `fields ${workspaceId}`
}

/** The rows that a transaction inserts at its end. */
export function lateRows(): {
  append: NonNullable<Db['append']>
  /** Inserts the appended rows, table by table. */
  insertAll(insert: (into: InsertTarget, rows: Rows) => Promise<void>): Promise<void>
} {
  const appended = new Map<InsertTarget, (readonly unknown[])[]>()
  return {
    append(into, rows) {
      const all = appended.getOrInsertComputed(into, () => [])
      for (const row of rows) all.push(row)
    },
    async insertAll(insert) {
      for (const [into, rows] of appended) await insert(into, rows)
    },
  }
}

type TextOf = (into: InsertTarget, rows: number) => string

/** Makes the text of a statement that inserts so many rows only once: it takes longer than a small insert itself. */
export function keptTexts(make: TextOf): TextOf {
  const kept = new WeakMap<InsertTarget, Map<number, string>>()
  return (into, rows) => {
    const texts = kept.getOrInsertComputed(into, () => new Map())
    return texts.getOrInsertComputed(rows, () => make(into, rows))
  }
}

const tables = ['records', 'field_values', 'links', 'search_texts']

/** The indexes of a table that are not unique, with their statements. */
const found = {
  sqlite: (table: string) => sql<IndexBuild>`
    select name, sql as statement from sqlite_schema
    where type = 'index' and tbl_name = ${table} and sql is not null and lower(sql) not like ${'create unique%'}`,
  postgres: (table: string) => sql<IndexBuild>`
    select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as statement from pg_indexes
    where schemaname = current_schema() and tablename = ${table} and lower(indexdef) not like ${'create unique%'}`,
}

type IndexBuild = { name: string; statement: string }

/**
 * Drops the indexes of empty tables, so that a large load builds each of them once, from sorted rows. Their statements
 * are stored in the same transaction: if the load is interrupted, the next start builds them.
 */
export async function deferIndexes(inside: Db): Promise<void> {
  for (const table of tables) {
    if (await sql`select 1 from ${sql.table(table)} limit 1`.exists(inside)) continue
    for (const { name, statement } of await found[inside.session.dialect](table).all(inside)) {
      await sql`insert into index_builds (name, statement) values (${name}, ${statement})`.run(inside)
      await sql`drop index ${sql.table(name)}`.run(inside)
    }
  }
}

/** Builds one of the dropped indexes; false when there is none left. */
export async function buildNextIndex(inside: Db): Promise<boolean> {
  const next = await sql<IndexBuild>`select name, statement from index_builds order by name limit 1`.one(inside)
  if (!next) return false
  // Another process may have built it in the meantime.
  const isOpen = await sql`delete from index_builds where name = ${next.name} returning name`.exists(inside)
  if (isOpen) await sql.raw(next.statement).run(inside)
  return true
}
