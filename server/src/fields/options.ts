import { excerpt } from '@kith/contract/excerpt'
import type { FieldOption } from '@kith/contract/field-definition'
import type { FieldType } from '@kith/contract/field-type'
import { type FieldTypeName, fieldTypeNames } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { fold, lengthOf } from '@kith/contract/fold'
import { newId, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { OPTION_LABEL_MAX, OPTIONS_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { unstorable } from '@kith/contract/raw-input'

/** An option as it was sent, and where. */
type SentOption = { raw: unknown; path: string }

/** Reads a list of labels, or of objects with a label and perhaps an id and a colour. */
function parseOptionList(raw: unknown, key: string, report: Report): SentOption[] | undefined {
  if (raw === null) return []
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
      options.push({ id: old?.id ?? newId(at.getTime()), label, color })
    }
    labels.add(fold(label))
  })
  return options
}

function parseWish(
  { raw, path }: SentOption,
  report: Report,
): { id?: string; label?: string; color?: string | null } | undefined {
  if (typeof raw !== 'object' || raw === null) {
    const label = parseLabel(raw, path, report)
    return label === undefined ? undefined : { label }
  }
  const sent = parseSent(raw, { accepted: ['id', 'label', 'color'], path }, report)
  const named = sent.get('id') ?? undefined
  const id = named === undefined ? undefined : (parseId(named) ?? (typeof named === 'string' ? named : ''))
  if (!sent.has('label') && id !== undefined) return { id, ...parseColor(sent, path, report) }
  const label = parseLabel(sent.get('label') ?? null, path, report)
  return label === undefined ? undefined : { id, label, ...parseColor(sent, path, report) }
}

function parseLabel(raw: unknown, path: string, report: Report): string | undefined {
  return parseLine(raw, { key: path, max: OPTION_LABEL_MAX }, report)
}

function parseColor(sent: SentKeys, path: string, report: Report): { color?: string | null } {
  const color = sent.get('color')
  if (color === undefined) return {}
  if (color === null || isOptionColor(color)) return { color }
  report(`${path}.color`, `The ${path}.color must be one of: ${optionColors.join(', ')}.`)
  return {}
}

/** The option with the label, unless the list names it by its id: then the label means another option. */
function unnamed(before: readonly FieldOption[], label = '', named: ReadonlySet<string | undefined>) {
  return before.find((option) => fold(option.label) === fold(label) && !named.has(option.id))
}

export const optionKeys = ['options', 'add_options', 'remove_options', 'rename_options']

/** The requested options of a field: a whole list, or changes of the current one. Undefined if neither was sent. */
export function wantedOptions(
  sent: SentKeys,
  before: readonly FieldOption[],
  report: Report,
): SentOption[] | undefined {
  const edits = optionKeys.filter((key) => key !== 'options' && sent.has(key))
  if (!sent.has('options')) return edits.length === 0 ? undefined : edited(sent, before, report)
  for (const key of edits) report(key, `Send either options or ${key}, not both.`)
  return parseOptionList(sent.get('options'), 'options', report)
}

function edited(sent: SentKeys, before: readonly FieldOption[], report: Report): SentOption[] {
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
  return [...kept, ...(parseOptionList(sent.get('add_options') ?? [], 'add_options', report) ?? [])]
}

/** The new labels by option id, each with its path in the input. */
function renamings(sent: SentKeys, before: readonly FieldOption[], report: Report): Map<string, SentOption> {
  const renamed = new Map<string, SentOption>()
  for (const { raw, path } of parseOptionList(sent.get('rename_options') ?? [], 'rename_options', report) ?? []) {
    const change = parseSent(raw, { accepted: ['from', 'to'], path }, report)
    const option =
      change.has('from') || change.has('to')
        ? optionNamed(change.get('from'), { options: before, path }, report)
        : undefined
    if (option) renamed.set(option.id, { raw: change.get('to') ?? null, path })
  }
  return renamed
}

function removals(sent: SentKeys, before: readonly FieldOption[], report: Report): Set<string> {
  const removed = new Set<string>()
  for (const { raw, path } of parseOptionList(sent.get('remove_options') ?? [], 'remove_options', report) ?? []) {
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

/** The default colour of an option, by its position. */
export function colorAt(place: number): OptionColor {
  return optionColors[place % optionColors.length] ?? 'gray'
}

export function isOptionColor(name: unknown): name is OptionColor {
  return optionColors.some((color) => color === name)
}

export function isFieldType(name: unknown): name is FieldTypeName {
  return fieldTypeNames.some((known) => known === name)
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

const CODE = /^[a-z][a-z0-9_]{0,49}$/

/** The code of a field from its name, with a number if the code is taken. */
export function codeFor(name: string, taken: ReadonlySet<string>): string {
  const plain = plainCode(name)
  let code = plain
  for (let number = 2; taken.has(code); number++) code = numbered(plain, number)
  return code
}

export function isCode(text: string): boolean {
  return CODE.test(text)
}

export const CODE_RULE = `must begin with a letter from a to z and go on with such letters, digits and underscores, at most ${CODE_MAX} characters in all`

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

/** The sent values by key. Undefined if a key was not sent. */
export type SentKeys = ReadonlyMap<string, unknown>

/** Reads the keys of an input and reports those that are not accepted. `path` is the place of a nested object. */
export function parseSent(
  input: unknown,
  { accepted, path = '' }: { accepted: readonly string[]; path?: string },
  report: Report,
): SentKeys {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    report(path || 'body', path ? `The ${path} must be an object.` : 'The request body must be a JSON object.')
    return new Map()
  }
  const sent = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  for (const key of sent.keys()) {
    if (accepted.includes(key)) continue
    const name = excerpt(key)
    const known = accepted.length === 0 ? 'Nothing is accepted there.' : `Accepted: ${accepted.join(', ')}.`
    report(join(path, name), `The ${join(path, name)} key is not known here. ${known}${suggestion(key, accepted)}`)
  }
  return sent
}

/** The value of a key if it was sent and is valid, otherwise the earlier value. */
export function taken<T>({ sent, key, before }: Key<T>, parse: (raw: unknown) => T | undefined): T {
  if (!sent.has(key)) return before
  const value = parse(sent.get(key))
  return value === undefined ? before : value
}

type Key<T> = { sent: SentKeys; key: string; before: T }

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

const DESCRIPTION_MAX = 1000

/** A trimmed text that must not be empty. */
export function parseLine(raw: unknown, { key, max }: { key: string; max: number }, report: Report) {
  if (raw !== null && typeof raw !== 'string') {
    report(key, `The ${key} must be a string.`)
    return undefined
  }
  const text = raw?.trim() ?? ''
  const problem = unstorable(text)
  if (text === '') report(key, `The ${key} must not be empty.`)
  else if (lengthOf(text) > max) report(key, `The ${key} must not be longer than ${max} characters.`)
  else if (problem) report(key, `The ${key} ${problem}.`)
  else return text
  return undefined
}

export function parseDescription(raw: unknown, report: Report): string | null | undefined {
  if (raw === null || (typeof raw === 'string' && raw.trim() === '')) return null
  return parseLine(raw, { key: 'description', max: DESCRIPTION_MAX }, report)
}

/** Null means false. */
export function parseFlag(raw: unknown, key: string, report: Report): boolean | undefined {
  if (raw === null) return false
  if (typeof raw === 'boolean') return raw
  report(key, `The ${key} must be true or false.`)
  return undefined
}

export function parseWhole(
  raw: unknown,
  { key, from, to }: { key: string; from: number; to: number },
  report: Report,
): number | undefined {
  if (typeof raw === 'number' && Number.isInteger(raw) && raw >= from && raw <= to) return raw
  report(key, `The ${key} must be a whole number from ${from} to ${to}.`)
  return undefined
}
