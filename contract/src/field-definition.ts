import { fieldTypeNames } from './field-type-name.ts'
import {
  FIELD_NAME_MAX,
  FIELDS_PER_RESOURCE_MAX,
  OPTION_LABEL_MAX,
  OPTIONS_MAX,
  TEXT_MAX_LIMIT,
  VALUES_MAX,
} from './limits.ts'
import { type ResourceName, resourceNames } from './resource.ts'
import {
  changeSchema,
  component,
  flag,
  given,
  id,
  line,
  list,
  maybe,
  object,
  or,
  orNull,
  type Sent,
  type Shape,
  type Shown,
  type TypeOf,
  text,
  time,
  whole,
  word,
} from './shape.ts'

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

const color: Shape<string | null> = {
  schema: { type: ['string', 'null'], enum: [...optionColors, null] },
  blank: null,
  parse: (raw, path, report) => {
    const found = optionColors.find((one) => one === raw)
    if (found === undefined) report(path, `The ${path} must be null or one of: ${optionColors.join(', ')}.`)
    return found
  },
}

const label = line({ maxLength: OPTION_LABEL_MAX })

/** An option of a field. */
export const fieldOption = object({ id: id(), label: text({ maxLength: OPTION_LABEL_MAX }), color: orNull(color) })
export type FieldOption = TypeOf<typeof fieldOption>

/** The settings of a field. Its type decides which of them it has. */
export const fieldSettings = {
  currency: maybe(text({ pattern: '^[A-Z]{3}$', says: 'ISO 4217. Of currency fields.' })),
  decimals: maybe(
    given<0 | 2 | 3>({ type: 'integer', enum: [0, 2, 3], description: 'Decimals kept. Of currency fields.' }),
  ),
  max_length: maybe(whole({ from: 1, to: TEXT_MAX_LIMIT, says: 'Of text fields.' })),
} as const
export type FieldSettings = Shown<typeof fieldSettings>

const settings = component('CustomFieldSettings', object(fieldSettings))

const CODE = '^[a-z][a-z0-9_]{0,49}$'

/** A custom field as it is shown. */
export const customField = {
  code: text({ pattern: CODE, says: 'The key of its values in `custom_fields`. Never changes.' }),
  name: text({ maxLength: FIELD_NAME_MAX }),
  type: word(fieldTypeNames, 'Never changes.'),
  entity_type: word(resourceNames, 'The resource whose records have the field.'),
  description: orNull(text()),
  required: flag('Whether a record must have a value.'),
  unique: flag('Whether no two records may hold the same value. Upserts match on such a field.'),
  multiple: flag('Whether a record may hold more than one value.'),
  max_values: whole({ from: 1, says: 'How many values a record may hold.' }),
  position: whole({ from: 1, says: 'Its place among the fields of the resource.' }),
  options: list(component('CustomFieldOption', fieldOption), {
    maxItems: OPTIONS_MAX,
    says: 'What can be chosen, in order. Empty for types without options.',
  }),
  settings,
  created_at: time(),
  updated_at: time(),
} as const

type CustomField = Shown<typeof customField>

/** A custom field as a workspace has defined it. */
export type FieldDefinition = CustomField & {
  readonly id: string
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
export type FieldSet = { list: readonly FieldDefinition[]; byCode: ReadonlyMap<string, FieldDefinition> }

/** The active fields of a workspace. */
export type Definitions = Readonly<Record<ResourceName, FieldSet>>

let currencies: ReadonlySet<string> | undefined

/** How the settings are read. Null means the default of the type, which the operation knows. */
export const settingsInput = {
  currency: maybe({
    ...fieldSettings.currency,
    parse: (raw, path, report) => {
      const code = typeof raw === 'string' ? raw.trim().toUpperCase() : ''
      currencies ??= new Set(Intl.supportedValuesOf('currency'))
      if (currencies.has(code)) return code
      report(path, `The ${path} must be an ISO 4217 code such as EUR or USD.`)
      return undefined
    },
  }),
  decimals: maybe({
    ...fieldSettings.decimals,
    parse: (raw, path, report) => {
      if (raw === 0 || raw === 2 || raw === 3) return raw
      report(path, `The ${path} must be 0, 2 or 3.`)
      return undefined
    },
  }),
  max_length: fieldSettings.max_length,
} as const

/** An option of a list of options. An `id` names one that the field has. */
export const listedOption = {
  id: maybe(given<string>({ type: 'string' })),
  label: maybe(label),
  color: { ...orNull(color), absent: true },
} as const

type OptionInput = string | Sent<typeof listedOption>

const optionInput = given<OptionInput>({
  anyOf: [{ type: 'string', description: 'A label.' }, changeSchema(listedOption, 'An `id` names an existing option.')],
})

const description: Shape<string | null> = {
  ...text({ says: 'What the field is for.' }),
  blank: null,
  parse: (raw, path, report) => (typeof raw === 'string' && raw.trim() === '' ? null : line().parse(raw, path, report)),
}

/** What can be chosen when a field is created, and changed later. */
export const fieldDraft = {
  name: line({ maxLength: FIELD_NAME_MAX, says: 'Unique in the resource.' }),
  description: orNull(description),
  required: or(false, flag('New records must have a value.')),
  unique: or(false, flag('No two records may hold the same value; upserts can match it.')),
  multiple: orNull(flag('Several values, for email, phone, link and domain.')),
  // The type of the field decides how many there can be.
  max_values: orNull(
    given<number>(whole({ from: 1, to: Math.max(VALUES_MAX, OPTIONS_MAX), says: 'How many, if multiple.' }).schema),
  ),
  position: maybe(whole({ from: 1, to: FIELDS_PER_RESOURCE_MAX, says: 'From 1.' })),
  settings: orNull(component('CustomFieldSettings', given<FieldSettings>({}))),
  options: orNull(
    given<readonly OptionInput[]>({
      ...list(optionInput).schema,
      maxItems: OPTIONS_MAX,
      description: 'All options in their order. One that is left out is removed, and cleared from records.',
    }),
  ),
} as const

const resource = maybe(
  given<ResourceName>(word(resourceNames, 'If it is sent, it must be the resource of the path.').schema),
)

/** A field as it is created. */
export const newField = {
  type: word(fieldTypeNames, 'What values it holds.'),
  code: orNull(
    given<string>({ type: 'string', pattern: CODE, description: 'Made from the name unless sent. It never changes.' }),
  ),
  ...fieldDraft,
  entity_type: resource,
} as const

/** An option by id or label, with its new label. */
export const renaming = { from: given<string>(text().schema), to: given<string>(text().schema) } as const

/** Changes of a field's options, instead of all of them. */
export const optionChanges = {
  add_options: orNull(
    given<readonly OptionInput[]>({ ...list(optionInput).schema, description: 'New options at the end.' }),
  ),
  remove_options: orNull(given<readonly string[]>(list(text(), { says: 'Options by ID or label.' }).schema)),
  rename_options: orNull(
    given<readonly Sent<typeof renaming>[]>(
      list(object(renaming), { says: 'Options by ID or label, with their new labels.' }).schema,
    ),
  ),
} as const

/** Accepted as it is, so that what was read can be sent back. It cannot be changed. */
export const fixedKeys = ['code', 'type', 'created_at', 'updated_at'] as const

/** The changes of a field. */
export const fieldChanges = { ...fieldDraft, entity_type: resource, ...optionChanges } as const

/** A single option as it is created. Its color is chosen by its position unless sent. */
export const newOption = {
  label,
  color: { ...orNull(color, 'Chosen by the position unless sent.'), absent: true },
} as const

/** The changes of a single option. */
export const optionChange = {
  label: maybe(label),
  color: maybe(color),
  position: maybe(whole({ from: 1, to: OPTIONS_MAX })),
} as const

/** An option of a field as an object of its own. */
export const option = {
  label: text({ maxLength: OPTION_LABEL_MAX }),
  color,
  position: whole({ from: 1, to: OPTIONS_MAX }),
} as const

export type Option = Shown<typeof option>

/** All codes of the active fields of a resource, in their new order. */
export const fieldOrder = {
  codes: given<unknown>(list(text(), { says: 'The codes of all active fields, each once.' }).schema),
}
