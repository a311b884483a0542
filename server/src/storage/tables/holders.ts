import type { FieldDefinition } from '@kith/contract/field-definition'
import { MATCHES_MAX } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { Conflict } from '../engines/transactions.ts'
import { columnsForChange, type ForChange, type StoredRecord, storedRecord } from './records.ts'

type Holding = { field: FieldDefinition; keys: readonly string[] }

type Held = (ForChange | { id: null }) & { held: string }

/** The records that hold each value. */
export type Holders = ReadonlyMap<string, readonly StoredRecord[]>

/**
 * The live records that hold each of some values, oldest first, one more than the limit of each value, locked until the
 * transaction ends.
 */
export function findHolders(inside: Scope, resource: Resource, { field, keys }: Holding): Promise<Holders> {
  const values = sql`from field_values
    where workspace_id = ${inside.workspace.id} and field_id = ${field.id} and match_key ${sql.among(keys)}`
  const found = sql`select held, record_id, created_at from (
      select match_key as held, record_id, created_at, row_number() over (
        partition by match_key order by created_at, record_id) as place
      from (select distinct match_key, record_id, created_at ${values}) d) n
    where place <= ${sql.lit(MATCHES_MAX + 1)}`
  return lockHolders(inside, resource, { values, found, order: sql`order by h.created_at, h.record_id` })
}

type HoldingId = { namespace: string; ids: readonly string[] }

/** The live record that holds each of some external ids, locked until the transaction ends. */
export function findHoldersOfIds(inside: Scope, resource: Resource, { namespace, ids }: HoldingId): Promise<Holders> {
  const values = sql`from external_ids where workspace_id = ${inside.workspace.id} and resource = ${resource.type}
    and namespace = ${namespace} and external_id ${sql.among(ids)} and live = 1`
  const found = sql`select external_id as held, record_id ${values}`
  return lockHolders(inside, resource, { values, found, order: sql`` })
}

/** `from … where …` of the values, the `record_id` of each holder with the value that is `held`, and their order. */
type Found = { values: Sql<unknown>; found: Sql<unknown>; order: Sql<unknown> }

async function lockHolders(inside: Scope, resource: Resource, { values, found, order }: Found): Promise<Holders> {
  const reading = sql<Held>`select h.held, ${columnsForChange(resource)} from (${found}) h
    left join ${sql.table(resource.type)} r0
      on r0.workspace_id = ${inside.workspace.id} and r0.id = h.record_id and r0.deleted_at is null ${order}`
  if (!inside.engine.concurrentWrites) return stored(resource, await reading.all(inside.db))
  // The second statement sees what was committed before the first got its locks.
  const locking = sql<string>`select id from ${sql.table(resource.type)}
    where workspace_id = ${inside.workspace.id} and id in (select record_id ${values})
    order by id for no key update`
  const [locked, rows] = await Promise.all([locking.column(inside.db), reading.all(inside.db)])
  const holders = stored(resource, rows)
  const known = new Set<string | null>(locked)
  // A merge may have moved the value to another record meanwhile. Locking that one now would break the lock order.
  if (!rows.every(({ id }) => known.has(id))) throw new Conflict()
  return holders
}

function stored(resource: Resource, rows: readonly Held[]): Holders {
  const records = new Map<string, StoredRecord[]>()
  for (const { held, ...row } of rows) {
    if (row.id === null) throw new Error('The index names a record that is not there.')
    // Every column but the one that names the value is that of a record.
    records.getOrInsertComputed(held, () => []).push(storedRecord(resource, row as ForChange))
  }
  return records
}

/** Values of a unique field, by their keys, or external ids of a namespace. */
type Values = { values: readonly string[] } & ({ field_id: string } | { namespace: string })

/** The live records that hold each of these values. */
export async function findIdsHolding(scope: Scope, { type }: Resource, held: Values): Promise<Map<string, string[]>> {
  const { db, workspace } = scope
  const values = [...new Set(held.values)]
  if (values.length === 0) return new Map()
  const select =
    'field_id' in held
      ? sql<{ value: string; id: string }>`select v.match_key as value, v.record_id as id from field_values v
          where v.workspace_id = ${workspace.id} and v.field_id = ${held.field_id}
          and v.match_key in (${sql.join(values)}) order by v.record_id`
      : sql<{ value: string; id: string }>`select e.external_id as value, e.record_id as id from external_ids e
          where e.workspace_id = ${workspace.id} and e.resource = ${type} and e.namespace = ${held.namespace}
          and e.live = 1 and e.external_id in (${sql.join(values)}) order by e.record_id`
  const rows = await select.all(db)
  const found = Map.groupBy(rows, ({ value }) => value)
  return new Map([...found].map(([value, own]) => [value, own.map(({ id }) => id)]))
}
