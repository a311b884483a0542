import { creationSources } from '@kith/contract/creation-source'
import {
  EXTERNAL_ID_MAX,
  EXTERNAL_IDS_MAX,
  EXTERNAL_NAMESPACES_MAX,
  INCLUDED_MAX,
  NAME_MAX,
  PER_PAGE_MAX,
} from '@kith/contract/limits'
import {
  isToMany,
  type RelatedType,
  type Relation,
  type Resource,
  type Schema as Resources,
} from '@kith/contract/resource'
import { resourceCode } from '@kith/contract/resource-code'
import { closed, named, type Schema } from '@kith/contract/shape'
import { constant, enumOf, is, isGeneral, mapped, oneOf, orNull, relatedOne, says } from './schema.ts'

const truncated: Schema = {
  type: 'array',
  description: `Relations of which some record has more than ${INCLUDED_MAX} records. Absent where there are none.`,
  items: is.text,
  minItems: 1,
}

/** Records in answers, and the documents around them. */
export function recordSchemas(resources: Resources): Record<string, Schema> {
  const all = [...resources.values()]
  const open = isGeneral(resources)
  const related = new Set(all.flatMap(({ relations }) => Object.values(relations).map(({ to }) => to)))
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
    ...Object.fromEntries(all.flatMap(schemasOf)),
    User: recordObject('users', userAttributes, {}),
    ...(open ? { ...anyRecord, OwnRecordDocument: recordDocument('OwnRecord') } : {}),
    IncludedRecord: { anyOf: [...all.map(oneOf), 'User', ...(open ? ['OwnRecord'] : [])].map((one) => named(one)) },
    ...Object.fromEntries([...related].map((type) => [`${relatedOne(resources, type)}Identifier`, identifier(type)])),
    UserDocument: closed({ data: named('User') }),
  }
}

const userAttributes = closed(
  { name: is.text, email: { type: 'string', format: 'email' } },
  { required: [], description: 'Both are present unless `fields` chose one.' },
)

function schemasOf(resource: Resource): [string, Schema][] {
  const one = oneOf(resource)
  const open = isGeneral(resource.schema)
  const known = closed(mapped(Object.keys(resource.relations), relationshipOf(resource)), { required: [] })
  const relationships = {
    ...known,
    description: `The relations that \`include\` asked for. Absent unless it did.${open ? ' Those of reference fields come on top.' : ''}`,
    additionalProperties: open && named('Relationship'),
  }
  return [
    [one, recordObject(resource.type, named(`${one}Attributes`), { relationships: named(`${one}Relationships`) })],
    [`${one}Attributes`, attributesOf(resource)],
    [`${one}Relationships`, relationships],
    [`${one}Document`, recordDocument(one)],
  ]
}

function recordObject(type: RelatedType, attributes: Schema, more: Record<string, Schema>): Schema {
  return closed(
    { id: named('Id'), type: constant(type), attributes, ...more },
    { required: ['id', 'type', 'attributes'] },
  )
}

/** No attribute is required, because `fields` may omit any of them. */
function attributesOf(resource: Resource): Schema {
  const counts = Object.entries(resource.counts).map(([include, { attribute }]) => [
    attribute,
    says(is.whole, `Present under \`include=${include}\` only.`),
  ])
  const known = closed(
    {
      ...mapped(Object.keys(resource.attributes), (name) => attributeSchema(resource, name)),
      external_ids: named('ExternalIds', 'Present under `include=externalIds` only.'),
      custom_fields: named(`${oneOf(resource)}CustomFields`),
      ...Object.fromEntries(counts),
    },
    {
      required: [],
      description: 'All are present unless `fields` chose some; counts and external ids only when they are included.',
    },
  )
  // Relations to own resources and inverses of reference fields have counts, too.
  return { ...known, additionalProperties: isGeneral(resource.schema) && is.whole }
}

function attributeSchema(resource: Resource, name: string): Schema {
  switch (resource.attributes[name]?.kind) {
    case 'reference':
      return referenceSchema(resource, name)
    case 'source':
      return named('CreationSource')
    case 'time':
      return named('Timestamp', notes[name])
    default:
      return { type: 'string', minLength: 1, maxLength: NAME_MAX }
  }
}

const notes: Readonly<Record<string, string>> = {
  updated_at: 'Moves whenever anything of the record changes, and never otherwise.',
}

function referenceSchema(resource: Resource, key: string): Schema {
  const to = resource.references[key]?.to ?? 'users'
  const whom = to === 'users' ? 'a member of the workspace' : `a record in \`${to}\``
  return { description: `The ID of ${whom}, or \`null\`.`, ...orNull(named('Id')) }
}

function relationshipOf({ relations, schema }: Resource): (name: string) => Schema {
  return (name) => {
    const relation = relations[name]
    return closed({ data: relation ? linkageOf(relation, schema) : {} })
  }
}

function linkageOf(relation: Relation, resources: Resources): Schema {
  const one = named(`${relatedOne(resources, relation.to)}Identifier`)
  return isToMany(relation) ? { type: 'array', items: one } : orNull(one)
}

function identifier(type: RelatedType): Schema {
  return closed({ id: named('Id'), type: constant(type) })
}

/** What is related through fields and resources that a workspace has made. */
const anyRecord: Record<string, Schema> = {
  Identifier: says(closed({ id: named('Id'), type: resourceCode().schema }), 'A record or member.'),
  Relationship: closed({
    data: { anyOf: [named('Identifier'), { type: 'array', items: named('Identifier') }, { type: 'null' }] },
  }),
  OwnRecord: says(
    closed(
      {
        id: named('Id'),
        type: resourceCode().schema,
        attributes: { type: 'object', description: 'As the schema of the resource describes them.' },
        relationships: { type: 'object', additionalProperties: named('Relationship') },
      },
      { required: ['id', 'type', 'attributes'] },
    ),
    'A record of a resource that the workspace has made.',
  ),
}

function recordDocument(one: string): Schema {
  return closed({ data: named(one), included, meta: closed({ truncated }) }, { required: ['data'] })
}

/** The records that `include` adds: each related record once, complete. */
const included: Schema = {
  type: 'array',
  description: 'The related records that `include` asked for, each once. Absent unless it did.',
  items: named('IncludedRecord'),
}

const id: Schema = { type: 'string', minLength: 1, maxLength: EXTERNAL_ID_MAX }

const namespace: Schema = { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,39}$' }

const examples = [{ salesforce: ['001A0000012xyz'], billing: ['42'] }]

/** The ids that other systems have for a record, as they are read and written. */
const externalIdSchemas: Record<string, Schema> = {
  ExternalIds: {
    type: 'object',
    description: 'The ids that other systems have for this record, by namespace.',
    propertyNames: namespace,
    additionalProperties: { type: 'array', items: id, minItems: 1 },
    examples,
  },
  ExternalIdsInput: {
    type: ['object', 'null'],
    description: `Ids of other systems by namespace: one id or a list. They are compared exactly, and only one live record of the resource can have an id. A namespace that is absent is kept, \`null\` or \`[]\` clears it, and \`null\` instead of the object clears all. At most ${EXTERNAL_NAMESPACES_MAX} namespaces and ${EXTERNAL_IDS_MAX} ids.`,
    propertyNames: namespace,
    additionalProperties: { anyOf: [id, { type: 'array', items: id }, named('ListEdit'), { type: 'null' }] },
    examples,
  },
}

/** Lists, by page and by cursor. */
export function listSchemas(resources: Resources): Record<string, Schema> {
  return {
    PageLinks: closed(
      { first: url, last: url, prev: urlOrNull, next: urlOrNull },
      { title: 'By page', description: 'Addresses of other pages, with every other parameter of the request.' },
    ),
    CursorLinks: closed({ first: nothing, last: nothing, prev: urlOrNull, next: urlOrNull }, { title: 'By cursor' }),
    PageLink: closed({
      url: urlOrNull,
      label: is.text,
      page: { type: ['integer', 'null'], minimum: 1 },
      active: is.flag,
    }),
    PageMeta: closed({ ...pageMeta, truncated }, { title: 'By page', required: Object.keys(pageMeta) }),
    CursorMeta: closed({ ...cursorMeta, truncated }, { title: 'By cursor', required: Object.keys(cursorMeta) }),
    ...Object.fromEntries([...resources.values()].map((one) => [`${oneOf(one)}List`, listOf(one)])),
  }
}

const url: Schema = { type: 'string', format: 'uri' }

const urlOrNull: Schema = { type: ['string', 'null'], format: 'uri' }

const nothing: Schema = { type: 'null' }

const perPage: Schema = { type: 'integer', minimum: 1, maximum: PER_PAGE_MAX }

const pageMeta: Readonly<Record<string, Schema>> = {
  current_page: { type: 'integer', minimum: 1 },
  from: {
    type: ['integer', 'null'],
    minimum: 1,
    description: 'The place of the first record on this page in the list.',
  },
  last_page: { type: 'integer', minimum: 1 },
  links: {
    type: 'array',
    items: named('PageLink'),
    description: 'What a pager shows: previous, numbered pages, next.',
  },
  path: url,
  per_page: perPage,
  to: { type: ['integer', 'null'], minimum: 1, description: 'The place of the last record on this page in the list.' },
  total: is.whole,
}

const cursorMeta: Readonly<Record<string, Schema>> = {
  path: url,
  per_page: perPage,
  next_cursor: says(is.textOrNull, 'The `cursor` of the next page, `null` on the last.'),
  prev_cursor: says(is.textOrNull, 'The `cursor` of the previous page, `null` on the first.'),
}

function listOf(resource: Resource): Schema {
  return closed(
    {
      data: { type: 'array', items: named(oneOf(resource)), maxItems: PER_PAGE_MAX },
      included,
      links: { anyOf: [named('PageLinks'), named('CursorLinks')] },
      meta: { anyOf: [named('PageMeta'), named('CursorMeta')] },
    },
    { required: ['data', 'links', 'meta'] },
  )
}
