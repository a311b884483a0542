import { made } from './formats.ts'

/** The separators of groups of digits and of decimals. */
const marks = {
  '1,234.5': { group: ',', decimal: '.' },
  '1.234,5': { group: '.', decimal: ',' },
  // A space that does not break the line.
  '1 234,5': { group: '\u00a0', decimal: ',' },
  '1’234.5': { group: '’', decimal: '.' },
  '1234.5': { group: '', decimal: '.' },
} as const

/** The marks that the user has chosen; undefined for those of the locale. */
export const chosenMarks = made(({ numbers }) => (numbers === 'auto' ? undefined : marks[numbers]))

/** Formatters are slow to make and fast to use. */
const writer = made((): ((options: Intl.NumberFormatOptions, value: number) => string) => {
  const known = new Map<string, Intl.NumberFormat>()
  const formatter = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
    const key = JSON.stringify(options)
    const format = known.get(key) ?? new Intl.NumberFormat(undefined, options)
    known.set(key, format)
    return format
  }
  const own = chosenMarks()
  if (!own) return (options, value) => formatter(options).format(value)
  const { group, decimal } = own
  return (options, value) => {
    const grouped = options.notation === 'compact' ? options : { ...options, useGrouping: 'always' as const }
    const shown = formatter(grouped)
      .formatToParts(value)
      .map((part) => {
        if (part.type === 'group') return group
        return part.type === 'decimal' ? decimal : part.value
      })
    return shown.join('')
  }
})

/** A number in the reader's format, with all the digits that it has. */
export function formatNumber(value: number): string {
  return writer()({ maximumFractionDigits: 20 }, value)
}

/** How many there are of something with a regular plural: "1 row", "2,000 rows". */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}

type Money = { currency?: string; decimals?: number }

/** An amount in the reader's format. An unknown currency code is written before the amount. */
export function formatMoney(value: number, { currency = 'USD', decimals = 2 }: Money): string {
  try {
    return writer()({ style: 'currency', currency, minimumFractionDigits: decimals }, value)
  } catch {
    return `${currency} ${formatNumber(value)}`
  }
}

/** An amount for tight places: €1.2M. */
export function formatMoneyShort(value: number, { currency = 'USD' }: Money): string {
  return writer()({ style: 'currency', currency, notation: 'compact', maximumFractionDigits: 1 }, value)
}
