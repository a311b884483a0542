import type { Audited, AuditedKind } from '@kith/contract/app/audit'
import { momentOf } from '@kith/contract/id'
import { registry } from '@kith/contract/registry'
import { type RelatedType, type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadLabels } from '../storage/query/related.ts'
import { type ListedEntry, loadLastNames } from '../storage/tables/audit-log.ts'
import { findAllFields, type StoredField } from '../storage/tables/custom-fields.ts'
import { loadUserNames } from '../storage/tables/members.ts'
import type { StoredChange } from './write.ts'

/** Adds names to stored entries with a few statements, however many entries there are. */
export async function presentAudited(scope: Scope, rows: readonly ListedEntry[]): Promise<Audited[]> {
  const parsed = rows.map((row) => ({ row, changes: changesIn(row) }))
  const fields = parsed.some(({ changes }) => changes.length > 0) ? await findAllFields(scope) : []
  const names = await namesFor(scope, parsed)
  return parsed.map(({ row, changes }) => {
    const { id, actor_id, token_id, source, action, resource } = row
    // The creation of a record is stored under the record's own id.
    const record_id = row.record_id ?? id
    return {
      id,
      at: momentOf(id),
      actor: actor_id === null ? null : { id: actor_id, name: row.actor_name ?? '' },
      source,
      token: token_id === null ? null : { id: token_id, name: row.token_name },
      action,
      resource,
      record_id,
      record_name: row.name ?? names.get(record_id) ?? null,
      changes: changes.map(([field, before, after, truncated]) => {
        const isId = relatedType(resource, field) !== undefined
        const shown = (value: unknown) => (isId ? withNames(value, names) : value)
        const label = labelOf(resource, field, fields)
        return { field, label, before: shown(before), after: shown(after), truncated: truncated === 1 }
      }),
    }
  })
}

export function changesIn({ changes }: { changes: string | null }): readonly StoredChange[] {
  // Only noteWrite writes them.
  return changes === null ? [] : (JSON.parse(changes) as readonly StoredChange[])
}

type Parsed = { row: ListedEntry; changes: readonly StoredChange[] }

/** The names of the records of the entries, and of all records in their changes. */
async function namesFor(scope: Scope, parsed: readonly Parsed[]): Promise<Map<string, string>> {
  const wanted = new Map<RelatedType, Set<string>>()
  const lost: string[] = []
  const want = (type: RelatedType, id: string) => {
    wanted.set(type, (wanted.get(type) ?? new Set()).add(id))
  }
  for (const { row, changes } of parsed) {
    const type = resourceNames.find((name) => name === row.resource)
    if (row.name === null) {
      if (type) want(type, row.record_id ?? row.id)
      else if (row.record_id !== null) lost.push(row.record_id)
    }
    for (const [field, before, after] of changes) {
      const to = relatedType(row.resource, field)
      if (to) for (const id of [...idsIn(before), ...idsIn(after)]) want(to, id)
    }
  }
  const names = new Map<string, string>()
  for (const [type, ids] of wanted) {
    for (const [id, name] of await loadNames(scope, type, [...ids])) names.set(id, name)
  }
  for (const ids of wanted.values()) lost.push(...[...ids].filter((id) => !names.has(id)))
  for (const { record_id, name } of await loadLastNames(scope.db, scope.workspace.id, lost)) names.set(record_id, name)
  return names
}

async function loadNames(scope: Scope, type: RelatedType, ids: readonly string[]): Promise<[string, string][]> {
  if (type === 'users') return (await loadUserNames(scope.db, ids)).map(({ id, name }) => [id, name])
  return [...(await loadLabels(scope, registry[type], ids))]
}

/** The type of the ids in an attribute, if it holds ids. */
function relatedType(kind: AuditedKind, field: string): RelatedType | undefined {
  const resource = resourceNames.find((name) => name === kind)
  if (!resource) return undefined
  return registry[resource].references[field]?.to ?? registry[resource].links[field]?.to
}

function idsIn(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  return all.filter((id) => typeof id === 'string')
}

function withNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((id) => withNames(id, names))
  return typeof value === 'string' ? { id: value, name: names.get(value) ?? null } : value
}

export function labelOf(kind: AuditedKind, field: string, fields: readonly StoredField[]): string {
  const code = /^custom_fields\.(.+)$/.exec(field)?.[1]
  if (code !== undefined) return fields.find((one) => one.entity_type === kind && one.code === code)?.name ?? code
  const resource = resourceNames.find((name): name is ResourceName => name === kind)
  const words =
    (resource && registry[resource].links[field]?.relation) ?? field.replace(/_id$/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
