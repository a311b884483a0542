import { customField, schemaOptions } from './field-definition.ts'
import { OWN_RESOURCES_MAX } from './limits.ts'
import { resourceComponents, shownResource } from './own-resource.ts'
import { type ResourceName, resourceNames } from './resource.ts'
import { resourceCode } from './resource-code.ts'
import * as is from './shape.ts'

const words = (says: string) => is.list(is.text(), { says })
const related = resourceCode()

/** The operations that a name supports. */
const usable = {
  writable: is.flag('Whether it can be sent in a write.'),
  sortable: is.flag('Whether lists can be sorted by it.'),
  required: is.flag(),
  unique: is.flag('Whether no two records can have the same value.'),
  operators: words('The operators of filters. None: it cannot be filtered by.'),
} as const

/** A native attribute, or a name that only writes or filters take. */
const attributeSchema = {
  type: is.word(['id', 'text', 'reference', 'references', 'external_ids', 'choice', 'time', 'boolean']),
  readable: is.flag('Whether records show it.'),
  ...usable,
  to: is.maybe(resourceCode('What a reference points to.')),
  relation: is.maybe(is.text({ says: 'The relation that shows what it points to.' })),
  include: is.maybe(is.text({ says: 'Records show it under this `include` only. The sync form always does.' })),
  values: is.maybe(words('All values that there are.')),
} as const
export type AttributeSchema = is.Shown<typeof attributeSchema>

const relationSchema = {
  type: related,
  many: is.flag(),
  includable: is.flag('Whether `include` takes it.'),
  nested_conditions: is.flag('Whether filters take conditions on the related records.'),
  ...usable,
  written_as: is.maybe(is.text({ says: 'The key with which it is written.' })),
} as const
export type RelationSchema = is.Shown<typeof relationSchema>

const countSchema = { type: is.word(['integer']), include: is.text(), ...usable } as const
export type CountSchema = is.Shown<typeof countSchema>

const { code: _code, entity_type: _entity_type, required: _required, unique: _unique, ...defined } = customField

/** An attribute of a custom field, by reference to the definition. */
const definedSchemas = Object.fromEntries(
  Object.keys(defined).map((name) => [name, is.given(is.named(`CustomFieldAttributes/properties/${name}`))]),
)

/** The definition of a custom field, and the operations that its values support. */
const customFieldSchema = {
  id: is.id(),
  // The same keys as in the definition.
  ...(definedSchemas as typeof defined),
  options: schemaOptions,
  ...usable,
  matchable: is.flag('Whether it can be the `match.field` of an upsert.'),
  parts: is.given<Readonly<Record<string, readonly string[]>>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'The operators of parts of a value, such as the `domain` of an email address.',
  }),
} as const
export type CustomFieldSchema = is.Shown<typeof customFieldSchema>

function byName<T>(name: string, description: string) {
  return is.given<Readonly<Record<string, T>>>({ type: 'object', additionalProperties: is.named(name), description })
}

/** Everything that a workspace's records of one resource have, by name. */
export const resourceSchema = {
  version: is.whole({ from: 1, says: 'The version of the definitions: `X-Schema-Version`.' }),
  ...shownResource,
  attributes: byName<AttributeSchema>(
    'AttributeSchema',
    'Native attributes, and names that only writes or filters take.',
  ),
  relations: byName<RelationSchema>('RelationSchema', 'What `include` and filters take.'),
  counts: byName<CountSchema>('CountSchema', 'Numbers that `include` adds.'),
  custom_fields: byName<CustomFieldSchema>('CustomFieldSchema', 'The active custom fields in their order, by code.'),
} as const
export type ResourceSchema = is.Shown<typeof resourceSchema>

export type SchemaObject = { id: ResourceName; type: 'schemas'; attributes: ResourceSchema }

export const schemaFormats = ['json-schema'] as const

export const schemaComponents = {
  ...resourceComponents,
  ...is.noun('ResourceSchema', 'schemas', { shown: resourceSchema, ids: resourceCode().schema }),
  ResourceSchemaDocument: is.documentOf('ResourceSchema'),
  ResourceSchemaList: is.closed({ data: is.listSchema('ResourceSchema', resourceNames.length + OWN_RESOURCES_MAX) }),
  AttributeSchema: is.shownSchema(attributeSchema),
  RelationSchema: is.shownSchema(relationSchema),
  CountSchema: is.shownSchema(countSchema),
  CustomFieldSchema: is.shownSchema(customFieldSchema),
  JsonSchema: {
    type: 'object',
    description: 'With `format=json-schema`: a JSON Schema 2020-12 of records in the sync form.',
    properties: { $schema: is.text().schema, $id: is.text().schema },
    required: ['$schema', '$id'],
  },
}
