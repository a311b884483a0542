import { newId } from '@kith/contract/id'
import type { RecordInput } from '@kith/contract/record-input'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { NewRecord } from './store.ts'
import { givenValues } from './stored-values.ts'

/** The record that a checked input creates, now and by the actor. */
export function newRecord(inside: Scope, resource: Resource, input: RecordInput): NewRecord {
  const now = inside.now()
  const { source } = inside.actor
  return {
    id: newId(now.getTime()),
    label: input.label ?? '',
    references: input.references,
    creation_source: source === 'cli' ? 'import' : source,
    created_at: now.toISOString(),
    values: givenValues(input.values),
    links: linksOf(resource, input),
    external_ids: input.external_ids,
  }
}

function linksOf(resource: Resource, { links }: RecordInput): NewRecord['links'] {
  return [...links].flatMap(([key, ids]) => {
    const relation = resource.links[key]?.relation ?? key
    return [...new Set(ids)].map((to_id) => ({ relation, to_id }))
  })
}
