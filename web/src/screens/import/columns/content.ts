import { readListCell } from '@kith/contract/csv/list-cell'
import type { FieldDefinition } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import '@kith/contract/numbering-plans'

/** What the cells of a column look like. */
export type ColumnContent = {
  /** The type of field that fits them. Undefined for an empty column. */
  type: FieldTypeName | undefined
  /** In which order dates are written, where their numbers tell. */
  dates?: 'iso' | 'dmy' | 'mdy' | 'unclear'
  decimal?: '.' | ','
}

/** Most cells are of the type. A few may be wrong: the preview shows which. */
const MOST = 0.6
const LONG = 120
const OPTIONS_MAX = 25

type CellCounts = { values: readonly string[] | null; filled: number }

/** Recognises the content of a column by its cells. */
export function contentOf(cells: readonly string[], facts: CellCounts): ColumnContent {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  if (filled.length === 0) return { type: undefined }
  const most = (test: (cell: string) => boolean) => filled.filter(test).length >= filled.length * MOST
  for (const type of ['email', 'link', 'domain', 'phone'] as const) {
    if (most((cell) => partsOf(cell).every((part) => isValue(type, part)))) return { type }
  }
  if (most((cell) => DATE.test(cell))) return { type: hasTimes(filled) ? 'date-time' : 'date', dates: orderOf(filled) }
  if (most((cell) => NUMBER.test(cell))) return { type: 'number', decimal: decimalIn(filled) }
  if (most((cell) => /^(true|false|yes|no)$/i.test(cell))) return { type: 'toggle' }
  if (areOptions(facts)) return { type: 'select' }
  return { type: filled.some((cell) => cell.length > LONG || cell.includes('\n')) ? 'textarea' : 'text' }
}

function partsOf(cell: string): string[] {
  return cell
    .split(' ::: ')
    .flatMap(readListCell)
    .flatMap((part) => part.split(','))
}

const DATE = /^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})([T ,].*)?$/
const NUMBER = /^[+-]?\d[\d.,'’ \u00a0\u202f]*$/

function isValue(type: 'email' | 'link' | 'domain' | 'phone', text: string): boolean {
  const part = text.trim()
  // A link without its protocol is a domain, and a single word is neither.
  if (type === 'link' && !/^https?:\/\//i.test(part)) return false
  if (type === 'domain' && !/^[^\s/@]+\.[^\s/@]+$/.test(part)) return false
  return fieldTypes[type].parse([part], { field: fieldOf(type), path: '', report() {} }) !== undefined
}

/** A field to try values with. */
function fieldOf(type: FieldTypeName): FieldDefinition {
  const names = { id: '', number: 0, key: '', code: '', name: '', description: null, created_at: '', updated_at: '' }
  const rules = { required: false, unique: false, multiple: false, max_values: 1, settings: {}, options: [] }
  return { ...names, ...rules, entity_type: 'people', type, position: 0, system: false }
}

function hasTimes(cells: readonly string[]): boolean {
  return cells.some((cell) => /[T ,]\s*\d{1,2}:\d{2}/.test(cell))
}

/** A number above 12 is a day. */
function orderOf(cells: readonly string[]): ColumnContent['dates'] {
  const short = cells.map((cell) => /^(\d{1,2})[-/.](\d{1,2})[-/.]\d{4}/.exec(cell)).filter((found) => found !== null)
  if (short.length === 0) return 'iso'
  if (short.some(([, first]) => Number(first) > 12)) return 'dmy'
  return short.some(([, , second]) => Number(second) > 12) ? 'mdy' : 'unclear'
}

/** A comma with one or two digits after it, or a point before groups of three. */
function decimalIn(cells: readonly string[]): '.' | ',' {
  return cells.some((cell) => /,\d{1,2}$/.test(cell) || /\.\d{3},/.test(cell)) ? ',' : '.'
}

/** A few short values that repeat. */
function areOptions({ values, filled }: CellCounts): boolean {
  if (values === null || values.length > OPTIONS_MAX || values.length * 3 > filled) return false
  return values.every((value) => value.length <= 40)
}
