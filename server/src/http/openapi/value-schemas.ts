import { type ValueKind, valueKinds } from '@kith/contract/field-type'
import {
  EMAIL_MAX,
  LINK_MAX,
  OPTION_LABEL_MAX,
  OPTIONS_MAX,
  RICH_TEXT_MAX,
  TAG_MAX,
  TEXT_MAX_DEFAULT,
  TEXT_MAX_LIMIT,
  TEXTAREA_MAX,
  VALUES_MAX,
} from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { closed, named, type Schema } from '@kith/contract/shape'
import { is, listed, mapped, oneOf, orEdit, orNull, systemFields, typesOf } from './schema.ts'

/** How values of custom fields are read and written, by kind, and the objects in which records carry them. */
export function valueSchemas(): Record<string, Schema> {
  return {
    Choice: closed({ id: named('Id'), label: { type: 'string', maxLength: OPTION_LABEL_MAX } }),
    ...Object.fromEntries(valueKinds.map((kind) => [`${kind}Value`, titled(kind, reads[kind])])),
    CustomFieldValue: union('Value', 'The value of a custom field, in the form of its type.'),
    ...Object.fromEntries(valueKinds.map((kind) => [`${kind}Input`, titled(kind, writes[kind])])),
    CustomFieldInput: union('Input', 'What a custom field is set to, in any form that its type takes.'),
    ...Object.fromEntries(Object.values(registry).flatMap(customFields)),
  }
}

function titled(kind: ValueKind, schema: Schema): Schema {
  return { title: typesOf(kind).join(', '), ...schema }
}

function union(suffix: 'Value' | 'Input', description: string): Schema {
  return { description, anyOf: valueKinds.map((kind) => named(kind + suffix)) }
}

function customFields(resource: Resource): [string, Schema][] {
  const system = systemFields(resource.type)
  const codes = [...system.keys()]
  const keyed = (suffix: 'Value' | 'Input', description: string): Schema => ({
    type: 'object',
    description,
    properties: mapped(codes, (code) => named(`${system.get(code)}${suffix}`)),
    additionalProperties: named(`CustomField${suffix}`),
  })
  const always = `Every workspace has ${listed(codes)}; \`GET /v1/custom-fields\` lists the others.`
  const one = oneOf(resource.type)
  return [
    [
      `${one}CustomFields`,
      keyed(
        'Value',
        `The value of every active custom field, by its code. What is unset is \`null\`, or \`[]\` for lists. ${always}`,
      ),
    ],
    [
      `${one}CustomFieldsInput`,
      keyed('Input', `Values by the code of their field. What is absent is kept, \`null\` clears. ${always}`),
    ],
  ]
}

const strings: Schema = { type: 'array', items: is.text, maxItems: VALUES_MAX }
const option: Schema = {
  anyOf: [
    { type: 'string', description: 'The label of an option, in any letter case, or its ID.' },
    closed(
      { id: named('Id'), label: is.text, color: is.textOrNull },
      { required: ['id'], description: 'The form in which options are read. Only its `id` counts.' },
    ),
  ],
}

const reads: Readonly<Record<ValueKind, Schema>> = {
  Text: { type: ['string', 'null'], maxLength: TEXT_MAX_LIMIT },
  LongText: { type: ['string', 'null'], maxLength: RICH_TEXT_MAX, description: 'A rich-text is Markdown.' },
  Number: { type: ['number', 'null'] },
  Date: { type: ['string', 'null'], format: 'date', examples: ['2026-11-14'] },
  DateTime: orNull(named('Timestamp')),
  Boolean: { type: ['boolean', 'null'] },
  Choice: orNull(named('Choice')),
  Choices: { type: 'array', items: named('Choice'), maxItems: OPTIONS_MAX },
  Tags: { ...strings, items: { type: 'string', minLength: 1, maxLength: TAG_MAX } },
  Emails: { ...strings, description: 'Addresses as they were typed.', examples: [['ada@example.com']] },
  Phones: {
    type: 'array',
    items: { type: 'string', pattern: '^\\+[0-9]+(;ext=[0-9]+)?$' },
    maxItems: VALUES_MAX,
    description: 'Numbers in E.164.',
    examples: [['+14155550100']],
  },
  Links: {
    ...strings,
    description: 'Web addresses, scheme and host lower-cased, without a slash at the end.',
    examples: [['https://www.linkedin.com/company/acme']],
  },
  Domains: {
    ...strings,
    description: 'Bare hosts: lower-case, without `www.`, international names in punycode.',
    examples: [['acme.com']],
  },
  Reference: {
    anyOf: [named('Identifier'), { type: 'array', items: named('Identifier'), maxItems: VALUES_MAX }, { type: 'null' }],
    description: 'A record or member, or a list of them where the field is multiple. Deleted records are left out.',
  },
}

const writes: Readonly<Record<ValueKind, Schema>> = {
  Text: {
    type: ['string', 'null'],
    maxLength: TEXT_MAX_LIMIT,
    description: `At most ${TEXT_MAX_DEFAULT} characters unless the field's \`max_length\` says otherwise.`,
  },
  LongText: {
    type: ['string', 'null'],
    maxLength: RICH_TEXT_MAX,
    description: `A textarea takes at most ${TEXTAREA_MAX} characters, a rich-text (Markdown) ${RICH_TEXT_MAX}.`,
  },
  Number: {
    type: ['number', 'string', 'null'],
    description: 'A number, or text that is one. A currency takes as many decimals as the field says (2 by default).',
  },
  Date: { type: ['string', 'null'], format: 'date', examples: ['2026-11-14'] },
  DateTime: {
    type: ['string', 'null'],
    description: 'ISO 8601. Without an offset it is UTC, without a time it is midnight.',
    examples: ['2026-11-14T10:30:00+01:00'],
  },
  Boolean: { type: ['boolean', 'null'] },
  Choice: { ...orNull(option), examples: ['Proposal'] },
  Choices: orEdit({ type: ['array', 'null'], items: option, maxItems: OPTIONS_MAX }),
  Tags: listOrOne(`At most ${TAG_MAX} characters each, kept as typed.`),
  Emails: listOrOne(`At most ${EMAIL_MAX} characters each.`, 'ada@example.com'),
  Phones: listOrOne('Any format with a country code.', '+1 (415) 555-0100'),
  Links: listOrOne(
    `http or https, with or without the scheme, at most ${LINK_MAX} characters each.`,
    'linkedin.com/company/acme',
  ),
  Domains: listOrOne('A host or the address of a website under it.', 'https://www.acme.com/about'),
  Reference: {
    anyOf: [
      named('NamedRecord'),
      { type: 'array', items: named('NamedRecord'), maxItems: VALUES_MAX },
      named('ListEdit'),
      { type: 'null' },
    ],
    description: 'A record or member by its ID, as it is read, or by a look-up. A list where the field is multiple.',
  },
}

function listOrOne(description: string, example?: string): Schema {
  return orEdit({
    type: ['array', 'string', 'null'],
    items: is.text,
    maxItems: VALUES_MAX,
    description: `A list, or one value. ${description}`,
    ...(example === undefined ? {} : { examples: [[example]] }),
  })
}
