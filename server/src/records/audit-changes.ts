import type { Resource } from '@kith/contract/resource'
import type { Change } from '../audit/write.ts'
import type { StoredRecord } from '../storage/tables/records.ts'
import type { Changes } from './changes.ts'
import { parseStored, presentValue } from './present.ts'

/**
 * What changes of a record, as people see it: choices with their labels, of links those that go and those that come.
 */
export function auditChanges(resource: Resource, current: StoredRecord, changes: Changes): Change[] {
  const { label, references, values, links } = changes
  const shown: Readonly<Record<string, unknown>> = current
  const entries: Change[] = label === undefined ? [] : [[resource.label, current[resource.label], label]]
  for (const [column, id] of references) entries.push([column, shown[column] ?? null, id])
  if (values.size > 0) {
    const stored = parseStored(current.custom_fields)
    for (const [field, value] of values) {
      const before = presentValue(stored[field.key], field)
      entries.push([`custom_fields.${field.code}`, before, presentValue(value ?? undefined, field)])
    }
  }
  for (const { relation, added, removed } of links) entries.push([linkKey(resource, relation), removed, added])
  return entries
}

/** The name under which the links of a relation are written. */
export function linkKey(resource: Resource, relation: string): string {
  const entry = Object.entries(resource.links).find(([, list]) => list.relation === relation)
  return entry?.[0] ?? relation
}
