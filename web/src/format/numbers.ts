/** Formatters are dear to make and cheap to use. */
const made = new Map<string, Intl.NumberFormat>()

function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options)
  const known = made.get(key)
  if (known) return known
  const fresh = new Intl.NumberFormat(undefined, options)
  made.set(key, fresh)
  return fresh
}

/** A number in the reader's locale, with all the digits that it has. */
export function formatNumber(value: number): string {
  return formatter({ maximumFractionDigits: 20 }).format(value)
}

type Money = { currency?: string; decimals?: number }

/** An amount in the reader's locale. An unknown currency code is written before the amount. */
export function formatMoney(value: number, { currency = 'USD', decimals = 2 }: Money): string {
  try {
    return formatter({ style: 'currency', currency, minimumFractionDigits: decimals }).format(value)
  } catch {
    return `${currency} ${formatNumber(value)}`
  }
}

/** An amount for tight places: €1.2M. */
export function formatMoneyShort(value: number, { currency = 'USD' }: Money): string {
  return formatter({ style: 'currency', currency, notation: 'compact', maximumFractionDigits: 1 }).format(value)
}
