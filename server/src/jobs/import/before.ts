import type { Resource } from '@kith/contract/resource'
import { type Changing, linkKey } from '../../records/changes.ts'
import { parseStored, presentValue } from '../../records/stored-values.ts'

/** What a row has changed of a record, as it was before: parts of a body, and the links that came and went. */
export type Before = {
  data: Record<string, unknown> & { custom_fields?: Record<string, unknown>; external_ids?: Record<string, unknown> }
  links: { key: string; added: readonly string[]; removed: readonly string[] }[]
}

export function beforeOf(resource: Resource, { current, changes }: Changing): Before {
  const shown: Readonly<Record<string, unknown>> = current
  const data: Before['data'] = {}
  if (changes.label !== undefined) data[resource.label] = current[resource.label]
  for (const key of changes.references.keys()) data[key] = shown[key] ?? null
  const stored = parseStored(current.custom_fields)
  const values = [...changes.values.keys()].map((field) => [field.code, presentValue(stored[field.key], field)])
  if (values.length > 0) data.custom_fields = Object.fromEntries(values)
  if (changes.external_ids) {
    const { before, after } = changes.external_ids
    const namespaces = Object.keys({ ...after, ...before })
    data.external_ids = Object.fromEntries(namespaces.map((name) => [name, before[name] ?? null]))
  }
  const links = changes.links.map(({ relation, added, removed }) => ({
    key: linkKey(resource, relation),
    added,
    removed,
  }))
  return { data, links }
}

/** What several rows have changed of one record, as it was before the first of them. */
export function beforeAll(befores: readonly Before[]): Before {
  const data: Before['data'] = {}
  // The earliest row comes last, and so decides.
  for (const { data: earlier } of befores.toReversed()) {
    const custom_fields = { ...data.custom_fields, ...earlier.custom_fields }
    const external_ids = { ...data.external_ids, ...earlier.external_ids }
    Object.assign(data, earlier, { custom_fields, external_ids })
  }
  return { data, links: befores.toReversed().flatMap(({ links }) => links) }
}

/** The ids of a list before changes, which are given with the last one first. */
export function linksBefore(ids: readonly string[], changes: readonly Before['links'][number][]): string[] {
  return changes.reduce<string[]>(
    (list, { added, removed }) => [...list.filter((id) => !added.includes(id)), ...removed],
    [...ids],
  )
}
