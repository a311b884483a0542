import type { FieldDefinition } from '@kith/contract/field-definition'
import { type ValueKind, valueKinds } from '@kith/contract/field-type'
import { fieldTypes, isList } from '@kith/contract/field-types'
import { heldOptions } from '@kith/contract/field-types/choice'
import { mostOf, targetOf } from '@kith/contract/field-types/reference'
import { fold } from '@kith/contract/fold'
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
import type { Resource, Schema as Resources } from '@kith/contract/resource'
import { closed, named, type Schema } from '@kith/contract/shape'
import {
  enumOf,
  is,
  isGeneral,
  listed,
  mapped,
  oneOf,
  orEdit,
  orNull,
  relatedOne,
  says,
  systemFields,
  typesOf,
} from './schema.ts'

/** How values of custom fields are read and written, by kind. A workspace has a form for each field instead. */
export function valueSchemas(resources: Resources): Record<string, Schema> {
  if (!isGeneral(resources)) return {}
  return {
    Choice: closed({ id: named('Id'), label: { type: 'string', maxLength: OPTION_LABEL_MAX } }),
    ...Object.fromEntries(valueKinds.map((kind) => [`${kind}Value`, titled(kind, reads[kind])])),
    CustomFieldValue: union('Value', 'The value of a custom field, in the form of its type.'),
    ...Object.fromEntries(valueKinds.map((kind) => [`${kind}Input`, titled(kind, writes[kind])])),
    CustomFieldInput: union('Input', 'What a custom field is set to, in any form that its type takes.'),
  }
}

function titled(kind: ValueKind, schema: Schema): Schema {
  return { title: typesOf(kind).join(', '), ...schema }
}

function union(suffix: 'Value' | 'Input', description: string): Schema {
  return { description, anyOf: valueKinds.map((kind) => named(kind + suffix)) }
}

/** The objects in which records carry the values of their custom fields. */
export function customFieldSchemas(resource: Resource): [string, Schema][] {
  const { fields, schema: resources, type } = resource
  const open = isGeneral(resources)
  const system = systemFields(type)
  const codes = [...system.keys()]
  const always = open ? ` Every workspace has ${listed(codes)}; \`GET /v1/custom-fields\` lists the others.` : ''
  const keyed = (suffix: 'Value' | 'Input', description: string): Schema => ({
    type: 'object',
    description: description + always,
    properties: open
      ? mapped(codes, (code) => named(`${system.get(code)}${suffix}`))
      : Object.fromEntries(fields.list.map((field) => [field.code, formOf(field, suffix, resources)])),
    additionalProperties: open && named(`CustomField${suffix}`),
  })
  const one = oneOf(resource)
  return [
    [
      `${one}CustomFields`,
      keyed(
        'Value',
        'The value of every active custom field, by its code. What is unset is `null`, or `[]` for lists.',
      ),
    ],
    [
      `${one}CustomFieldsInput`,
      keyed('Input', 'Values by the code of their field. What is absent is kept, `null` clears.'),
    ],
  ]
}

/** How one field of a workspace is read or written. */
function formOf(field: FieldDefinition, suffix: 'Value' | 'Input', resources: Resources): Schema {
  const { kind } = fieldTypes[field.type]
  const [all, narrow] = suffix === 'Value' ? [reads, readsOf] : [writes, writesOf]
  const { description, ...form } = narrow[kind]?.(field, resources) ?? all[kind]
  const { currency } = field.settings
  const told = [
    field.description,
    description,
    field.required && 'New records must have a value.',
    field.unique && 'No two records have the same value.',
    currency && `In ${currency}.`,
  ].filter(Boolean)
  const says = told.length > 0 ? { description: told.join(' ') } : {}
  return { title: field.name, ...says, 'x-kith-type': field.type, ...form }
}

type FormOfField = (field: FieldDefinition, resources: Resources) => Schema

/**
 * What a choice or a reference can be, as it is read. Older values may be longer, or more, than a field takes today, so
 * that the others are as all of their kind. Undefined: there is nothing to choose.
 */
function chosenOf(field: FieldDefinition, resources: Resources): Schema | undefined {
  const { refersTo } = fieldTypes[field.type]
  if (refersTo) {
    const to = targetOf(field)
    return to === 'users' || resources.has(to) ? named(`${relatedOne(resources, to)}Identifier`) : undefined
  }
  const options = heldOptions(field)
  if (options.length === 0) return undefined
  const labels = new Set(options.map(({ label }) => label))
  return closed({ id: enumOf(options.map(({ id }) => id)), label: enumOf([...labels]) })
}

const chosen: FormOfField = (field, resources) => {
  const one = chosenOf(field, resources)
  if (isList(field)) return one ? { type: 'array', items: one } : { type: 'array', maxItems: 0 }
  return one ? orNull(one) : { type: 'null' }
}

const readsOf: Partial<Readonly<Record<ValueKind, FormOfField>>> = {
  Choice: chosen,
  Choices: chosen,
  Reference: chosen,
}

const strings: Schema = { type: 'array', items: is.text, maxItems: VALUES_MAX }
const option = optionInput(is.text, named('Id'))

function optionInput(word: Schema, id: Schema): Schema {
  return {
    anyOf: [
      says(word, 'The label of an option, in any letter case, or its ID.'),
      closed(
        { id, label: is.text, color: is.textOrNull },
        { required: ['id'], description: 'The form in which options are read. Only its `id` counts.' },
      ),
    ],
  }
}

type ListText = { description: string; example?: string }

const lists = {
  Tags: { description: `At most ${TAG_MAX} characters each, kept as typed.` },
  Emails: { description: `At most ${EMAIL_MAX} characters each.`, example: 'ada@example.com' },
  Phones: { description: 'Any format with a country code.', example: '+1 (415) 555-0100' },
  Links: {
    description: `http or https, with or without the scheme, at most ${LINK_MAX} characters each.`,
    example: 'linkedin.com/company/acme',
  },
  Domains: {
    description: 'A host or the address of a website under it.',
    example: 'https://www.acme.com/about',
  },
} as const satisfies Partial<Record<ValueKind, ListText>>

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
  Tags: listOrOne(lists.Tags),
  Emails: listOrOne(lists.Emails),
  Phones: listOrOne(lists.Phones),
  Links: listOrOne(lists.Links),
  Domains: listOrOne(lists.Domains),
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

function listOrOne({ description, example }: ListText, maxItems = VALUES_MAX): Schema {
  return orEdit({
    type: ['array', 'string', 'null'],
    items: is.text,
    maxItems,
    description: `A list, or one value. ${description}`,
    ...(example === undefined ? {} : { examples: [[example]] }),
  })
}

const textOf: FormOfField = ({ type, settings }) => {
  const { multiline } = fieldTypes[type]
  const maxLength = multiline ? textMax[multiline] : (settings.max_length ?? TEXT_MAX_DEFAULT)
  return { type: ['string', 'null'], maxLength, ...(multiline === 'markdown' ? { description: 'Markdown.' } : {}) }
}

const textMax = { plain: TEXTAREA_MAX, markdown: RICH_TEXT_MAX } as const

const listOf =
  (kind: keyof typeof lists): FormOfField =>
  (field) =>
    listOrOne(lists[kind], mostOf(field))

/** A choice by label or ID, or as it is read. A label that two options have is not clear. */
const choiceInput: FormOfField = (field) => {
  const ids = field.options.map(({ id }) => id)
  const labels = Map.groupBy(field.options, ({ label }) => fold(label))
  const clear = [...labels.values()].flatMap((same) => (same.length === 1 ? same.map(({ label }) => label) : []))
  if (ids.length === 0) return isList(field) ? { type: ['array', 'null'], maxItems: 0 } : { type: 'null' }
  const one = optionInput(enumOf([...new Set([...clear, ...ids])]), enumOf(ids))
  return isList(field) ? orEdit({ type: ['array', 'null'], items: one, maxItems: OPTIONS_MAX }) : orNull(one)
}

/** A record or member by its ID, as it is read, or by a look-up. */
const referenceInput: FormOfField = (field, resources) => {
  const as_read = chosenOf(field, resources)
  if (!as_read) return { type: ['array', 'null'], maxItems: 0, description: 'What it refers to is archived.' }
  const one = { anyOf: [named('Id'), as_read, named(targetOf(field) === 'users' ? 'MemberByEmail' : 'RecordByMatch')] }
  const list = { type: 'array', items: one, maxItems: mostOf(field) }
  return { anyOf: [...one.anyOf, list, ...(field.multiple ? [named('ListEdit')] : []), { type: 'null' }] }
}

const writesOf: Partial<Readonly<Record<ValueKind, FormOfField>>> = {
  Text: textOf,
  LongText: textOf,
  Choice: choiceInput,
  Choices: choiceInput,
  Tags: listOf('Tags'),
  Emails: listOf('Emails'),
  Phones: listOf('Phones'),
  Links: listOf('Links'),
  Domains: listOf('Domains'),
  Reference: referenceInput,
}
