import { isObject } from '../raw-input.ts'

/** A filter in the words of the API. */
type FilterObject = Readonly<Record<string, unknown>>

/** Keys of one object are joined by AND; keys that would overwrite each other go into `$and`. */
export function allOf(parts: readonly FilterObject[]): FilterObject | undefined {
  const [first, ...others] = parts
  if (!first) return undefined
  const apart: FilterObject[] = []
  let together = first
  for (const part of others) {
    const merged = mergedWith(together, part)
    if (merged) together = merged
    else apart.push(part)
  }
  if (apart.length === 0) return together
  return { ...together, $and: [...(Array.isArray(together.$and) ? together.$and : []), ...apart] }
}

/**
 * Undefined if both use the same name. Relations are never merged: each is about a record of its own. Periods are
 * never merged either: they become bounds, which other bounds would overwrite.
 */
function mergedWith(one: FilterObject, other: FilterObject): FilterObject | undefined {
  const merged: Record<string, unknown> = { ...one }
  for (const [key, value] of Object.entries(other)) {
    const present = merged[key]
    if (present === undefined) merged[key] = value
    else if (key.startsWith('$') || !isObject(present) || !isObject(value)) return undefined
    else if (key === 'custom_fields') {
      const inner = mergedWith(present, value)
      if (!inner) return undefined
      merged[key] = inner
    } else if (isTest(present) && isTest(value) && !isApart(present) && !isApart(value)) {
      if (Object.keys(value).some((operator) => Object.hasOwn(present, operator))) return undefined
      merged[key] = { ...present, ...value }
    } else return undefined
  }
  return merged
}

function isTest(node: Record<string, unknown>): boolean {
  return Object.keys(node).every((key) => key.startsWith('$') && !['$and', '$or', '$not'].includes(key))
}

function isApart(node: Record<string, unknown>): boolean {
  return ['$in', '$not_in', '$during', '$between'].some((operator) => operator in node)
}
