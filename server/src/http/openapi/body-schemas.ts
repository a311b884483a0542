import { fieldTypes } from '@kith/contract/field-types'
import {
  EMAIL_MAX,
  IDS_IN_LIST_MAX,
  MATCH_VALUE_MAX,
  NAME_MAX,
  PAGE_MAX,
  PER_PAGE_DEFAULT,
  PER_PAGE_MAX,
} from '@kith/contract/limits'
import { readOnlyKeys } from '@kith/contract/record-input'
import { includeNames, type Resource, type Schema as Resources } from '@kith/contract/resource'
import { closed, named, type Schema, sentSchema } from '@kith/contract/shape'
import { summaryInput } from '@kith/contract/summary'
import { eventComponents } from '@kith/contract/webhooks/event'
import type { DescribedRoute } from '../v1/routes.ts'
import {
  bytesBody,
  enumOf,
  is,
  isGeneral,
  JSON_API,
  JSON_ONLY,
  listed,
  mapped,
  oneOf,
  orEdit,
  orNull,
  says,
  shown,
  textBody,
} from './schema.ts'

/** Bodies that can be left out. */
function optionalBodies(ones: readonly string[]): ReadonlySet<string> {
  const ofRecords = ones.flatMap((one) => ['Update', 'Query', 'SummaryQuery'].map((body) => one + body))
  return new Set([...ofRecords, 'WebhookRotate', 'ChangeUndo', 'FileUpdate', 'CommentUpdate'])
}

const importFile = {
  required: true,
  content: {
    'text/csv': textBody('name,domains\nAcme,acme.com\n'),
    'application/x-ndjson': textBody('{"name":"Acme","custom_fields":{"domains":["acme.com"]}}\n'),
  },
}

/** Bodies that are no JSON. */
const files: Readonly<Record<string, Schema>> = {
  ImportFile: importFile,
  FileContent: { required: true, content: { 'application/octet-stream': bytesBody } },
}

/** The request body of every route that takes one, by the name of its schema, and the bodies that Kith sends. */
export function bodyParts(routes: readonly DescribedRoute[], resources: Resources): Record<string, Schema> {
  const names = new Set(routes.flatMap(({ text }) => text.body ?? []))
  const ones = [...resources.values()].map(oneOf)
  const optional = optionalBodies(ones)
  const creates = new Set(ones.map((one) => `${one}Create`))
  const bodyNamed = (name: string): Schema => {
    const examples = creates.has(name) ? [name, `${name}Linked`] : [name]
    return { required: !optional.has(name), content: mapped([JSON_ONLY, JSON_API], () => shown(name, examples)) }
  }
  return {
    ...mapped([...names], (name) => files[name] ?? bodyNamed(name)),
    ...mapped(Object.keys(eventComponents), (name) => ({ required: true, content: { [JSON_ONLY]: shown(name) } })),
  }
}

export function bodySchemas(resources: Resources): Record<string, Schema> {
  return {
    Match: matchBy(is.text),
    RecordByMatch: closed(
      {
        match: named('Match'),
        create: {
          type: 'object',
          description: 'The attributes of a new record, which is created with the value if no record holds it.',
        },
      },
      {
        required: ['match'],
        description:
          'The one record that holds a value, by the rules of an upsert. Several, or none without `create`: 422.',
      },
    ),
    MemberByEmail: closed(
      { email: { type: 'string', maxLength: EMAIL_MAX } },
      { description: 'The member with this email address, in any letter case.' },
    ),
    ListEdit: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      description:
        'Instead of a list: items to remove from it, and then items to add at its end. Others that the list has stay. A new record only gets those of `$add`.',
      properties: mapped(['$add', '$remove'], () => ({ type: 'array', items: { description: 'As in the list.' } })),
      examples: [{ $add: ['VIP'], $remove: ['Lead'] }],
    },
    ...(isGeneral(resources) ? { NamedRecord: namedRecord } : {}),
    ...Object.fromEntries([...resources.values()].flatMap(bodiesOf)),
  }
}

const namedRecord: Schema = {
  description: 'What names a record or a member in a reference field.',
  anyOf: [named('Id'), named('Identifier'), named('RecordByMatch'), named('MemberByEmail')],
}

function bodiesOf(resource: Resource): [string, Schema][] {
  const one = oneOf(resource)
  const properties = writtenKeys(resource)
  return [
    [`${one}Create`, createOf(resource, properties)],
    [
      `${one}Update`,
      closed(properties, { required: [], description: 'What is absent is kept; `null` clears what can be empty.' }),
    ],
    [`${one}Upsert`, closed({ match: matchOf(resource), ...properties }, { required: ['match', resource.label] })],
    [`${one}Query`, queryOf(resource)],
    [`${one}SummaryQuery`, sentSchema(summaryInput(named(`${one}Filter`)), { required: [] })],
  ]
}

/** A new record must have values in the fields that the workspace has marked required. */
function createOf(resource: Resource, properties: Readonly<Record<string, Schema>>): Schema {
  const codes = resource.fields.list.filter((field) => field.required).map((field) => field.code)
  if (codes.length === 0) return closed(properties, { required: [resource.label] })
  const whole = { type: 'object', properties: mapped(codes, () => ({})), required: codes }
  const custom_fields = { allOf: [properties.custom_fields, whole] }
  return closed({ ...properties, custom_fields }, { required: [resource.label, 'custom_fields'] })
}

/** What identifies the record of an upsert. A workspace has told which fields are unique. */
function matchOf({ fields, schema }: Resource): Schema {
  if (isGeneral(schema)) return named('Match')
  const codes = fields.list.filter((field) => field.unique && fieldTypes[field.type].textLike).map(({ code }) => code)
  const external = { type: 'string', pattern: '^external_ids\\.' }
  return matchBy(codes.length === 0 ? external : { anyOf: [enumOf(codes), external] })
}

function matchBy(field: Schema): Schema {
  const value = {
    type: 'string',
    minLength: 1,
    maxLength: MATCH_VALUE_MAX,
    description:
      'The value to look for: in any letter case, also inside fields of several values. An external id: exactly.',
  }
  const described = 'The code of a unique custom field whose values are text, or `external_ids.<namespace>`.'
  return closed({ field: says(field, described), value }, { description: 'What identifies the record.' })
}

function writtenKeys(resource: Resource): Record<string, Schema> {
  return {
    [resource.label]: { type: 'string', minLength: 1, maxLength: NAME_MAX },
    ...mapped(Object.keys(resource.references), (key) => referenceInput(resource, key)),
    ...Object.fromEntries(Object.entries(resource.links).map(([key, { to }]) => [key, linkList(to)])),
    external_ids: named('ExternalIdsInput'),
    custom_fields: named(`${oneOf(resource)}CustomFieldsInput`),
    ...mapped(readOnlyKeys(resource), () => ({
      readOnly: true,
      description: 'Accepted and ignored, so that what was read can be sent back.',
    })),
  }
}

/** A reference in a write, which may also be named by something other than the ID. */
function referenceInput(resource: Resource, key: string): Schema {
  const to = resource.references[key]?.to ?? 'users'
  const whom = to === 'users' ? 'a member of the workspace' : `a record in \`${to}\``
  return { description: `The ID of ${whom}, what names it, or \`null\`.`, ...orNull(namedSchema(to)) }
}

/** The names of a record or a member in a write. */
export function namedSchema(to: string): Schema {
  return { anyOf: [named('Id'), named(to === 'users' ? 'MemberByEmail' : 'RecordByMatch')] }
}

function linkList(to: string): Schema {
  const whose = to === 'users' ? 'members of the workspace' : `records in \`${to}\``
  return orEdit({
    type: ['array', 'null'],
    items: namedSchema(to),
    maxItems: IDS_IN_LIST_MAX,
    description: `The IDs of ${whose}, or what names them. A list replaces the one before; \`[]\` and \`null\` remove all.`,
  })
}

function queryOf(resource: Resource): Schema {
  const names: Schema = { type: ['string', 'array', 'null'], items: is.text }
  return closed(
    {
      filter: orNull(named(`${oneOf(resource)}Filter`)),
      sort: says(names, 'Names joined by commas, as on the list, or a list of names.'),
      include: says(names, `Joined by commas or as a list: ${listed(includeNames(resource))}.`),
      fields: {
        type: ['string', 'array', 'object', 'null'],
        description: 'Attributes to show, joined by commas or as a list; or an object of these by type.',
        items: is.text,
        additionalProperties: names,
      },
      // Not `default`: generators treat properties with a default as required.
      per_page: {
        type: ['integer', 'null'],
        minimum: 1,
        maximum: PER_PAGE_MAX,
        description: `${PER_PAGE_DEFAULT} unless sent.`,
      },
      page: { type: ['integer', 'null'], minimum: 1, maximum: PAGE_MAX, description: '1 unless sent.' },
      cursor: {
        type: ['string', 'boolean', 'null'],
        description: '`"true"` for the first page, then the `meta.next_cursor` of the previous page.',
      },
    },
    { required: [], description: 'The parameters of the list, as JSON.' },
  )
}
