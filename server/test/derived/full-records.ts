import { type FieldTypeName, fieldTypeNames } from '@kith/contract/field-type-name'
import { registry } from '@kith/contract/registry'
import { type BuiltInName, includeNames, type RelatedType, resourceNames } from '@kith/contract/resource'
import { expect } from 'vitest'
import type { Answered } from '../api.ts'
import { samples } from '../field-samples.ts'
import type { TestWorkspace } from '../workspace.ts'

/** The id of one record of each resource, and of a member. */
export type Ids = Readonly<Record<BuiltInName | 'users', string> & Record<RelatedType, string>>

/** The code of the field that each resource has of a type. */
export function codeOf(type: FieldTypeName): string {
  return `my_${type.replaceAll('-', '_')}`
}

/** Gives a resource a field of every type. */
export async function defineEveryType(workspace: TestWorkspace, resource: BuiltInName): Promise<void> {
  for (const type of fieldTypeNames) {
    await workspace.field(resource, { name: `My ${type}`, code: codeOf(type), type, ...samples[type].rest })
  }
}

export function valuesOfEveryType(which: 'one' | 'other' = 'one'): Record<string, unknown> {
  return Object.fromEntries(fieldTypeNames.map((type) => [codeOf(type), samples[type][which]]))
}

/** The references and lists of ids that a resource has, all of them to these. */
export function relatedTo(resource: BuiltInName, ids: Readonly<Record<string, string>>): Record<string, unknown> {
  const { references, links } = registry[resource]
  return {
    ...Object.fromEntries(Object.entries(references).map(([key, { to }]) => [key, ids[to]])),
    ...Object.fromEntries(Object.entries(links).map(([key, { to }]) => [key, [ids[to]]])),
  }
}

/** One record of each resource that is related to those before it and to the owner. */
export async function relatedRecords(
  { api, owner }: TestWorkspace,
  values: Readonly<Record<string, unknown>> = {},
): Promise<Ids> {
  const ids: Record<string, string> = { users: owner.id }
  for (const type of resourceNames) {
    const body = { [registry[type].label]: `One of ${type}`, ...relatedTo(type, ids), custom_fields: values }
    const answer = await api.post(`/${type}`, body)
    expect(answer.status, answer.text).toBe(201)
    ids[type] = answer.body.data.id
  }
  // Every one was set above.
  return ids as Ids
}

/** Reads a record with all that it can show. */
export function readAll({ api }: TestWorkspace, resource: BuiltInName, id: string): Promise<Answered> {
  return api.get(`/${resource}/${id}?include=${includeNames(registry[resource]).join(',')}`)
}
