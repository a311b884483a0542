import { excerpt } from '@kith/contract/excerpt'
import {
  type FieldOption,
  type fieldChanges,
  listedOption,
  newOption,
  type OptionColor,
  optionColors,
  renaming,
} from '@kith/contract/field-definition'
import type { FieldType } from '@kith/contract/field-type'
import { type FieldTypeName, fieldTypeNames } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import { newId, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { OPTIONS_MAX } from '@kith/contract/limits'
import { readSent, type TypeOf } from '@kith/contract/shape'

/** An option as it was sent, and where. */
type SentOption = { raw: unknown; path: string }

/** Reads a list of labels, or of objects with a label and perhaps an id, a colour and a probability. */
function parseOptionList(
  sent: SentField,
  key: 'options' | (typeof edits)[number],
  report: Report,
): SentOption[] | undefined {
  const raw: unknown = sent[key] ?? []
  if (Array.isArray(raw)) return raw.map((item, index) => ({ raw: item, path: `${key}.${index}` }))
  report(key, `The ${key} must be a list of labels.`)
  return undefined
}

/** The requested options. An option that is named by id or label is kept; others are new. */
export function parseOptions(
  items: readonly SentOption[],
  { before, at }: { before: readonly FieldOption[]; at: Date },
  report: Report,
): FieldOption[] {
  if (items.length > OPTIONS_MAX) {
    report('options', `A field must not have more than ${OPTIONS_MAX} options.`)
    return []
  }
  const wishes = items.map((item) => parseWish(item, report))
  const named = new Set(wishes.map((wish) => wish?.id))
  const labels = new Set<string>()
  const options: FieldOption[] = []
  wishes.forEach((wish, index) => {
    const path = items[index]?.path ?? 'options'
    if (!wish) return
    const old = wish.id === undefined ? unnamed(before, wish.label, named) : before.find(({ id }) => id === wish.id)
    const label = wish.label ?? old?.label ?? ''
    if (wish.id !== undefined && !old) report(path, `The field has no option with the ID ${excerpt(wish.id)}.`)
    else if (old && options.some(({ id }) => id === old.id)) report(path, `The option "${old.label}" is given twice.`)
    else if (labels.has(fold(label))) report(path, `The field has more than one option "${excerpt(label)}".`)
    else {
      const color = wish.color === undefined ? (old?.color ?? colorAt(index)) : wish.color
      const probability = wish.probability === undefined ? old?.probability : (wish.probability ?? undefined)
      const id = old?.id ?? newId(at.getTime())
      options.push({ id, label, color, ...(probability !== undefined && { probability }) })
    }
    labels.add(fold(label))
  })
  return options
}

function parseWish(
  { raw, path }: SentOption,
  report: Report,
): { id?: string; label?: string; color?: string | null; probability?: number | null } | undefined {
  if (typeof raw !== 'object' || raw === null) {
    const label = parseLabel(raw, path, report)
    return label === undefined ? undefined : { label }
  }
  const { label: sent, ...option } = readSent({ ...raw, label: undefined }, listedOption, report, { path })
  const named = option.id ?? undefined
  const id = named === undefined ? undefined : (parseId(named) ?? (typeof named === 'string' ? named : ''))
  const sentLabel = 'label' in raw ? raw.label : undefined
  if (sentLabel === undefined && id !== undefined) return { ...option, id }
  const label = parseLabel(sentLabel ?? '', path, report)
  return label === undefined ? undefined : { ...option, id, label }
}

function parseLabel(raw: unknown, path: string, report: Report): string | undefined {
  return newOption.label.parse(raw, path, report)
}

/** The option with the label, unless the list names it by its id: then the label means another option. */
function unnamed(before: readonly FieldOption[], label = '', named: ReadonlySet<string | undefined>) {
  return before.find((option) => fold(option.label) === fold(label) && !named.has(option.id))
}

/** The keys of a field that were sent, and are of the right shape. */
export type SentField = Partial<{ [Key in keyof typeof fieldChanges]: TypeOf<(typeof fieldChanges)[Key]> }>

const edits = ['add_options', 'remove_options', 'rename_options'] as const

/** The requested options of a field: a whole list, or changes of the current one. Undefined if neither was sent. */
export function wantedOptions(
  sent: SentField,
  before: readonly FieldOption[],
  report: Report,
): SentOption[] | undefined {
  const edited = edits.filter((key) => sent[key] !== undefined)
  if (sent.options === undefined) return edited.length === 0 ? undefined : editedOptions(sent, before, report)
  for (const key of edited) report(key, `Send either options or ${key}, not both.`)
  return parseOptionList(sent, 'options', report)
}

function editedOptions(sent: SentField, before: readonly FieldOption[], report: Report): SentOption[] {
  const renamed = renamings(sent, before, report)
  const removed = removals(sent, before, report)
  const left = before.filter((option) => !removed.has(option.id))
  const kept = left.map(({ id, label }): SentOption => {
    const change = renamed.get(id)
    return {
      raw: { id, label: change?.raw ?? label },
      path: change?.path ?? `options.${before.findIndex((option) => option.id === id)}`,
    }
  })
  return [...kept, ...(parseOptionList(sent, 'add_options', report) ?? [])]
}

/** The new labels by option id, each with its path in the input. */
function renamings(sent: SentField, before: readonly FieldOption[], report: Report): Map<string, SentOption> {
  const renamed = new Map<string, SentOption>()
  for (const { raw, path } of parseOptionList(sent, 'rename_options', report) ?? []) {
    const { from, to } = readSent(raw, renaming, report, { path })
    const isNamed = from !== undefined || to !== undefined
    const option = isNamed ? optionNamed(from, { options: before, path }, report) : undefined
    if (option) renamed.set(option.id, { raw: to ?? '', path })
  }
  return renamed
}

function removals(sent: SentField, before: readonly FieldOption[], report: Report): Set<string> {
  const removed = new Set<string>()
  for (const { raw, path } of parseOptionList(sent, 'remove_options', report) ?? []) {
    const option = optionNamed(raw, { options: before, path }, report)
    if (option) removed.add(option.id)
  }
  return removed
}

/** The option with an id or label. */
function optionNamed(
  raw: unknown,
  { options, path }: { options: readonly FieldOption[]; path: string },
  report: Report,
): FieldOption | undefined {
  const name = typeof raw === 'string' ? raw.trim() : ''
  const option =
    options.find((candidate) => candidate.id === parseId(name)) ??
    options.find((candidate) => fold(candidate.label) === fold(name))
  if (!option) {
    const labels =
      options.length === 0 ? 'The field has no options.' : `It has: ${options.map(({ label }) => label).join(', ')}.`
    report(path, `The field has no option "${excerpt(name)}". ${labels}`)
  }
  return option
}

/** The default colour of an option, by its position. */
export function colorAt(place: number): OptionColor {
  return optionColors[place % optionColors.length] ?? 'gray'
}

/** Whether the search index has the texts of the field. */
export function isSearched(type: FieldTypeName): boolean {
  return fieldTypes[type].operators.includes('$contains')
}

/** "radio, toggle-buttons, select, …" for a message. */
export function typesThat(meet: (type: FieldType) => boolean): string {
  return fieldTypeNames.filter((name) => meet(fieldTypes[name])).join(', ')
}

const CODE_MAX = 50

/** The code of a field from its name, with a number if the code is taken. */
export function codeFor(name: string, taken: ReadonlySet<string>): string {
  const plain = plainCode(name)
  let code = plain
  for (let number = 2; taken.has(code); number++) code = numbered(plain, number)
  return code
}

/** Letters that Unicode does not split into a plain letter and an accent. */
const spelled: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
}

function plainCode(name: string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}'’]/gu, '')
    .replaceAll(/[^a-z0-9]/gu, (character) => spelled[character] ?? '_')
    .replaceAll(/_+/g, '_')
    .replaceAll(/^_|_$/g, '')
  if (letters === '') return 'field'
  return cut(/^[a-z]/.test(letters) ? letters : `field_${letters}`, CODE_MAX)
}

function numbered(code: string, number: number): string {
  const ending = `_${number}`
  return cut(code, CODE_MAX - ending.length) + ending
}

function cut(code: string, length: number): string {
  return code.slice(0, length).replace(/_$/, '')
}
