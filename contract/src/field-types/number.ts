import { comparisons } from '../bounds.ts'
import type { FieldType } from '../field-type.ts'
import { isBlank } from './blank.ts'
import { decimalOf, numberEntries, numberTest, parseNumber } from './decimal.ts'

const LARGEST = 2 ** 53
/** Averages of numbers are rounded as if values had this many. */
const DECIMALS = 9

export const number: FieldType = {
  name: 'number',
  kind: 'Number',
  list: false,
  sortable: true,
  canBeUnique: true,
  textLike: false,
  operators: [...comparisons, '$is_empty'],
  valueKey: 'number_key',
  decimals: () => DECIMALS,
  example: () => ({ value: 42, filter: { $gte: 10 } }),
  parse(raw, { field, path, report }) {
    if (isBlank(raw)) return null
    const value = parseNumber(raw)
    if (value === undefined) report(path, `The ${field.name} must be a number.`)
    else if (isWithinRange(value, raw)) return value
    else report(path, `The ${field.name} must be between -${LARGEST} and ${LARGEST}.`)
    return undefined
  },
  present(stored) {
    return stored
  },
  index: numberEntries,
  searchText: () => null,
  operand: numberTest,
}

function isWithinRange(value: number, raw: unknown): boolean {
  const size = Math.abs(value)
  // A text just above the limit has been rounded down to it.
  return size < LARGEST || (size === LARGEST && decimalOf(raw).digits === String(LARGEST))
}
