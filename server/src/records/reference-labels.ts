import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import { isObject } from '@kith/contract/raw-input'
import { CUSTOM_FIELDS, type RelatedType, type Resource } from '@kith/contract/resource'
import type { AuditEntry, Change } from '../journal/write.ts'
import type { Scope } from '../scope/scope.ts'
import { loadLabels } from '../storage/query/related.ts'
import { loadUserNames } from '../storage/tables/members.ts'

/** Adds to the changes of reference fields the names that the records and members have now. */
export async function withLabels<E extends AuditEntry>(
  inside: Scope,
  resource: Resource,
  entries: readonly E[],
): Promise<readonly E[]> {
  const targets = targetsIn(resource)
  if (targets.size === 0) return entries
  const wanted = new Map<RelatedType, Set<string>>()
  for (const { changes = [] } of entries) {
    for (const [field, before, after] of changes) {
      const to = targets.get(field)
      if (to)
        for (const id of [...idsIn(before), ...idsIn(after)]) wanted.getOrInsertComputed(to, () => new Set()).add(id)
    }
  }
  if (wanted.size === 0) return entries
  const names = new Map<string, string>()
  for (const [to, ids] of wanted) for (const [id, name] of await loadNames(inside, to, [...ids])) names.set(id, name)
  return entries.map((entry) => {
    const changes = entry.changes?.map(([field, before, after]): Change => {
      return targets.has(field) ? [field, labelled(before, names), labelled(after, names)] : [field, before, after]
    })
    return { ...entry, changes }
  })
}

/** What the reference fields of a resource refer to, by the names of their changes. */
function targetsIn(resource: Resource): ReadonlyMap<string, RelatedType> {
  const fields = resource.fields.list.filter(({ type }) => fieldTypes[type].refersTo)
  return new Map(fields.map((field) => [CUSTOM_FIELDS + field.code, targetOf(field)]))
}

async function loadNames(inside: Scope, to: RelatedType, ids: readonly string[]): Promise<Iterable<[string, string]>> {
  if (to === 'users') return (await loadUserNames(inside.db, ids)).map(({ id, name }) => [id, name])
  const resource = inside.schema.get(to)
  return resource ? loadLabels(inside, resource, ids) : []
}

function idsIn(value: unknown): string[] {
  return [value].flat().flatMap((one) => (isObject(one) && typeof one.id === 'string' ? [one.id] : []))
}

function labelled(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => labelled(one, names))
  return isObject(value) && typeof value.id === 'string' ? { ...value, label: names.get(value.id) ?? null } : value
}
