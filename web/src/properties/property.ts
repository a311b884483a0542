import { fieldTypes } from '@kith/contract/field-types'
import { generalSchema } from '@kith/contract/registry'
import { attributesOf, type RelatedType, type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import { useMemo } from 'react'
import { type Field, useAllFields } from '../api/fields.ts'

/**
 * Something that a record says about itself, native or custom: a column of a list, a line of a page. `key` is its name
 * in addresses and saved views, and `include` what must come along for it to be shown.
 */
export type Property = { key: string; label: string } & (
  | { kind: 'name' }
  /** One member or record. */
  | { kind: 'reference'; attribute: string; include: string; to: RelatedType }
  /** Several members or records, joined by links. */
  | { kind: 'links'; attribute: string; include: string; to: RelatedType }
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
export function propertiesOf(resource: Resource, fields: readonly Field[]): Property[] {
  const references = Object.entries(resource.references).map(
    ([attribute, { to }]): Property => ({
      kind: 'reference',
      key: attribute,
      attribute,
      include: relationOn(resource, attribute),
      to,
      label: labels[attribute] ?? attribute,
    }),
  )
  const links = Object.entries(resource.links).map(
    ([attribute, { to, relation }]): Property => ({
      kind: 'links',
      key: relation,
      attribute,
      include: relation,
      to,
      label: labels[relation] ?? relation,
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
        label: labels[attribute] ?? attribute,
      }),
    )
  return [
    { kind: 'name', key: resource.label, label: labels[resource.label] ?? resource.label },
    ...references,
    ...fields.map(propertyOf),
    ...links,
    ...counts,
    { kind: 'creator', key: 'creator', include: 'creator', label: 'Created by' },
    ...attributesOf(resource, 'time').map((key): Property => ({ kind: 'time', key, label: labels[key] ?? key })),
    ...attributesOf(resource, 'source').map((key): Property => ({ kind: 'source', key, label: labels[key] ?? key })),
  ]
}

/** The properties that a list can show, with the fields of referenced records, which come in the same answer. */
function listPropertiesOf(resource: Resource, fields: readonly Field[]): Property[] {
  const own = propertiesOf(resource, fieldsOf(resource, fields))
  const related = own.flatMap((property) => {
    if (property.kind !== 'reference' || property.to === 'users') return []
    const { include, to, label } = property
    const other = resourceIn(resource.schema, to)
    return propertiesOf(other, fieldsOf(other, fields))
      .filter(isShort)
      .map(
        (of): Property => ({
          kind: 'related',
          key: `${include}.${of.key}`,
          label: `${label} › ${of.label}`,
          include,
          to,
          of,
        }),
      )
  })
  return [...own, ...related]
}

function fieldsOf({ type }: Resource, fields: readonly Field[]): Field[] {
  return fields.filter(({ entity_type }) => entity_type === type)
}

function isShort(property: Property): boolean {
  if (property.kind === 'custom') return !fieldTypes[property.field.type].multiline
  return property.kind === 'time' || property.kind === 'source'
}

export function propertyOf(field: Field): PropertyOf<'custom'> {
  return { kind: 'custom', key: `custom_fields.${field.code}`, field, label: field.name }
}

export function includeOf(property: Property): string | undefined {
  return 'include' in property ? property.include : undefined
}

/** The labels of attributes and relations. */
export const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  title: 'Title',
  account_owner_id: 'Account owner',
  accountOwner: 'Account owner',
  company_id: 'Company',
  company: 'Company',
  contact_id: 'Contact',
  contact: 'Contact',
  creator: 'Created by',
  created_at: 'Created',
  updated_at: 'Updated',
  creation_source: 'Source',
  assignees: 'Assignees',
  assigned_to_me: 'Assigned to me',
  companies: 'Companies',
  people: 'People',
  opportunities: 'Opportunities',
  people_count: 'People',
  opportunities_count: 'Opportunities',
  tasks_count: 'Tasks',
  notes_count: 'Notes',
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
export function useProperties(resource: ResourceName): Property[] {
  const fields = useAllFields()
  return useMemo(
    () =>
      propertiesOf(
        resourceIn(generalSchema, resource),
        fields.filter((field) => field.entity_type === resource),
      ),
    [resource, fields],
  )
}

/** The properties that a list of the resource can show: those of related records as well. */
export function useListProperties(resource: ResourceName): Property[] {
  const fields = useAllFields()
  return useMemo(() => listPropertiesOf(resourceIn(generalSchema, resource), fields), [resource, fields])
}
