import type { Key } from '@kith/contract/app/reports'
import { excerpt } from '@kith/contract/excerpt'
import type { FieldOption } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { isToMany, type Resource } from '@kith/contract/resource'
import { type Group, groupNamed, propertiesOf } from '@kith/contract/summary'
import type { Scope } from '../scope/scope.ts'
import { loadMembers } from '../storage/query/related.ts'

/** A date or a time of the records. */
export function parseDate(raw: unknown, resource: Resource, report: Report): Group | undefined {
  return parseGroup(raw, { name: 'date', resource, fits: ({ by }) => by === 'day' || by === 'time' }, report)
}

/** The members of the records, such as their owner. */
export function parsePerson(raw: unknown, resource: Resource, report: Report): Group | undefined {
  return parseGroup(raw, { name: 'person', resource, fits: isPerson }, report)
}

/** A choice of one option. */
export function parseStage(raw: unknown, resource: Resource, report: Report): Group | undefined {
  return parseGroup(raw, { name: 'stage', resource, fits: isStage }, report)
}

/** The one member to whom a record belongs. */
export function parseOwner(raw: unknown, resource: Resource, report: Report): Group | undefined {
  return parseGroup(raw, { name: 'person', resource, fits: isOwner }, report)
}

function isOwner(group: Group): boolean {
  return isPerson(group) && group.property.of === 'relation' && !isToMany(group.property.relation)
}

/** The options of a stage by their ids. */
export function optionsIn({ property }: Group): ReadonlyMap<string, FieldOption> {
  return new Map(property.of === 'field' ? property.field.options.map((option) => [option.id, option]) : [])
}

export const NONE: Key = { id: null, label: 'Empty' }

export async function namesOfMembers(
  scope: Scope,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const named = [...new Set(ids.filter((id) => id !== null))]
  return new Map((await loadMembers(scope, named)).map(({ id, name }) => [id, name]))
}

function isPerson({ property }: Group): boolean {
  return property.of === 'relation' && property.relation.to === 'users'
}

function isStage({ by, property }: Group): boolean {
  return by === 'choice' && property.of === 'field' && !fieldTypes[property.field.type].list
}

function parseGroup(
  raw: unknown,
  { name, resource, fits }: { name: string; resource: Resource; fits(group: Group): boolean },
  report: Report,
): Group | undefined {
  const group = typeof raw === 'string' ? groupNamed(raw, resource) : undefined
  if (group && !group.through && fits(group)) return group
  const known = propertiesOf(resource).flatMap((property) => {
    const one = groupNamed(property.name, resource)
    return one && fits(one) ? [one.name] : []
  })
  const accepted = known.length === 0 ? `The ${resource.type} have none.` : `Accepted: ${known.join(', ')}.`
  const sent = typeof raw === 'string' ? `${excerpt(raw)} is not one that the ${resource.type} have` : 'is required'
  report(name, `The ${name} ${sent}. ${accepted}${typeof raw === 'string' ? suggestion(raw, known) : ''}`)
  return undefined
}
