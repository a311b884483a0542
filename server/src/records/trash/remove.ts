import type { Definitions } from '@kith/contract/field-definition'
import type { Issue } from '@kith/contract/issue'
import { Refusal, type RefusalReason, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { lockRows } from '../../storage/tables/lock-rows.ts'
import { loadStored } from '../../storage/tables/records.ts'
import { requireAbilities } from '../allow.ts'
import { type Expected, unexpected } from '../expected.ts'
import { missingReasons } from '../merge/merged-into.ts'
import { idInPath } from '../read.ts'
import { storeDeletions } from '../store.ts'
import { writing } from '../writing.ts'

/** Deletes a record softly: its row and links stay, so that it can be restored. */
export async function removeRecord(
  scope: Scope,
  resource: Resource,
  { id: sent_id, expected, issues = [] }: { id: string; expected?: Expected; issues?: readonly Issue[] },
): Promise<void> {
  requireAbilities(scope, ['delete'])
  const id = idInPath(resource, sent_id)
  await writing(scope, async (inside, definitions) => {
    const [refused] = await removeSet(inside, resource, { definitions, removals: [{ id, sent_id, expected }] })
    if (refused) throw new Refusal(refused)
    refuseIfAny([...issues])
  })
}

/** `sent_id` is the id as it was sent, for messages. */
export type Removal = { id: string; sent_id: string; expected: Expected }

/** Deletes different records. Returns for each why it is refused, if it is: nothing is written for it then. */
export async function removeSet(
  inside: Scope,
  resource: Resource,
  { definitions, removals }: { definitions: Definitions; removals: readonly Removal[] },
): Promise<(RefusalReason | undefined)[]> {
  // No other transaction may add a reference to them.
  await lockRows(inside, [{ table: resource.type, ids: removals.map(({ id }) => id), mode: 'alone' }])
  const changed = await findChanged(inside, resource, { definitions, removals })
  const deleting = removals.filter(({ id }) => !changed.has(id)).map(({ id }) => id)
  const deleted = deleting.length === 0 ? new Set() : await storeDeletions(inside, resource, { ids: deleting })
  const missing = removals.filter(({ id }) => !deleted.has(id) && !changed.has(id))
  const reasons = await missingReasons(
    inside,
    resource,
    missing.map(({ sent_id }) => sent_id),
  )
  return removals.map((removal) => changed.get(removal.id) ?? reasons[missing.indexOf(removal)])
}

/** Why live records are not as they are expected to be, by id. */
async function findChanged(
  inside: Scope,
  resource: Resource,
  { definitions, removals }: { definitions: Definitions; removals: readonly Removal[] },
): Promise<Map<string, RefusalReason>> {
  const expecting = new Map(removals.flatMap(({ id, expected }) => (expected === undefined ? [] : [[id, expected]])))
  if (expecting.size === 0) return new Map()
  const changed = new Map<string, RefusalReason>()
  for (const current of await loadStored(inside, resource, [...expecting.keys()])) {
    const expected = expecting.get(current.id)
    const reason = await unexpected(inside, resource, { expected, current, definitions })
    if (reason) changed.set(current.id, reason)
  }
  return changed
}
