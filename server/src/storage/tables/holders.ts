import type { FieldDefinition } from '@kith/contract/field-definition'
import { MATCHES_MAX } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../engines/conflict.ts'
import { type Sql, sql } from '../engines/sql.ts'
import type { ExternalClaim } from './external-ids.ts'
import { columnsForChange, type ForChange, type StoredRecord, storedRecord } from './records.ts'

type Holding = { field: FieldDefinition; key: string }

type Held = ForChange | { id: null }

/** The live records that hold a value, oldest first, one more than the limit, locked until the transaction ends. */
export function findHolders(inside: Scope, resource: Resource, holding: Holding): Promise<StoredRecord[]> {
  const values = sql`from field_values
    where workspace_id = ${inside.workspace.id} and field_id = ${holding.field.id} and match_key = ${holding.key}`
  const found = sql`select record_id, created_at ${values} group by created_at, record_id
    order by created_at, record_id limit ${sql.lit(MATCHES_MAX + 1)}`
  return lockHolders(inside, resource, { values, found, order: sql`order by h.created_at, h.record_id` })
}

/** The live record that holds an external id, locked until the transaction ends. */
export function findHolderOfId(inside: Scope, resource: Resource, claim: ExternalClaim): Promise<StoredRecord[]> {
  const values = sql`from external_ids where workspace_id = ${inside.workspace.id} and resource = ${resource.type}
    and namespace = ${claim.namespace} and external_id = ${claim.external_id} and live = 1`
  return lockHolders(inside, resource, { values, found: sql`select record_id ${values}`, order: sql`` })
}

/** `from … where …` of the values, the `record_id` of each holder, and their order. */
type Holders = { values: Sql<unknown>; found: Sql<unknown>; order: Sql<unknown> }

async function lockHolders(
  inside: Scope,
  resource: Resource,
  { values, found, order }: Holders,
): Promise<StoredRecord[]> {
  const reading = sql<Held>`select ${columnsForChange(resource)} from (${found}) h
    left join ${sql.table(resource.type)} r0
      on r0.workspace_id = ${inside.workspace.id} and r0.id = h.record_id and r0.deleted_at is null ${order}`
  if (!inside.engine.concurrentWrites) return stored(resource, await reading.all(inside.db))
  // The second statement sees what was committed before the first got its locks.
  const locking = sql<string>`select id from ${sql.table(resource.type)}
    where workspace_id = ${inside.workspace.id} and id in (select record_id ${values})
    order by id for no key update`
  const [locked, rows] = await Promise.all([locking.column(inside.db), reading.all(inside.db)])
  const holders = stored(resource, rows)
  // A merge may have moved the value to another record meanwhile. Locking that one now would break the lock order.
  if (!holders.every(({ id }) => locked.includes(id))) throw new Conflict()
  return holders
}

function stored(resource: Resource, rows: readonly Held[]): StoredRecord[] {
  return rows.map((row) => {
    if (row.id === null) throw new Error('The index names a record that is not there.')
    return storedRecord(resource, row)
  })
}
