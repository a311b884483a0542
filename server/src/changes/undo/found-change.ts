import { recordParts, type StoredKind } from '@kith/contract/changes/change-kind'
import { excerpt } from '@kith/contract/excerpt'
import { momentOf, parseId } from '@kith/contract/id'
import { RESTORE_DAYS } from '@kith/contract/limits'
import { type RefusalReason, refuse } from '@kith/contract/refusal'
import { type Resource, resourceIn } from '@kith/contract/resource'
import type { Change } from '../../journal/write.ts'
import { restorableSince } from '../../records/trash/trash.ts'
import type { Scope } from '../../scope/scope.ts'
import { type AuditRow, loadChangeValues } from '../../storage/tables/audit-log.ts'
import { loadWholeById } from '../../storage/tables/undos.ts'
import { changesIn } from '../audit-log.ts'

/** A change as the audit log has it, with its values in full as far as they are kept. */
export type FoundChange = {
  row: AuditRow
  id: string
  at: string
  kind: StoredKind
  /** As in the feed. */
  resource: string
  record_id: string
  changes: readonly Change[]
  /** Whether a part of a value is not kept any more. */
  isCut: boolean
}

/** The settings whose changes the feed shows, by their name in the audit log. */
const settings: Readonly<Record<string, string>> = {
  custom_fields: 'custom_fields',
  schemas: 'schemas',
  members: 'users',
}

const kinds: Readonly<Record<string, StoredKind>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  restore: 'restored',
  merge: 'updated',
  undo_merge: 'updated',
}

const settingKinds: Readonly<Record<string, StoredKind>> = { ...kinds, archive: 'deleted' }

/** The changes with these ids, by these ids: also those of archived resources, but not those of deleted ones. */
export async function findChanges(scope: Scope, sent: readonly string[]): Promise<Map<string, FoundChange>> {
  const { schema } = scope
  const ids = [...new Set(sent.flatMap((id) => parseId(id) ?? []))]
  const resources = [...schema.keys(), ...schema.archived.keys(), ...recordParts, ...Object.keys(settings)]
  const rows = (await loadWholeById(scope, { resources, ids })).filter((row) => isOfItsResource(scope, row))
  const cut = rows.filter((row) => changesIn(row).some(([, , , isCut]) => isCut === 1))
  const values = await loadChangeValues(
    scope,
    cut.map(({ id }) => id),
  )
  const full = new Map(values.map((one) => [`${one.change_id} ${one.field}`, one]))
  const found = rows.flatMap(({ named: sent, ...row }): [string, FoundChange][] => {
    const kind = kindOf(row)
    if (kind === undefined) return []
    const stored = changesIn(row)
    const changes = stored.map(([field, before, after]): Change => {
      const kept = full.get(`${row.id} ${field}`)
      return kept ? [field, JSON.parse(kept.before), JSON.parse(kept.after)] : [field, before, after]
    })
    const isCut = stored.some(([field, , , isCut]) => isCut === 1 && !full.has(`${row.id} ${field}`))
    const { id, resource, record_id } = row
    const named = { resource: settings[resource] ?? resource, record_id: record_id ?? id }
    return [[sent, { row, id, at: momentOf(id), kind, ...named, changes, isCut }]]
  })
  return new Map(found)
}

/** An archived resource can be restored. The entries of a deleted one may have the code of another one. */
function isOfItsResource({ schema }: Scope, { id, resource }: AuditRow): boolean {
  const found = schema.get(resource) ?? schema.archived.get(resource)
  return momentOf(id) >= (found?.row.since ?? '')
}

function kindOf({ action, resource, changes }: AuditRow): StoredKind | undefined {
  if (resource in settings) {
    const isRole = resource === 'members' && action === 'update' && changesIn({ changes })[0]?.[0] === 'role'
    const isGone = resource !== 'members' && action === 'delete'
    return isRole || isGone ? undefined : settingKinds[action]
  }
  if (action === 'merge' && changesIn({ changes })[0]?.[0] === 'merged_into') return 'merged'
  return kinds[action]
}

/** The change with an id. Refuses if there is none. */
export async function findChange(scope: Scope, id: string): Promise<FoundChange> {
  const [change] = (await findChanges(scope, [id])).values()
  if (!change || scope.schema.archived.has(change.resource)) return refuse(unknownChange(id, change))
  return change
}

/** Why there is no change with an id. If there is one, its resource is archived. */
export function unknownChange(id: string, change?: FoundChange): RefusalReason {
  const named = change
    ? `The resource ${change.resource} is archived.`
    : `No change with the ID ${excerpt(id)} exists in this workspace.`
  return { kind: 'not_found', message: named }
}

export function isSetting({ row }: FoundChange): boolean {
  return row.resource in settings
}

/** The resource of the record that a change belongs to. */
export function resourceOf({ schema }: Scope, { resource }: FoundChange): Resource {
  return resourceIn(schema, resource)
}

/** Why a change can never be undone, or not any more. */
export function refusalOf(
  scope: Scope,
  change: FoundChange,
  { late = false }: { late?: boolean } = {},
): RefusalReason | undefined {
  const { id, at, isCut, row } = change
  const instead = insteadOf[row.resource]
  if (instead !== undefined) return refusedId(`The change ${id} cannot be undone here. ${instead}`)
  if (row.cause !== null) return refusedId(`The change ${row.cause} caused the change ${id}. Undo that one.`)
  const day = at.slice(0, 10)
  if (!late && at <= restorableSince(scope)) {
    return refusedId(`The change of ${day} can no longer be undone: that is possible for ${RESTORE_DAYS} days.`)
  }
  if (isCut) return refusedId(`The change of ${day} cannot be undone: the values from before it are not kept in full.`)
  return undefined
}

/** What takes back a change of a setting. */
const insteadOf: Readonly<Record<string, string>> = {
  custom_fields: 'Change the field with PUT /v1/schema/{resource}/fields/{code}, or restore it with …/restore.',
  schemas: 'Change the resource with PUT /v1/schema/{resource}, or restore it with PUT /v1/schema/{resource}/restore.',
  members: 'Members are managed in the application, under Settings > Members.',
}

export function refusedId(message: string): RefusalReason {
  return { kind: 'invalid', issues: [{ path: 'id', message }] }
}
