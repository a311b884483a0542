/** Most values are whole millionths of fewer than 16 digits: a double stands for each of these alone. */
const MILLION = 1_000_000
const FEW_DIGITS = 1e15
/** One more value is still a safe integer. */
const MILLIONTHS_MAX = 2 ** 52

/** `millionths` is what was added last, `units` all before, in units of 10 to the power of `-scale`. */
export type Sum = { millionths: number; units: bigint; scale: number; some: boolean }

/** An exact sum of doubles, each of which stands for its shortest decimal. */
export function newSum(): Sum {
  return { millionths: 0, units: 0n, scale: 6, some: false }
}

/** Adds a number, or a sum as text. */
export function addTo(sum: Sum, value: unknown): Sum {
  if (value === null) return sum
  sum.some = true
  const millionths = typeof value === 'number' ? Math.round(value * MILLION) : Number.NaN
  if (Math.abs(millionths) < FEW_DIGITS && millionths / MILLION === value) {
    sum.millionths += millionths
    if (Math.abs(sum.millionths) > MILLIONTHS_MAX) settle(sum)
    return sum
  }
  const { units, scale } = decimalIn(String(value))
  if (scale > sum.scale) {
    sum.units *= 10n ** BigInt(scale - sum.scale)
    sum.scale = scale
  }
  sum.units += units * 10n ** BigInt(sum.scale - scale)
  return sum
}

/** Adds a sum as text so many times. */
export function addTimes(sum: Sum, text: string | null, times: number): Sum {
  if (text === null) return sum
  const { units, scale } = decimalIn(text)
  return addTo(sum, decimalText({ units: units * BigInt(times), scale }))
}

function settle(sum: Sum): void {
  sum.units += BigInt(sum.millionths) * 10n ** BigInt(sum.scale - 6)
  sum.millionths = 0
}

export function textOf(sum: Sum): string | null {
  if (!sum.some) return null
  settle(sum)
  return decimalText(sum)
}

/** Halves are rounded away from zero. */
export function averageOf(sum: string, { count, decimals }: { count: number; decimals: number }): number {
  const { units, scale } = decimalIn(sum)
  const size = units < 0n ? -units : units
  const by = BigInt(count) * 10n ** BigInt(scale)
  const rounded = (2n * size * 10n ** BigInt(decimals) + by) / (2n * by)
  return Number(decimalText({ units: units < 0n ? -rounded : rounded, scale: decimals }))
}

type Decimal = { units: bigint; scale: number }

/** A number as JavaScript writes it: 12.5, -3e-7, 1.5e+21. */
function decimalIn(text: string): Decimal {
  const [digits = '', exponent = '0'] = text.split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const scale = fraction.length - Number(exponent)
  const units = BigInt(whole + fraction)
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale }
}

function decimalText({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
}
