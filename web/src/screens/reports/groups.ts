import { fieldTypes } from '@kith/contract/field-types'
import { CUSTOM_FIELDS, isToMany, type Resource, resourceIn } from '@kith/contract/resource'
import { fits, type Group, groupNamed, propertiesOf } from '@kith/contract/summary'
import { filterAt, labelOf } from '../../properties/property.ts'
import type { FilterObject } from '../records/list-state.ts'
import { daysOfId } from './periods.ts'

/** Something that can be chosen for a chart, by its name in summaries. */
export type Choice = { value: string; label: string }

function nameOf(resource: Resource, name: string): string {
  const code = name.startsWith(CUSTOM_FIELDS) ? name.slice(CUSTOM_FIELDS.length) : undefined
  const field = code === undefined ? undefined : resource.fields.byCode.get(code)
  return field?.name ?? labelOf(resource, name)
}

/** What a name of a summary is called: "Stage", or "Company › Tier" for a related record. */
export function groupLabel(name: string, resource: Resource): string {
  const group = groupNamed(name, resource)
  if (!group) return name
  const own = nameOf(group.property.resource, group.property.name)
  return group.through ? `${nameOf(resource, group.through.name)} › ${own}` : own
}

/** Everything that records can be grouped by, those of related records last. */
export function groupChoices(resource: Resource): Choice[] {
  const own = propertiesOf(resource)
  const steps = own.flatMap((property) => {
    if (property.of !== 'relation' || property.relation.to === 'users') return []
    return propertiesOf(resourceIn(resource.schema, property.relation.to)).map(({ name }) => `${property.name}.${name}`)
  })
  return [...own.map(({ name }) => name), ...steps].flatMap((name) => {
    return groupNamed(name, resource) ? [{ value: name, label: groupLabel(name, resource) }] : []
  })
}

function chosen(resource: Resource, fits: (group: Group) => boolean): Choice[] {
  return propertiesOf(resource).flatMap(({ name }) => {
    const group = groupNamed(name, resource)
    return group && fits(group) ? [{ value: name, label: groupLabel(name, resource) }] : []
  })
}

/** Dates and times, the custom ones first. */
export function dateChoices(resource: Resource): Choice[] {
  const all = chosen(resource, ({ by }) => by === 'day' || by === 'time')
  return all.toSorted((one, other) => Number(isNative(one)) - Number(isNative(other)))
}

function isNative({ value }: Choice): boolean {
  return !value.startsWith(CUSTOM_FIELDS)
}

const LAST = 'creator'

/** Members: who owns a record comes before who created it. */
export function personChoices(resource: Resource): Choice[] {
  const all = chosen(resource, ({ property }) => property.of === 'relation' && property.relation.to === 'users')
  return all.toSorted((one, other) => Number(one.value === LAST) - Number(other.value === LAST))
}

/** Members that a record has one of. */
export function ownerChoices(resource: Resource): Choice[] {
  return personChoices(resource).filter(({ value }) => {
    const property = groupNamed(value, resource)?.property
    return property?.of === 'relation' && !isToMany(property.relation)
  })
}

/** Choices of one option, those with probabilities first. */
export function stageChoices(resource: Resource): Choice[] {
  const all = chosen(resource, ({ by, property }) => {
    return by === 'choice' && property.of === 'field' && !fieldTypes[property.field.type].list
  })
  return all.toSorted((one, other) => Number(hasOdds(other, resource)) - Number(hasOdds(one, resource)))
}

function hasOdds({ value }: Choice, resource: Resource): boolean {
  const field = resource.fields.byCode.get(value.slice(CUSTOM_FIELDS.length))
  return field?.options.some(({ probability }) => probability !== undefined) ?? false
}

/** The fields that can be added up. */
export function amountChoices(resource: Resource): Choice[] {
  return propertiesOf(resource).flatMap((property) => {
    return fits(property, 'sum') ? [{ value: property.name, label: nameOf(resource, property.name) }] : []
  })
}

/** The filter that finds the records of a group; undefined if it is not known. */
export function filterOfGroup(name: string, id: string | null, resource: Resource): FilterObject | undefined {
  const group = groupNamed(name, resource)
  const test = group && testOf(group, id)
  if (!group || !test) return undefined
  const own = filterAt(group.property.name, test)
  return group.through ? filterAt(group.through.name, own) : own
}

function testOf({ by, property }: Group, id: string | null): FilterObject | undefined {
  if (id === null) return { $is_empty: true }
  switch (by) {
    case 'related':
      return { $in: [id] }
    case 'flag':
      return { $eq: id === 'true' }
    case 'word':
      return { $eq: id }
    case 'choice':
      return property.of === 'field' && fieldTypes[property.field.type].list ? { $has_any: [id] } : { $eq: id }
    case 'day':
    case 'time': {
      const days = daysOfId(id)
      return days && { $between: [days.first, days.last] }
    }
  }
}
