import type { Bounds, Condition } from './filter.ts'

/**
 * Conditions that must all hold, laid flat, with the bounds of one field or attribute joined into one range: `$gte` and
 * `$lt` are two operators but one question. Ranges are asked of single values only, so that this changes nothing.
 */
export function mergeRanges(conditions: readonly Condition[]): Condition[] {
  const merged: Condition[] = []
  const places = new Map<string, number>()
  for (const condition of flattened(conditions)) {
    const name = rangeName(condition)
    const place = name === undefined ? undefined : places.get(name)
    const other = place === undefined ? undefined : merged[place]
    if (place !== undefined && other) merged[place] = joined(other, condition)
    else {
      if (name !== undefined) places.set(name, merged.length)
      merged.push(condition)
    }
  }
  return merged
}

function flattened(conditions: readonly Condition[]): Condition[] {
  return conditions.flatMap((condition) => (condition.node === 'and' ? flattened(condition.conditions) : [condition]))
}

function rangeName(condition: Condition): string | undefined {
  if (condition.node !== 'field' && condition.node !== 'attribute') return undefined
  const { test } = condition.test
  if (test !== 'range' && test !== 'number') return undefined
  return condition.node === 'field' ? condition.field.id : `.${condition.attribute}`
}

function joined(one: Condition, other: Condition): Condition {
  if ((one.node !== 'field' && one.node !== 'attribute') || one.node !== other.node) return one
  if (one.test.test === 'number' && other.test.test === 'number') {
    return { ...one, test: { test: 'number', bounds: tighter(one.test.bounds, other.test.bounds) } }
  }
  if (one.test.test === 'range' && other.test.test === 'range') {
    return { ...one, test: { test: 'range', bounds: tighter(one.test.bounds, other.test.bounds) } }
  }
  return one
}

function tighter<T extends string | number>(one: Bounds<T>, other: Bounds<T>): Bounds<T> {
  return {
    from: pick(one.from, other.from, (a, b) => (a > b ? a : b)),
    after: pick(one.after, other.after, (a, b) => (a > b ? a : b)),
    to: pick(one.to, other.to, (a, b) => (a < b ? a : b)),
    before: pick(one.before, other.before, (a, b) => (a < b ? a : b)),
  }
}

function pick<T>(one: T | undefined, other: T | undefined, choose: (a: T, b: T) => T): T | undefined {
  return one === undefined ? other : other === undefined ? one : choose(one, other)
}
