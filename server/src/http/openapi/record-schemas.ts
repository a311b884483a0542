import { creationSources } from '@kith/contract/creation-source'
import { INCLUDED_MAX, NAME_MAX } from '@kith/contract/limits'
import { resources } from '@kith/contract/registry'
import { isToMany, type RelatedType, type Relation, type Resource } from '@kith/contract/resource'
import { externalIdSchemas } from './external-id-schemas.ts'
import { oneOf } from './names.ts'
import { closed, constant, enumOf, is, mapped, orNull, ref, type Schema, says } from './schema.ts'

export const truncated: Schema = {
  type: 'array',
  description: `Relations of which some record has more than ${INCLUDED_MAX} records. Absent where there are none.`,
  items: is.text,
  minItems: 1,
}

/** What some relation points to. */
const relatedTypes: ReadonlySet<RelatedType> = new Set(
  resources.flatMap(({ relations }) => Object.values(relations).map((relation) => relation.to)),
)

/** Records as answers show them, and the documents around them. */
export function recordSchemas(): Record<string, Schema> {
  return {
    Id: {
      type: 'string',
      pattern: '^[0-7][0-9a-hjkmnp-tv-z]{25}$',
      description: 'A lower-case ULID. Where IDs are sent, they are accepted in any letter case.',
    },
    Timestamp: {
      type: 'string',
      format: 'date-time',
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
      description: 'UTC, ISO 8601, three fractional digits.',
      examples: ['2026-11-14T09:30:00.125Z'],
    },
    CreationSource: says(enumOf(creationSources), 'How the record was created. Set by the system, never changes.'),
    ...externalIdSchemas,
    ...Object.fromEntries(resources.flatMap(schemasOf)),
    User: recordObject('users', userAttributes, {}),
    ...Object.fromEntries([...relatedTypes].map((type) => [`${oneOf(type)}Identifier`, identifier(type)])),
    UserDocument: closed({ data: ref('User') }),
  }
}

const userAttributes = closed(
  { name: is.text, email: { type: 'string', format: 'email' } },
  { required: [], description: 'Both are present unless `fields` chose one.' },
)

function schemasOf(resource: Resource): [string, Schema][] {
  const one = oneOf(resource.type)
  const relationships = closed(mapped(Object.keys(resource.relations), relationshipOf(resource)), {
    required: [],
    description: 'The relations that `include` asked for. Absent unless it did.',
  })
  return [
    [one, recordObject(resource.type, ref(`${one}Attributes`), { relationships: ref(`${one}Relationships`) })],
    [`${one}Attributes`, attributesOf(resource)],
    [`${one}Relationships`, relationships],
    [`${one}Document`, documentOf(resource)],
  ]
}

function recordObject(type: RelatedType, attributes: Schema, more: Record<string, Schema>): Schema {
  return closed(
    { id: ref('Id'), type: constant(type), attributes, ...more },
    { required: ['id', 'type', 'attributes'] },
  )
}

/** Nothing is required of attributes, because `fields` may leave out any of them. */
function attributesOf(resource: Resource): Schema {
  const counts = Object.entries(resource.counts).map(([include, { attribute }]) => [
    attribute,
    says(is.whole, `Present under \`include=${include}\` only.`),
  ])
  return closed(
    {
      ...mapped(Object.keys(resource.attributes), (name) => attributeSchema(resource, name)),
      external_ids: ref('ExternalIds', { description: 'Present under `include=externalIds` only.' }),
      custom_fields: ref(`${oneOf(resource.type)}CustomFields`),
      ...Object.fromEntries(counts),
    },
    {
      required: [],
      description: 'All are present unless `fields` chose some; counts and external ids only when they are included.',
    },
  )
}

function attributeSchema(resource: Resource, name: string): Schema {
  switch (resource.attributes[name]?.kind) {
    case 'reference':
      return referenceSchema(resource, name)
    case 'source':
      return ref('CreationSource')
    case 'time':
      return ref('Timestamp', notes[name])
    default:
      return { type: 'string', minLength: 1, maxLength: NAME_MAX }
  }
}

const notes: Readonly<Record<string, Schema>> = {
  updated_at: { description: 'Moves whenever anything of the record changes, and never otherwise.' },
}

function referenceSchema(resource: Resource, key: string): Schema {
  const to = resource.references[key]?.to ?? 'users'
  const whom = to === 'users' ? 'a member of the workspace' : `a record in \`${to}\``
  return { description: `The ID of ${whom}, or \`null\`.`, ...orNull(ref('Id')) }
}

function relationshipOf({ relations }: Resource): (name: string) => Schema {
  return (name) => {
    const relation = relations[name]
    return closed({ data: relation ? linkageOf(relation) : {} })
  }
}

function linkageOf(relation: Relation): Schema {
  const one = ref(`${oneOf(relation.to)}Identifier`)
  return isToMany(relation) ? { type: 'array', items: one } : orNull(one)
}

function identifier(type: RelatedType): Schema {
  return closed({ id: ref('Id'), type: constant(type) })
}

function documentOf(resource: Resource): Schema {
  const data = ref(oneOf(resource.type))
  const included = includedOf(resource)
  const many = Object.values(resource.relations).some(isToMany)
  return closed(many ? { data, included, meta: closed({ truncated }) } : { data, included }, { required: ['data'] })
}

/** What `include` adds: each related record once, complete. */
export function includedOf({ relations }: Resource): Schema {
  const types = [...new Set(Object.values(relations).map((relation) => relation.to))]
  const schemas = types.map((type) => ref(oneOf(type)))
  return {
    type: 'array',
    description: 'The related records that `include` asked for, each once. Absent unless it did.',
    items: schemas.length === 1 ? (schemas[0] ?? {}) : byType(types),
  }
}

function byType(types: readonly RelatedType[]): Schema {
  const mapping = Object.fromEntries(types.map((type) => [type, `#/components/schemas/${oneOf(type)}`]))
  return { oneOf: types.map((type) => ref(oneOf(type))), discriminator: { propertyName: 'type', mapping } }
}
