import { includeNames, type RelatedType, type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import { expect } from 'vitest'
import type { Answered } from '../api.ts'
import { samples, type ValueTypeName, valueTypeNames } from '../field-samples.ts'
import { declared, type EveryName } from '../own-resource.ts'
import type { TestWorkspace } from '../workspace.ts'

/** The id of one record of each resource, and of a member. */
export type Ids = Readonly<Record<EveryName | 'users', string> & Record<RelatedType, string>>

/** The code of the field that each resource has of a type. */
export function codeOf(type: ValueTypeName): string {
  return `my_${type.replaceAll('-', '_')}`
}

/** The codes of the fields that refer to companies and members. */
const [RECORD, RECORDS, MEMBER] = ['my_record', 'my_records', 'my_member']

/** Gives a resource a field of every type. */
export async function defineEveryType(workspace: TestWorkspace, resource: ResourceName): Promise<void> {
  for (const type of valueTypeNames) {
    await workspace.field(resource, { name: `My ${type}`, code: codeOf(type), type, ...samples[type].rest })
  }
  const inverse = { code: `referring_${resource}`, name: `Referring ${resource}` }
  const companies = { type: 'record', target: 'companies' }
  await workspace.field(resource, { name: 'My record', code: RECORD, ...companies, inverse })
  await workspace.field(resource, { name: 'My records', code: RECORDS, ...companies, multiple: true })
  await workspace.field(resource, { name: 'My member', code: MEMBER, type: 'member' })
}

export function valuesOfEveryType(which: 'one' | 'other' = 'one'): Record<string, unknown> {
  return Object.fromEntries(valueTypeNames.map((type) => [codeOf(type), samples[type][which]]))
}

/** Values of the reference fields. */
export function referencesTo(ids: Readonly<Record<string, string>>): Record<string, unknown> {
  const { companies, users } = ids
  return { ...(companies ? { [RECORD]: companies, [RECORDS]: [companies] } : {}), [MEMBER]: users }
}

/** The references and lists of ids that a resource has, all of them to these. */
export function relatedTo(resource: ResourceName, ids: Readonly<Record<string, string>>): Record<string, unknown> {
  const { references, links } = declared(resource)
  const known = ([, { to }]: [string, { to: RelatedType }]) => to in ids
  return {
    ...Object.fromEntries(Object.entries(references).map(([key, { to }]) => [key, ids[to]])),
    ...Object.fromEntries(
      Object.entries(links)
        .filter(known)
        .map(([key, { to }]) => [key, [ids[to]]]),
    ),
  }
}

/** One record of each resource that is related to those before it and to the owner. */
export async function relatedRecords(
  workspace: TestWorkspace,
  values: Readonly<Record<string, unknown>> = {},
): Promise<Ids> {
  const { api, owner } = workspace
  const ids: Record<string, string> = { users: owner.id }
  // Those with links come last.
  const linking = (resource: Resource) => Number(Object.keys(resource.links).length > 0)
  const resources = [...(await workspace.scope()).schema.values()]
  for (const { type, label, fields } of resources.toSorted((one, other) => linking(one) - linking(other))) {
    const referring = fields.byCode.has(RECORD) ? referencesTo(ids) : {}
    const body = { [label]: `One of ${type}`, ...relatedTo(type, ids), custom_fields: { ...values, ...referring } }
    const answer = await api.post(`/${type}`, body)
    expect(answer.status, answer.text).toBe(201)
    ids[type] = answer.body.data.id
  }
  // Every one was set above.
  return ids as Ids
}

/** Reads a record with all that it can show. */
export async function readAll(workspace: TestWorkspace, resource: ResourceName, id: string): Promise<Answered> {
  const names = includeNames(resourceIn((await workspace.scope()).schema, resource))
  return workspace.api.get(`/${resource}/${id}?include=${names.join(',')}`)
}
