import { creationSources } from '@kith/contract/creation-source'
import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { NAME_MAX } from '@kith/contract/limits'
import { sortNames } from '@kith/contract/list-query'
import { EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import type { AttributeSchema, RelationSchema } from '@kith/contract/schema'
import { definitionsOf } from '../fields/definitions.ts'
import { describeSchema } from '../fields/read-schema.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Scope } from '../scope/scope.ts'

type Described = ReturnType<typeof described>

/** What a caller needs to read, filter and write records of a resource in this workspace. */
export async function describeResource(scope: Scope, resource: Resource): Promise<Described> {
  requireAbilities(scope, ['read'])
  return described(resource, await definitionsOf(scope))
}

function described(resource: Resource, definitions: Definitions) {
  const fields = definitions[resource.type]
  const schema = describeSchema(resource, fields, 0)
  const matching = Object.entries(schema.custom_fields).filter(([, { matchable }]) => matchable)
  return {
    resource: resource.type,
    one: resource.one,
    attributes: Object.entries(schema.attributes).map(describeAttribute),
    relations: Object.entries(schema.relations).map(describeRelation),
    counts: Object.keys(resource.counts),
    custom_fields: fields.list.map(describeField),
    sort: sortNames(resource, fields),
    upsert_match: [...matching.map(([code]) => code), `${EXTERNAL_IDS}.<namespace>`],
    examples: examplesFor(resource, fields.list),
  }
}

const SOURCES = `how the record was created: ${creationSources.slice(0, -1).join(', ')} or ${creationSources.at(-1)}`

const IDS =
  'ids of other systems: an object of lists by namespace, such as {"salesforce": ["001A"]}. Sent: one id or a list ' +
  'for each namespace; an absent one stays, null clears. Read with include: externalIds. Filters name the namespace: ' +
  '{"external_ids": {"salesforce": {"$has_any": ["001A"]}}}'

/** What values an attribute has, in words. */
const types: Readonly<Record<AttributeSchema['type'], (attribute: AttributeSchema) => string>> = {
  id: () => 'ID, set by the service',
  text: () => `text of 1 to ${NAME_MAX} characters, required`,
  reference: ({ to }) => `ID of one of ${to}, or null`,
  references: ({ to, relation }) => `list of IDs of ${to}; read it as the relation ${relation}`,
  external_ids: () => IDS,
  choice: () => SOURCES,
  time: () => 'UTC time, ISO 8601',
  boolean: () => 'true or false, in filters only',
}

function describeAttribute([name, attribute]: [string, AttributeSchema]) {
  const { type, writable: written, readable: read, operators } = attribute
  return { name, type: types[type](attribute), written, read, operators }
}

function describeRelation([name, relation]: [string, RelationSchema]) {
  const { type: to, many, operators, nested_conditions, includable: included } = relation
  return { name, to, many, operators, nested_conditions, included }
}

function describeField(field: FieldDefinition) {
  const { operators, hosts, sortable, example } = fieldTypes[field.type]
  const { value, filter } = example(field)
  return {
    code: field.code,
    name: field.name,
    type: field.type,
    description: field.description,
    required: field.required,
    unique: field.unique,
    multiple: field.multiple,
    max_values: field.max_values,
    options: field.options.map(({ id, label }) => ({ id, label })),
    settings: field.settings,
    operators: hosts ? [...operators, 'domain ($in, $not_in)'] : [...operators],
    sortable,
    example_value: value,
    example_filter: { custom_fields: { [field.code]: filter } },
  }
}

function examplesFor(resource: Resource, fields: readonly FieldDefinition[]) {
  const few = fields.slice(0, 3)
  const custom_fields = Object.fromEntries(
    few.map((field) => [field.code, fieldTypes[field.type].example(field).value]),
  )
  const [first] = few
  const about = first ? { custom_fields: { [first.code]: fieldTypes[first.type].example(first).filter } } : {}
  return {
    create_record: { resource: resource.type, attributes: { [resource.label]: 'Acme', custom_fields } },
    list_records: {
      resource: resource.type,
      filter: { [resource.label]: { $contains: 'acme' }, ...about },
      sort: '-updated_at',
      include: Object.keys(resource.relations).slice(1, 2),
    },
  }
}
