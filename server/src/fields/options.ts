import { excerpt } from '@kith/contract/excerpt'
import type { FieldOption } from '@kith/contract/field-definition'
import { fold } from '@kith/contract/fold'
import { newId, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { OPTION_LABEL_MAX, OPTIONS_MAX } from '@kith/contract/limits'
import { parseLine, parseSent, type Sent } from './sent.ts'

/** An option as it was sent, and where. */
type SentOption = { raw: unknown; path: string }

/** Reads a list of labels, or of objects with a label and perhaps an id and a colour. */
function parseOptionList(raw: unknown, key: string, report: Report): SentOption[] | undefined {
  if (raw === null) return []
  if (Array.isArray(raw)) return raw.map((item, index) => ({ raw: item, path: `${key}.${index}` }))
  report(key, `The ${key} must be a list of labels.`)
  return undefined
}

/** The requested options. One that is named by id or label stays the same option, others are new. */
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

type Wish = { id?: string; label?: string; color?: string | null }

function parseWish({ raw, path }: SentOption, report: Report): Wish | undefined {
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

function parseColor(sent: Sent, path: string, report: Report): { color?: string | null } {
  const color = sent.get('color')
  if (color === undefined) return {}
  if (color === null || isOptionColor(color)) return { color }
  report(`${path}.color`, `The ${path}.color must be one of: ${optionColors.join(', ')}.`)
  return {}
}

/** The option of that label, unless the list names it by its id somewhere: then this is another. */
function unnamed(before: readonly FieldOption[], label = '', named: ReadonlySet<string | undefined>) {
  return before.find((option) => fold(option.label) === fold(label) && !named.has(option.id))
}

export const optionKeys = ['options', 'add_options', 'remove_options', 'rename_options']

/** The requested options of a field: a whole list, or changes of the current one. Undefined if neither was sent. */
export function wantedOptions(sent: Sent, before: readonly FieldOption[], report: Report): SentOption[] | undefined {
  const edits = optionKeys.filter((key) => key !== 'options' && sent.has(key))
  if (!sent.has('options')) return edits.length === 0 ? undefined : edited(sent, before, report)
  for (const key of edits) report(key, `Send either options or ${key}, not both.`)
  return parseOptionList(sent.get('options'), 'options', report)
}

function edited(sent: Sent, before: readonly FieldOption[], report: Report): SentOption[] {
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

/** The new labels by the id of the option, each with its place in the input. */
function renamings(sent: Sent, before: readonly FieldOption[], report: Report): Map<string, SentOption> {
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

function removals(sent: Sent, before: readonly FieldOption[], report: Report): Set<string> {
  const removed = new Set<string>()
  for (const { raw, path } of parseOptionList(sent.get('remove_options') ?? [], 'remove_options', report) ?? []) {
    const option = optionNamed(raw, { options: before, path }, report)
    if (option) removed.add(option.id)
  }
  return removed
}

/** The option that a caller means by its id or its label. */
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

/** Names, so that every surface picks its own shades. */
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
