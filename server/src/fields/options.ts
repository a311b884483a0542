import { excerpt } from '@kith/contract/excerpt'
import type { FieldOption } from '@kith/contract/field-definition'
import { fold } from '@kith/contract/fold'
import { newId, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { OPTION_LABEL_MAX, OPTIONS_MAX } from '@kith/contract/limits'
import { parseLine } from './attributes.ts'
import { colorAt, isOptionColor, optionColors } from './option-colors.ts'
import { parseSent, type Sent } from './sent.ts'

/** An option as it was sent, and where. */
export type SentOption = { raw: unknown; path: string }

/** Reads a list of labels, or of objects with a label and perhaps an id and a colour. */
export function parseOptionList(raw: unknown, key: string, report: Report): SentOption[] | undefined {
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
