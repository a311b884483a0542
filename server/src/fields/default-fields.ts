import type { FieldDefinition, FieldOption } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { newId } from '@kith/contract/id'
import { VALUES_DEFAULT } from '@kith/contract/limits'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { noteStartingFields } from '../audit/audit-field.ts'
import type { Scope } from '../scope/scope.ts'
import { findAllFields, insertFields } from '../storage/tables/custom-fields.ts'
import { usualCount, usualSettings } from './draft.ts'
import { isSearched } from './field-types.ts'
import type { OptionColor } from './options.ts'

/** Creates the starting fields of every resource that has no fields in this workspace yet. */
export async function createDefaultFields(inside: Scope): Promise<void> {
  const at = inside.now()
  const known = new Set((await findAllFields(inside)).map((field) => field.entity_type))
  const missing = resourceNames.filter((resource) => !known.has(resource))
  if (missing.length === 0) return
  const fields = missing.flatMap((resource) =>
    startingFields[resource].map((field, index) => rowOf(field, { resource, position: index + 1, at })),
  )
  await insertFields(inside, fields)
  await noteStartingFields(inside, fields)
  const searched = fields.filter((field) => isSearched(field.type)).map((field) => field.id)
  await inside.engine.search.addFields(inside.db, inside.workspace.id, searched)
}

type Placed = { resource: ResourceName; position: number; at: Date }

function rowOf({ code, name, type, ...field }: StartingField, { resource, position, at }: Placed): FieldDefinition {
  const count = field.identifying ? { multiple: true, max_values: VALUES_DEFAULT } : usualCount(type)
  return {
    id: newId(at.getTime()),
    key: code,
    entity_type: resource,
    code,
    name,
    type,
    description: null,
    required: false,
    unique: field.identifying ?? false,
    ...count,
    position,
    system: field.system ?? false,
    settings: usualSettings(type),
    options: optionsOf(field.options ?? {}, at),
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
  }
}

function optionsOf(colors: Readonly<Record<string, OptionColor>>, at: Date): FieldOption[] {
  return Object.entries(colors).map(([label, color]) => ({ id: newId(at.getTime()), label, color }))
}

type StartingField = {
  code: string
  name: string
  type: FieldTypeName
  system?: true
  /** Takes several values, none of which two records may share. */
  identifying?: true
  options?: Readonly<Record<string, OptionColor>>
}

const stages = {
  Prospecting: 'gray',
  Qualification: 'blue',
  'Needs Analysis': 'indigo',
  'Value Proposition': 'purple',
  'Decision Makers': 'pink',
  'Perception Analysis': 'orange',
  Proposal: 'amber',
  Negotiation: 'teal',
  'Closed Won': 'green',
  'Closed Lost': 'red',
} as const

/** The fields that every workspace starts with. System fields cannot be archived or deleted. */
export const startingFields: Readonly<Record<ResourceName, readonly StartingField[]>> = {
  companies: [
    { code: 'domains', name: 'Domains', type: 'domain', system: true, identifying: true },
    { code: 'linkedin', name: 'LinkedIn', type: 'link' },
    { code: 'icp', name: 'ICP', type: 'toggle' },
  ],
  people: [
    { code: 'emails', name: 'Emails', type: 'email', system: true, identifying: true },
    { code: 'phone_number', name: 'Phone number', type: 'phone' },
    { code: 'job_title', name: 'Job title', type: 'text' },
    { code: 'linkedin', name: 'LinkedIn', type: 'link' },
  ],
  opportunities: [
    { code: 'stage', name: 'Stage', type: 'select', system: true, options: stages },
    { code: 'amount', name: 'Amount', type: 'currency', system: true },
    { code: 'close_date', name: 'Close date', type: 'date', system: true },
  ],
  tasks: [
    {
      code: 'status',
      name: 'Status',
      type: 'select',
      system: true,
      options: { 'To do': 'gray', 'In progress': 'blue', Done: 'green' },
    },
    {
      code: 'priority',
      name: 'Priority',
      type: 'select',
      system: true,
      options: { Low: 'gray', Medium: 'amber', High: 'red' },
    },
    { code: 'due_date', name: 'Due date', type: 'date-time', system: true },
    { code: 'description', name: 'Description', type: 'rich-text' },
  ],
  notes: [{ code: 'body', name: 'Body', type: 'rich-text', system: true }],
}
