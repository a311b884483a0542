import { fieldTypeNames } from './field-type-name.ts'
import {
  FIELD_NAME_MAX,
  FIELDS_PER_RESOURCE_MAX,
  OPTION_LABEL_MAX,
  OPTIONS_MAX,
  PROBABILITY_MAX,
  TEXT_MAX_LIMIT,
  VALUES_MAX,
} from './limits.ts'
import { resourceCode } from './resource-code.ts'
import * as is from './shape.ts'

const CODE = '^[a-z][a-z0-9_]{0,49}$'

export function isFieldCode(text: string): boolean {
  return new RegExp(CODE).test(text)
}

/** Colour names, so that each surface picks its own shades. */
export const optionColors = [
  'gray',
  'red',
  'orange',
  'amber',
  'green',
  'teal',
  'blue',
  'indigo',
  'purple',
  'pink',
] as const
export type OptionColor = (typeof optionColors)[number]

export const optionColor = is.checked<string | null>(
  { type: ['string', 'null'], enum: [...optionColors, null] },
  (raw) => optionColors.find((one) => one === raw),
  `must be null or one of: ${optionColors.join(', ')}.`,
  null,
)

const label = is.line({ maxLength: OPTION_LABEL_MAX })

/** An option of a field. */
const fieldOptionParts = {
  id: is.id(),
  label: is.text({ maxLength: OPTION_LABEL_MAX }),
  color: is.orNull(optionColor),
} as const
const fieldOption = is.object(fieldOptionParts)

/** Forecasts use it: 100 means won, and 0 means lost. */
const probability = is.whole({
  to: PROBABILITY_MAX,
  says: 'How likely a record with this option is won, in percent. 100 means won, 0 lost. Null: unknown.',
})

/** As a workspace has defined it. The objects of `/v1/custom-fields` have no probability. */
export type FieldOption = is.TypeOf<typeof fieldOption> & { readonly probability?: number }

/** As a schema shows it. */
const schemaOption = is.object({ ...fieldOptionParts, probability: is.maybe(probability) })

/** The options of a schema: only there, and in answers about a single option, the probability is shown. */
export const schemaOptions = is.list(is.component('SchemaOption', schemaOption), {
  maxItems: OPTIONS_MAX,
  says: 'What can be chosen, in order. Empty for types without options.',
})

const INVERSE_CODE = is.text({ pattern: CODE, says: 'The name of the relation. Made from its name unless sent.' })

/** The relation that a reference field gives to its target. */
const inverse = { code: INVERSE_CODE, name: is.text({ maxLength: FIELD_NAME_MAX }) } as const
export type Inverse = is.Shown<typeof inverse>

const INVERSE = 'The relation that the target gets. Of record fields.'

/** The settings of a field. Its type decides which of them it has. */
const fieldSettings = {
  currency: is.maybe(is.text({ pattern: '^[A-Z]{3}$', says: 'ISO 4217. Of currency fields.' })),
  decimals: is.maybe(
    is.given<0 | 2 | 3>({ type: 'integer', enum: [0, 2, 3], description: 'Decimals kept. Of currency fields.' }),
  ),
  max_length: is.maybe(is.whole({ from: 1, to: TEXT_MAX_LIMIT, says: 'Of text fields.' })),
  target: is.maybe(resourceCode('The resource of the related records. Of record fields.')),
  inverse: { ...is.orNull(is.object(inverse), INVERSE), absent: true },
} as const
export type FieldSettings = is.Shown<typeof fieldSettings>

const settings = is.component('CustomFieldSettings', is.object(fieldSettings))

/** A custom field as it is shown. */
export const customField = {
  code: is.text({ pattern: CODE, says: 'The key of its values in `custom_fields`. Never changes.' }),
  name: is.text({ maxLength: FIELD_NAME_MAX }),
  type: is.word(fieldTypeNames, 'Never changes.'),
  entity_type: resourceCode('The resource whose records have the field.'),
  description: is.orNull(is.text()),
  required: is.flag('Whether a record must have a value.'),
  unique: is.flag('Whether no two records may hold the same value. Upserts match on such a field.'),
  multiple: is.flag('Whether a record may hold more than one value.'),
  max_values: is.whole({ from: 1, says: 'How many values a record may hold.' }),
  position: is.whole({ from: 1, says: 'Its place among the fields of the resource.' }),
  options: is.list(is.component('CustomFieldOption', fieldOption), {
    maxItems: OPTIONS_MAX,
    says: 'What can be chosen, in order. Empty for types without options.',
  }),
  settings,
  created_at: is.time(),
  updated_at: is.time(),
} as const

export type CustomField = is.Shown<typeof customField>

/** A custom field as a workspace has defined it. */
export type FieldDefinition = Omit<CustomField, 'options'> & {
  readonly options: readonly FieldOption[]
  readonly id: string
  /** By which storage refers to it. No caller sees it. */
  readonly number: number
  /**
   * The name of its values in the stored JSON: the code, or the code and a number where an earlier field of that code
   * was deleted.
   */
  readonly key: string
  readonly system: boolean
  /** Removed options that some records still hold: they are cleared in steps. They can be read, but not written. */
  readonly leaving?: readonly FieldOption[]
}

/** The active fields of one resource in their order. */
export type FieldSet = {
  list: readonly FieldDefinition[]
  byCode: ReadonlyMap<string, FieldDefinition>
  /** Those whose values are records. */
  references: readonly FieldDefinition[]
}

let currencies: ReadonlySet<string> | undefined

function currencyIn(raw: unknown): string | undefined {
  const code = typeof raw === 'string' ? raw.trim().toUpperCase() : ''
  currencies ??= new Set(Intl.supportedValuesOf('currency'))
  return currencies.has(code) ? code : undefined
}

/** How the settings are read. */
export const settingsInput = {
  currency: is.maybe(
    is.checked<string>(fieldSettings.currency.schema, currencyIn, 'must be an ISO 4217 code such as EUR or USD.', ''),
  ),
  decimals: is.maybe(
    is.checked<0 | 2 | 3>(
      fieldSettings.decimals.schema,
      (raw) => ([0, 2, 3] as const).find((one) => one === raw),
      'must be 0, 2 or 3.',
      2,
    ),
  ),
  max_length: fieldSettings.max_length,
} as const

/** An option of a list of options. An `id` names one that the field has. */
export const listedOption = {
  id: is.maybe(is.given<string>({ type: 'string' })),
  label: is.maybe(label),
  color: { ...is.orNull(optionColor), absent: true },
  probability: { ...is.orNull(probability), absent: true },
} as const

type OptionInput = string | is.Sent<typeof listedOption>

const optionInput = is.given<OptionInput>({
  anyOf: [
    { type: 'string', description: 'A label.' },
    is.sentSchema(listedOption, { required: [], says: 'An `id` names an existing option.' }),
  ],
})

const DESCRIPTION_MAX = 1000

/** What can be chosen when a field is created, and changed later. */
export const fieldDraft = {
  name: is.line({ maxLength: FIELD_NAME_MAX, says: 'Unique in the resource.' }),
  description: is.orNull(is.remark({ maxLength: DESCRIPTION_MAX, says: 'What the field is for.' })),
  required: is.or(false, is.flag('New records must have a value.')),
  unique: is.or(false, is.flag('No two records may hold the same value; upserts can match it.')),
  multiple: is.orNull(is.flag('Several values, for email, phone, link and domain.')),
  // The type of the field decides how many there can be.
  max_values: is.orNull(
    is.unread(is.whole({ from: 1, to: Math.max(VALUES_MAX, OPTIONS_MAX), says: 'How many, if multiple.' })),
  ),
  position: is.maybe(is.whole({ from: 1, to: FIELDS_PER_RESOURCE_MAX, says: 'From 1.' })),
  settings: is.orNull(is.component('CustomFieldSettings', is.given<FieldSettings>({}))),
  options: is.orNull(
    is.unread(
      is.list(optionInput, {
        maxItems: OPTIONS_MAX,
        says: 'All options in their order. One that is left out is removed, and cleared from records.',
      }),
    ),
  ),
} as const

const resource = is.maybe(is.unread(resourceCode('If it is sent, it must be the resource of the path.')))

const CODE_RULE =
  'must begin with a letter from a to z and go on with such letters, digits and underscores, at most 50 characters in all.'

function codeIn(raw: unknown): string | null | undefined {
  if (raw === '') return null
  return typeof raw === 'string' && isFieldCode(raw.trim()) ? raw.trim() : undefined
}

/** Null for an empty text. */
const code = is.checked(
  is.text({ pattern: CODE, says: 'Made from the name unless sent. It never changes.' }).schema,
  codeIn,
  CODE_RULE,
  null,
)

/** What reference fields have. Read by the operation, which knows the resources. */
const referenceParts = {
  target: is.maybe(is.unread(resourceCode('The resource of the records, for type record. It never changes.'))),
  inverse: {
    ...is.orNull(
      is.unread<unknown>(is.given(is.sentSchema({ code: is.maybe(INVERSE_CODE), name: inverse.name }))),
      'The relation that the target gets, for type record.',
    ),
    absent: true,
  },
} as const

/** A field as it is created. */
export const newField = {
  code: is.orNull(code),
  type: is.word(fieldTypeNames, 'What values it holds.'),
  ...referenceParts,
  ...fieldDraft,
  entity_type: resource,
} as const

/** An option by id or label, with its new label. */
export const renaming = { from: is.unread(is.text()), to: is.unread(is.text()) } as const

/** Changes of a field's options, instead of all of them. */
const optionChanges = {
  add_options: is.orNull(is.unread(is.list(optionInput, { says: 'New options at the end.' }))),
  remove_options: is.orNull(is.unread(is.list(is.text(), { says: 'Options by ID or label.' }))),
  rename_options: is.orNull(
    is.unread(is.list(is.object(renaming), { says: 'Options by ID or label, with their new labels.' })),
  ),
} as const

/** Accepted in changes, so that what was read can be sent back. */
export const fixedKeys = ['code', 'type', 'created_at', 'updated_at'] as const

const FIXED = 'Accepted as it is, so that what was read can be sent back. It cannot be changed.'

/** The changes of a field. */
export const fieldChanges = { ...fieldDraft, ...referenceParts, entity_type: resource, ...optionChanges } as const

/** A single option as it is created. Its color is chosen by its position unless sent. */
export const newOption = {
  label,
  color: { ...is.orNull(optionColor, 'Chosen by the position unless sent.'), absent: true },
  probability: { ...is.orNull(probability), absent: true },
} as const

/** The changes of a single option. */
export const optionChange = {
  label: is.maybe(label),
  color: is.maybe(optionColor),
  probability: { ...is.orNull(probability), absent: true },
  position: is.maybe(is.whole({ from: 1, to: OPTIONS_MAX })),
} as const

/** An option of a field as an object of its own. */
export const option = {
  label: is.text({ maxLength: OPTION_LABEL_MAX }),
  color: optionColor,
  position: is.whole({ from: 1, to: OPTIONS_MAX }),
  probability: is.maybe(probability),
} as const

export type Option = is.Shown<typeof option>

/** All codes of the active fields of a resource, in their new order. */
export const fieldOrder = {
  codes: is.given<unknown>(is.list(is.text(), { says: 'The codes of all active fields, each once.' }).schema),
}

const changes = is.sentSchema(
  {
    ...fieldChanges,
    ...Object.fromEntries(fixedKeys.map((key) => [key, is.given({ readOnly: true, description: FIXED })])),
  },
  { required: [], says: 'What is absent is kept; `null` clears.' },
)

const duplicates = is.whole({
  says: 'If the request made the field unique: how many values are in more than one record.',
})

export const fieldComponents = {
  ...is.noun('CustomField', 'custom_fields', { attributes: is.named('CustomFieldAttributes') }),
  CustomFieldAttributes: is.shownSchema(customField),
  CustomFieldOption: fieldOption.schema,
  SchemaOption: schemaOption.schema,
  CustomFieldSettings: is.shownSchema(fieldSettings, { says: 'The settings of its type.' }),
  CustomFieldList: is.pageOf('CustomField'),
}

export const fieldChangeComponents = {
  CustomFieldOrder: is.closed({ data: is.listSchema('CustomField', FIELDS_PER_RESOURCE_MAX) }),
  CustomFieldDocument: is.closed(
    { data: is.named('CustomField'), meta: is.shownSchema({ duplicates }) },
    { required: ['data'] },
  ),
  FieldCreate: is.sentSchema(newField),
  FieldUpdate: changes,
  FieldOrder: is.sentSchema(fieldOrder),
  OptionCreate: is.sentSchema(newOption),
  OptionUpdate: is.sentSchema(optionChange, {
    required: [],
    says: 'What is absent is kept. The ID of the option stays.',
  }),
  OptionDocument: is.closed({ data: is.objectSchema('options', is.shownSchema(option)) }),
}
