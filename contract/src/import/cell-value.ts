import { unescapeFormula } from '../csv/formula.ts'
import { readListCell } from '../csv/list-cell.ts'
import type { ValueKind } from '../field-type.ts'
import { targetOf } from '../field-types/reference.ts'
import { fieldTypes, isList } from '../field-types.ts'
import { parseId } from '../id.ts'
import type { RelatedType } from '../resource.ts'
import type { CellSettings } from './settings.ts'
import { BY_NAME, type ImportTarget } from './target.ts'

/** A cell as the value of a request body. Undefined where it says nothing, null where it clears. */
export function cellValue(cell: string, target: ImportTarget, settings: CellSettings): unknown {
  const text = cell.trim()
  if (text === '') return settings.blank === 'clear' ? null : undefined
  switch (target.kind) {
    case 'id':
      return text
    case 'label':
      return unescapeFormula(cell)
    case 'external_ids':
      return listIn(text)
    case 'field':
      return fieldValue(cell, target, settings)
    case 'reference':
      return named(unescapeFormula(text), target)
    case 'links':
      return listIn(text).map((item) => named(item, target))
  }
}

function fieldValue(cell: string, { field, by }: ImportTarget & { kind: 'field' }, settings: CellSettings): unknown {
  const { refersTo, kind } = fieldTypes[field.type]
  const text = cell.trim()
  const item = (one: string) => (refersTo ? named(one, { to: targetOf(field), by }) : one)
  if (isList(field)) return listIn(text).map(item)
  return refersTo ? item(unescapeFormula(text)) : valueIn(cell, kind, settings)
}

function listIn(text: string): string[] {
  return readListCell(text)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** A record by its id, its name or a match, a member by id or email address. */
function named(text: string, { to, by }: { to: RelatedType; by?: string | undefined }): unknown {
  if (by === BY_NAME) return parseId(text) ?? { name: text }
  if (by !== undefined) return { match: { field: by, value: text } }
  return to === 'users' && text.includes('@') ? { email: text } : text
}

function valueIn(cell: string, kind: ValueKind, { dates, decimal }: CellSettings): unknown {
  const text = unescapeFormula(cell.trim())
  switch (kind) {
    case 'Number':
      return numberIn(text, decimal)
    case 'Date':
      return dateIn(text, dates) ?? text
    case 'DateTime':
      return dateTimeIn(text, dates) ?? text
    case 'Boolean':
      return booleans.get(text.toLowerCase()) ?? text
    case 'Choice':
      return text
    default:
      return unescapeFormula(cell)
  }
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', '1', 'on', 'x'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0', 'off'].map((word) => [word, false] as const),
])

/** A number with a point. Thousands may be grouped by the other mark, a space or an apostrophe. */
function numberIn(text: string, decimal: CellSettings['decimal']): string {
  const group = decimal === '.' ? ',' : '.'
  const bare = text.replaceAll(/(?<=\d)[\s\u00a0\u202f'’](?=\d{3}(\D|$))/g, '')
  const grouped = new RegExp(`^[+-]?\\d{1,3}(\\${group}\\d{3})+(?!\\d)`)
  const plain = grouped.test(bare) ? bare.replaceAll(group, '') : bare
  if (decimal === '.') return plain
  // A point is no decimal mark here. Left in place it would be read as one.
  return plain.includes('.') ? text.replaceAll('.', ' . ') : plain.replace(',', '.')
}

const DAY = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})/

/** A date of the calendar as YYYY-MM-DD. One that begins with its year has no other order. */
function dateIn(text: string, order: CellSettings['dates']): string | undefined {
  const found = DAY.exec(text)
  return found && found[0].length === text.length ? dayOf(found, order) : undefined
}

function dayOf([, first = '', , second = '', third = '']: RegExpExecArray, order: CellSettings['dates']) {
  if (first.length === 4 && third.length <= 2) return written(first, second, third)
  if (order === 'iso' || third.length !== 4 || first.length > 2) return undefined
  return order === 'dmy' ? written(third, second, first) : written(third, first, second)
}

function written(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** A date and a time, separated by a space or `T`. Without an offset it is UTC. */
function dateTimeIn(text: string, order: CellSettings['dates']): string | undefined {
  const found = DAY.exec(text)
  const day = found && dayOf(found, order)
  if (!found || day === undefined || day === null) return undefined
  const rest = text.slice(found[0].length)
  if (rest === '') return day
  const time = /^(?:[Tt]|,? +)(\d{1,2})(:.*)$/.exec(rest)
  return time ? `${day}T${(time[1] ?? '').padStart(2, '0')}${(time[2] ?? '').replaceAll(' ', '')}` : undefined
}
