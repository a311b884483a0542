/** The marks of an axis from zero to just above the largest value. */
export type Scale = { top: number; ticks: readonly number[] }

/** So many steps are aimed at. */
const STEPS = 4
const nice = [1, 2, 2.5, 5, 10]

/** A scale with round marks. `whole` for things that are counted. */
export function scaleOf(values: readonly number[], whole = false): Scale {
  const rough = Math.max(0, ...values) / STEPS
  const step = rough === 0 ? 1 : roundUp(rough, whole)
  const steps = Math.max(1, Math.ceil(Math.max(0, ...values) / step))
  return { top: step * steps, ticks: Array.from({ length: steps + 1 }, (_, place) => step * place) }
}

function roundUp(rough: number, whole: boolean): number {
  if (whole && rough <= 1) return 1
  const unit = 10 ** Math.floor(Math.log10(rough))
  const fits = (factor: number) => factor * unit >= rough && (!whole || Number.isInteger(factor * unit))
  return (nice.find(fits) ?? 10) * unit
}
