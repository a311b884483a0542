import { isRecordPart } from '@kith/contract/changes/change-kind'
import { type LoggedChange, loggedChange } from '@kith/contract/changes/undo'
import type { Issue } from '@kith/contract/issue'
import { isObject } from '@kith/contract/raw-input'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import { shownOf } from '@kith/contract/shape'
import { requireAbilities } from '../../scope/permissions.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { findEntry } from '../../storage/tables/audit-log.ts'
import { loadUndos } from '../../storage/tables/undos.ts'
import { mayReadHistory, mayReadPart } from '../history.ts'
import { type FoundChange, findChange, isSetting, resourceOf, unknownChange } from './found-change.ts'

type ChangeObject = { id: string; type: 'changes'; attributes: LoggedChange }

/** One change with its values in full. Those of a deleted record are for those who may read its history. */
export async function readChange(scope: Scope, id: string, issues: readonly Issue[]): Promise<ChangeObject> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const change = await findChange(inside, id)
    const { record_id, row } = change
    if (!isSetting(change) && !(await mayRead(inside, change))) refuse(unknownChange(id))
    refuseIfAny([...issues])
    const listed = await findEntry(inside, row.resource, row.id)
    const undone = await loadUndos(inside, [row.id])
    const { kind, at, resource, changes } = change
    const shown = {
      ...{ kind, resource, record_id, at },
      changed: kind === 'updated' ? changes.map(([name]) => name).sort() : [],
      changes: changes.map(([field, before, after]) => ({ field, before: before ?? null, after: after ?? null })),
      merged_into: mergedInto(change),
      origin: originOf(scope, change),
      actor_name: listed?.actor_name ?? null,
      token_name: listed?.token_name ?? null,
      undo_of: row.undo_of,
      undone_by: undone.get(row.id) ?? null,
      cause: row.cause,
    }
    return { id: row.id, type: 'changes', attributes: shownOf(loggedChange, shown) }
  })
}

function mayRead(inside: Scope, change: FoundChange): Promise<boolean> {
  const { record_id, resource } = change
  if (isRecordPart(resource)) return mayReadPart(inside, resource, record_id)
  return mayReadHistory(inside, resourceOf(inside, change), record_id)
}

function originOf({ actor }: Scope, { row: { source, actor_id, token_id } }: FoundChange) {
  return { source, actor_id, token_id, own: token_id !== null && token_id === actor.token_id }
}

function mergedInto({ kind, changes }: FoundChange): string | null {
  const [first] = changes
  const into = kind === 'merged' ? first?.[2] : undefined
  return isObject(into) && typeof into.id === 'string' ? into.id : null
}
