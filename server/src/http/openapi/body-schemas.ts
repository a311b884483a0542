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
import { registry } from '@kith/contract/registry'
import { includeNames, type Resource } from '@kith/contract/resource'
import { closed, named, type Schema, sentSchema } from '@kith/contract/shape'
import { summaryInput } from '@kith/contract/summary'
import { eventComponents } from '@kith/contract/webhooks/event'
import { textOf, v1Routes } from '../v1/routes.ts'
import {
  bytesBody,
  is,
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
const optional = new Set([
  ...Object.values(registry).flatMap(({ type }) =>
    ['Update', 'Query', 'SummaryQuery'].map((body) => oneOf(type) + body),
  ),
  'WebhookRotate',
  'ChangeUndo',
  'FileUpdate',
])

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
export function bodyParts(): Record<string, Schema> {
  const names = new Set(v1Routes.flatMap((route) => textOf(route).body ?? []))
  return {
    ...mapped([...names], (name) => files[name] ?? bodyNamed(name)),
    ...mapped(Object.keys(eventComponents), (name) => ({ required: true, content: { [JSON_ONLY]: shown(name) } })),
  }
}

function bodyNamed(name: string): Schema {
  const isCreate = Object.values(registry).some(({ type }) => name === `${oneOf(type)}Create`)
  const content = mapped([JSON_ONLY, JSON_API], () => shown(name, isCreate ? [name, `${name}Linked`] : [name]))
  return { required: !optional.has(name), content }
}

export function bodySchemas(): Record<string, Schema> {
  return {
    Match: closed(
      {
        field: says(is.text, 'The code of a unique custom field whose values are text, or `external_ids.<namespace>`.'),
        value: {
          type: 'string',
          minLength: 1,
          maxLength: MATCH_VALUE_MAX,
          description:
            'The value to look for: in any letter case, also inside fields of several values. An external id: exactly.',
        },
      },
      { description: 'What identifies the record.' },
    ),
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
    NamedRecord: {
      description: 'What names a record or a member in a reference field.',
      anyOf: [named('Id'), named('Identifier'), named('RecordByMatch'), named('MemberByEmail')],
    },
    ...Object.fromEntries(Object.values(registry).flatMap(bodiesOf)),
  }
}

function bodiesOf(resource: Resource): [string, Schema][] {
  const one = oneOf(resource.type)
  const properties = writtenKeys(resource)
  return [
    [`${one}Create`, closed(properties, { required: [resource.label] })],
    [
      `${one}Update`,
      closed(properties, { required: [], description: 'What is absent is kept; `null` clears what can be empty.' }),
    ],
    [`${one}Upsert`, closed({ match: named('Match'), ...properties }, { required: ['match', resource.label] })],
    [`${one}Query`, queryOf(resource)],
    [`${one}SummaryQuery`, sentSchema(summaryInput(named(`${one}Filter`)), { required: [] })],
  ]
}

function writtenKeys(resource: Resource): Record<string, Schema> {
  return {
    [resource.label]: { type: 'string', minLength: 1, maxLength: NAME_MAX },
    ...mapped(Object.keys(resource.references), (key) => referenceInput(resource, key)),
    ...Object.fromEntries(Object.entries(resource.links).map(([key, { to }]) => [key, linkList(to)])),
    external_ids: named('ExternalIdsInput'),
    custom_fields: named(`${oneOf(resource.type)}CustomFieldsInput`),
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
      filter: orNull(named(`${oneOf(resource.type)}Filter`)),
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
