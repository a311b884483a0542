import { comparisons } from '../bounds.ts'
import type { FieldType } from '../field-type.ts'
import { isBlank } from './blank.ts'
import { decimalOf, numberEntries, numberTest, parseNumber } from './decimal.ts'

const DECIMALS_DEFAULT = 2

export const currency: FieldType = {
  name: 'currency',
  kind: 'Number',
  list: false,
  sortable: true,
  canBeUnique: false,
  textLike: false,
  operators: [...comparisons, '$is_empty'],
  valueKey: 'number_key',
  decimals: (field) => field.settings.decimals ?? DECIMALS_DEFAULT,
  settings: { currency: 'USD', decimals: DECIMALS_DEFAULT },
  example: () => ({ value: 12500.5, filter: { $gt: 10000 } }),
  parse(raw, { field, path, report }) {
    if (isBlank(raw)) return null
    const decimals = field.settings.decimals ?? DECIMALS_DEFAULT
    const value = parseNumber(raw)
    const problem = value === undefined ? 'must be a number' : problemOf(value, raw, decimals)
    if (problem !== undefined) report(path, `The ${field.name} ${problem}.`)
    return problem === undefined ? value : undefined
  },
  present(stored) {
    return stored
  },
  index: numberEntries,
  searchText: () => null,
  operand: numberTest,
}

function problemOf(value: number, raw: unknown, decimals: number): string | undefined {
  const limit = limitOf(decimals)
  if (Math.abs(value) >= limit) return `must be less than ${limit}, and more than -${limit}`
  if (Number.isInteger(value) && typeof raw === 'number') return undefined
  if (-decimalOf(raw).exponent <= decimals) return undefined
  return decimals === 0 ? 'must be a whole number' : `must not have more than ${decimals} decimals`
}

/** Up to here doubles lie closer together than amounts, so that no two amounts become the same number. */
function limitOf(decimals: number): number {
  return 2 ** (53 - Math.ceil(decimals * Math.log2(10)))
}
