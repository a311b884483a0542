import { customField } from './field-definition.ts'
import { type RelatedType, type ResourceName, resourceNames } from './resource.ts'
import { flag, given, id, list, maybe, named, type Shown, text, whole, word } from './shape.ts'

const words = (says: string) => list(text(), { says })
const related = word<RelatedType>([...resourceNames, 'users'])

/** The operations that a name supports. */
const usable = {
  writable: flag('Whether it can be sent in a write.'),
  sortable: flag('Whether lists can be sorted by it.'),
  required: flag(),
  unique: flag('Whether no two records can have the same value.'),
  operators: words('The operators of filters. None: it cannot be filtered by.'),
} as const

/** A native attribute, or a name that only writes or filters take. */
export const attributeSchema = {
  type: word(['id', 'text', 'reference', 'references', 'external_ids', 'choice', 'time', 'boolean']),
  readable: flag('Whether records show it.'),
  ...usable,
  to: maybe(word<RelatedType>([...resourceNames, 'users'], 'What a reference points to.')),
  relation: maybe(text({ says: 'The relation that shows what it points to.' })),
  include: maybe(text({ says: 'Records show it under this `include` only. The sync form always does.' })),
  values: maybe(words('All values that there are.')),
} as const
export type AttributeSchema = Shown<typeof attributeSchema>

export const relationSchema = {
  type: related,
  many: flag(),
  includable: flag('Whether `include` takes it.'),
  nested_conditions: flag('Whether filters take conditions on the related records.'),
  ...usable,
  written_as: maybe(text({ says: 'The key with which it is written.' })),
} as const
export type RelationSchema = Shown<typeof relationSchema>

export const countSchema = { type: word(['integer']), include: text(), ...usable } as const
export type CountSchema = Shown<typeof countSchema>

const { code: _code, entity_type: _entity_type, required: _required, unique: _unique, ...defined } = customField

/** An attribute of a custom field, by reference to the definition. */
const definedSchemas = Object.fromEntries(
  Object.keys(defined).map((name) => [name, given(named(`CustomFieldAttributes/properties/${name}`))]),
)

/** The definition of a custom field, and the operations that its values support. */
export const customFieldSchema = {
  id: id(),
  // The same keys as in the definition.
  ...(definedSchemas as typeof defined),
  ...usable,
  matchable: flag('Whether it can be the `match.field` of an upsert.'),
  parts: given<Readonly<Record<string, readonly string[]>>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'The operators of parts of a value, such as the `domain` of an email address.',
  }),
} as const
export type CustomFieldSchema = Shown<typeof customFieldSchema>

function byName<T>(name: string, description: string) {
  return given<Readonly<Record<string, T>>>({ type: 'object', additionalProperties: named(name), description })
}

/** Everything that a workspace's records of one resource have, by name. */
export const resourceSchema = {
  version: whole({ from: 1, says: 'The version of the definitions: `X-Schema-Version`.' }),
  attributes: byName<AttributeSchema>(
    'AttributeSchema',
    'Native attributes, and names that only writes or filters take.',
  ),
  relations: byName<RelationSchema>('RelationSchema', 'What `include` and filters take.'),
  counts: byName<CountSchema>('CountSchema', 'Numbers that `include` adds.'),
  custom_fields: byName<CustomFieldSchema>('CustomFieldSchema', 'The active custom fields in their order, by code.'),
} as const
export type ResourceSchema = Shown<typeof resourceSchema>

export type SchemaObject = { id: ResourceName; type: 'schemas'; attributes: ResourceSchema }

export const schemaFormats = ['json-schema'] as const
