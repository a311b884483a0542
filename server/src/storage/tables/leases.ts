import type { Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { timeIn } from './places.ts'

export type LeasedRow = { workspace_id: string; id: string }

/** A table whose rows are work for one node at a time. */
export type LeasedTable = {
  name: 'jobs' | 'webhooks' | 'mailboxes'
  /** The rows that a node works on, under the alias `w`. An index has the ends of their leases. */
  isOpen: Sql<unknown>
  /** What else a row needs to be taken. */
  isNext?: (engine: Engine) => Sql<unknown>
  /** What else changes when a node takes a row. */
  begun?: (at: string) => Sql<unknown>
  /** How many rows one statement takes. */
  at_once: number
}

/** How long a lease lasts goes by the clock of the database. */
type Lease = { by: string; ms: number }

/** Takes some of the rows that no node works on, the oldest first. Reads first, so that nothing writes if none is. */
export async function takeLeases<Row>(
  engine: Engine,
  { name, isOpen, isNext, begun, at_once }: LeasedTable,
  { by, ms, at }: Lease & { at: Date },
): Promise<Row[]> {
  const isFree = sql`(w.leased_until is null or w.leased_until < ${timeIn(engine, 0)})`
  const found = sql`select w.workspace_id, w.id from ${sql.table(name)} w where ${isOpen} and ${isFree}
    ${isNext ? sql`and ${isNext(engine)}` : sql``} order by w.id limit ${sql.lit(at_once)}`
  if (!(await found.exists(engine.db))) return []
  const lock = sql.raw(engine.concurrentWrites ? 'for update of w skip locked' : '')
  const also = begun ? sql`, ${begun(at.toISOString())}` : sql``
  return sql<Row>`update ${sql.table(name)} set leased_by = ${by}, leased_until = ${timeIn(engine, ms)} ${also}
    where (workspace_id, id) in (${found} ${lock}) returning *`.all(engine.single)
}

/** Keeps all leases of a node. Returns the ids of its rows. */
export function renewLeases(engine: Engine, { name, isOpen }: LeasedTable, { by, ms }: Lease): Promise<string[]> {
  return sql<string>`update ${sql.table(name)} as w set leased_until = ${timeIn(engine, ms)} where ${isOpen}
    and leased_by = ${by} and workspace_id is not null returning id`.column(engine.single)
}

/** Leaves a row to any node, at once. */
export async function releaseLease(
  engine: Engine,
  { name }: LeasedTable,
  { row: { workspace_id, id }, by }: { row: LeasedRow; by: string },
): Promise<void> {
  await sql`update ${sql.table(name)} set leased_by = null, leased_until = null where workspace_id = ${workspace_id}
    and id = ${id} and leased_by = ${by}`.run(engine.single)
}

/** Leaves all rows to any node. A node that still works on one notices with its next step. */
export async function freeLeases(engine: Engine, { name, isOpen }: LeasedTable): Promise<void> {
  const leased = sql`from ${sql.table(name)} w where ${isOpen} and w.leased_until is not null`
  if (!(await sql`select 1 as found ${leased} limit 1`.exists(engine.db))) return
  await sql`update ${sql.table(name)} set leased_until = null
    where (workspace_id, id) in (select w.workspace_id, w.id ${leased})`.run(engine.single)
}
