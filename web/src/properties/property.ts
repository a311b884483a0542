import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import {
  attributesOf,
  CUSTOM_FIELDS,
  type RelatedType,
  type Resource,
  type ResourceName,
} from '@kith/contract/resource'
import { camelCase } from '@kith/contract/resource-code'
import { useMemo } from 'react'
import type { Field } from '../api/fields.ts'
import { useResource } from '../api/schema.ts'
import { type Appearance, appearanceOf } from '../resources.ts'

/**
 * Something that a record says about itself, native or custom: a column of a list, a line of a page. `key` is its name
 * in addresses and saved views, `include` what must come along for it to be shown, and `target` the appearance of the
 * records that it leads to.
 */
export type Property = { key: string; label: string; target?: Appearance } & (
  | { kind: 'name' }
  /** One member or record. `field`: the reference field that holds it. */
  | { kind: 'reference'; attribute: string; include: string; to: RelatedType; field?: Field }
  /** Several members or records, joined by links or held by a reference field. */
  | { kind: 'links'; attribute: string; include: string; to: RelatedType; field?: Field }
  | { kind: 'creator'; include: string }
  | { kind: 'time' }
  | { kind: 'source' }
  | { kind: 'count'; attribute: string; include: string }
  | { kind: 'custom'; field: Field }
  /** Something that the one record of a reference says: the company's tier in a list of people. */
  | { kind: 'related'; include: string; to: ResourceName; of: Property }
)

export type PropertyOf<Kind extends Property['kind']> = Extract<Property, { kind: Kind }>

/** Everything that records of a resource can show, in the order in which a person would expect it. */
export function propertiesOf(resource: Resource): Property[] {
  const references = Object.entries(resource.references).map(
    ([attribute, { to }]): Property => ({
      kind: 'reference',
      key: attribute,
      attribute,
      include: relationOn(resource, attribute),
      to,
      ...targetIn(resource, to),
      label: labelOf(resource, attribute),
    }),
  )
  const links = Object.entries(resource.links).map(
    ([attribute, { to, relation }]): Property => ({
      kind: 'links',
      key: relation,
      attribute,
      include: relation,
      to,
      ...targetIn(resource, to),
      label: labelOf(resource, relation),
    }),
  )
  // Linked records are shown by name already; their number would say less.
  const counts = Object.entries(resource.counts)
    .filter(([, count]) => count.of === 'linking' || !links.some((link) => link.key === count.relation))
    .map(
      ([include, { attribute }]): Property => ({
        kind: 'count',
        key: attribute,
        attribute,
        include,
        label: labelOf(resource, attribute),
      }),
    )
  return [
    { kind: 'name', key: resource.label, label: labelOf(resource, resource.label) },
    ...references,
    ...resource.fields.list.map((field) => referenceOf(resource, field) ?? propertyOf(field)),
    ...links,
    ...counts,
    { kind: 'creator', key: 'creator', include: 'creator', label: 'Created by' },
    ...attributesOf(resource, 'time').map((key): Property => ({ kind: 'time', key, label: labelOf(resource, key) })),
    ...attributesOf(resource, 'source').map(
      (key): Property => ({ kind: 'source', key, label: labelOf(resource, key) }),
    ),
  ]
}

function targetIn({ schema }: Resource, to: RelatedType): { target?: Appearance } {
  const target = schema.get(to)
  return target ? { target: appearanceOf(target) } : {}
}

/** The properties that a list can show, with the fields of referenced records, which come in the same answer. */
function listPropertiesOf(resource: Resource): Property[] {
  const own = propertiesOf(resource)
  const related = own.flatMap((property) => {
    const other = property.kind === 'reference' ? resource.schema.get(property.to) : undefined
    if (property.kind !== 'reference' || !other) return []
    const { include, to, label } = property
    const target = targetIn(resource, to)
    return propertiesOf(other)
      .filter(isShort)
      .map(
        (of): Property => ({
          kind: 'related',
          key: `${include}.${of.key}`,
          label: `${label} › ${of.label}`,
          include,
          to,
          ...target,
          of,
        }),
      )
  })
  return [...own, ...related]
}

function isShort(property: Property): boolean {
  if (property.kind === 'custom') return !fieldTypes[property.field.type].multiline
  return property.kind === 'time' || property.kind === 'source'
}

/** A field whose values are records or members. */
function referenceOf(resource: Resource, field: Field): PropertyOf<'reference' | 'links'> | undefined {
  if (!fieldTypes[field.type].refersTo) return undefined
  const [key, to] = [CUSTOM_FIELDS + field.code, targetOf(field)]
  const named = { key, attribute: key, include: key, to, field, label: field.name, ...targetIn(resource, to) }
  return { kind: field.multiple ? 'links' : 'reference', ...named }
}

export function propertyOf(field: Field): PropertyOf<'custom'> {
  return { kind: 'custom', key: `custom_fields.${field.code}`, field, label: field.name }
}

export function includeOf(property: Property): string | undefined {
  return 'include' in property ? property.include : undefined
}

/** The filter with a condition on the value of a property; undefined where there is none. */
export function filterBy(property: Property, condition: object): Record<string, unknown> | undefined {
  if (property.kind === 'custom') return filterAt(property.key, condition)
  const isRelation = property.kind === 'reference' || property.kind === 'links' || property.kind === 'creator'
  return isRelation ? filterAt(property.include, condition) : undefined
}

/** The filter with a condition on a relation or a field, by its name. */
export function filterAt(name: string, condition: object): Record<string, unknown> {
  if (!name.startsWith(CUSTOM_FIELDS)) return { [name]: condition }
  return { custom_fields: { [name.slice(CUSTOM_FIELDS.length)]: condition } }
}

/** What an attribute, a relation or a count is called. Many are named after the resource that they lead to. */
export function labelOf(resource: Resource, name: string): string {
  const own = definedLabel(resource, name)
  if (own !== undefined) return own
  if (Object.hasOwn(labels, name)) return labels[name] ?? name
  for (const { row } of resource.schema.values()) {
    const { code, singular_code } = row
    if ([singular_code, camelCase(singular_code), `${singular_code}_id`].includes(name)) return row.singular
    if ([code, camelCase(code), `${code}_count`].includes(name)) return row.name
  }
  return name
}

/** Reference fields, and the relations and counts that they give to their targets, are called as people have chosen. */
function definedLabel({ relations, counts }: Resource, name: string): string | undefined {
  const count = Object.values(counts).find(({ attribute }) => attribute === name)
  const relation = relations[count?.of === 'relation' ? count.relation : name]
  if (relation?.kind === 'field') return relation.field.name
  return relation?.kind === 'inverse' ? relation.field.settings.inverse?.name : undefined
}

const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  title: 'Title',
  owner_id: 'Owner',
  owner: 'Owner',
  account_owner_id: 'Account owner',
  accountOwner: 'Account owner',
  contact_id: 'Contact',
  contact: 'Contact',
  creator: 'Created by',
  created_at: 'Created',
  updated_at: 'Updated',
  creation_source: 'Source',
  assignees: 'Assignees',
  assigned_to_me: 'Assigned to me',
}

/** How records came to be, in words. */
export const sources: Readonly<Record<string, string>> = {
  web: 'Application',
  api: 'API',
  mcp: 'Tool server',
  import: 'Import',
  sample: 'Sample',
}

function relationOn(resource: Resource, attribute: string): string {
  const found = Object.entries(resource.relations).find(
    ([, relation]) => relation.kind === 'reference' && relation.column === attribute,
  )
  return found?.[0] ?? attribute
}

/** The properties of a resource in this workspace, its custom fields among them. */
export function useProperties(name: ResourceName): Property[] {
  const resource = useResource(name)
  return useMemo(() => propertiesOf(resource), [resource])
}

/** The properties that a list of the resource can show: those of related records as well. */
export function useListProperties(name: ResourceName): Property[] {
  const resource = useResource(name)
  return useMemo(() => listPropertiesOf(resource), [resource])
}
