/** The round marks of an axis, from the lowest to the highest. Zero is one of them. */
type Axis = { low: number; high: number; ticks: readonly number[] }

/** So many steps are aimed at. */
const STEPS = 4
const nice = [1, 2, 2.5, 5, 10]

/** An axis for these values. `whole` for things that are counted. */
export function axisOf(values: readonly number[], whole = false): Axis {
  const [smallest, largest] = [Math.min(0, ...values), Math.max(0, ...values)]
  const step = stepOf((largest - smallest) / STEPS, whole)
  const [first, last] = [Math.floor(smallest / step + TINY), Math.ceil(largest / step - TINY)]
  const steps = Math.max(1, last - first)
  const ticks = Array.from({ length: steps + 1 }, (_, place) => clean((first + place) * step))
  return { low: ticks[0] ?? 0, high: ticks.at(-1) ?? 1, ticks }
}

/** A value on a mark is on it, although its quotient may be a little more. */
const TINY = 1e-9

function stepOf(rough: number, whole: boolean): number {
  if (rough === 0 || (whole && rough <= 1)) return 1
  const unit = 10 ** Math.floor(Math.log10(rough))
  const fits = (factor: number) => factor * unit >= rough * (1 - TINY) && (!whole || Number.isInteger(factor * unit))
  return (nice.find(fits) ?? 10) * unit
}

function clean(value: number): number {
  return Number(value.toPrecision(12))
}

/** Where a value is along an axis of a length. */
export function placeOn({ low, high }: Axis, value: number, length: number): number {
  return ((value - low) / (high - low)) * length
}

/** Every how many labels one is shown, so that they do not touch. The last one is always shown: it may have no date. */
export function labelStep(widths: readonly number[], room: number): number {
  const widest = Math.max(0, ...widths) + GAP
  return Math.max(1, Math.ceil(widest / Math.max(1, room)))
}

const GAP = 8

/** The middle of a label that must not leave the drawing. */
export function labelPlace(middle: number, width: number, room: number): number {
  return Math.max(width / 2, Math.min(middle, room - width / 2))
}

/** Splits a width among items in lines: the place of each. */
export function flow(widths: readonly number[], room: number): { x: number; line: number }[] {
  let [x, line] = [0, 0]
  return widths.map((width) => {
    if (x > 0 && x + width > room) {
      x = 0
      line++
    }
    const place = { x, line }
    x += width
    return place
  })
}
