import type { FieldDefinition } from '@kith/contract/field-definition'
import { MATCHES_MAX } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../engines/conflict.ts'
import { fixed } from '../engines/fixed.ts'
import { columnsForChange, type ForChange, perResource, type StoredRecord, storedRecord } from './records.ts'

/** Where a value is held: asked for with the workspace, the field and the key. */
const AT = 'from field_values where workspace_id = ? and field_id = ? and match_key = ?'

const HELD = `(select record_id, created_at ${AT}
  group by created_at, record_id order by created_at, record_id limit ${MATCHES_MAX + 1})`

const found = perResource((resource) =>
  fixed<ForChange | { id: null }>(
    `select ${columnsForChange(resource)} from ${HELD} h
     left join ${resource.type} r0 on r0.workspace_id = ? and r0.id = h.record_id and r0.deleted_at is null
     order by h.created_at, h.record_id`,
  ),
)

const locked = perResource(({ type }) =>
  fixed<{ id: string }>(
    `select id from ${type} where workspace_id = ? and id in (select record_id ${AT}) order by id for no key update`,
  ),
)

/** The live records that hold a value, oldest first: one more than are told of. Others who want to change them wait. */
export async function findHolders(
  inside: Scope,
  resource: Resource,
  field: FieldDefinition,
  key: string,
): Promise<StoredRecord[]> {
  const value = [inside.workspace.id, field.id, key]
  const ask = () => found(resource)(inside.db, [...value, inside.workspace.id])
  if (!inside.engine.concurrentWrites) return stored(resource, await ask())
  // What is asked second sees what was committed before the first had its locks.
  const locking = locked(resource)(inside.db, [inside.workspace.id, ...value])
  const [taken, rows] = await Promise.all([locking, ask()])
  const ids = new Set(taken.map((row) => row.id))
  const holders = stored(resource, rows)
  // While we waited, a merge may have handed the value on to another record. To lock that one now would break the order.
  if (!holders.every(({ id }) => ids.has(id))) throw new Conflict()
  return holders
}

function stored(resource: Resource, rows: readonly (ForChange | { id: null })[]): StoredRecord[] {
  return rows.map((row) => {
    if (row.id === null) throw new Error('The index names a record that is not there.')
    return storedRecord(resource, row)
  })
}
