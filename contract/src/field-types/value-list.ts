import type { FieldDefinition } from '../field-definition.ts'
import type { Place, StoredValue } from '../field-type.ts'
import { VALUES_MAX } from '../limits.ts'
import { unstorable } from '../raw-input.ts'
import { isBlank } from './blank.ts'

/** Reads one value of a list, which is neither blank nor unstorable. */
export type ParseValue = (text: string, place: Place) => string | undefined

export type ListRules = {
  parseValue: ParseValue
  /** Values with the same key are the same value: the first is kept. */
  keyOf(value: string): string
  /** How many values a list of this field may hold. */
  most(field: FieldDefinition): number
}

/** Reads a list of texts, or one text as a list of one. */
export function parseValueList(raw: unknown, rules: ListRules, place: Place): string[] | null | undefined {
  const { field, path, report } = place
  if (isBlank(raw)) return null
  const items: unknown = typeof raw === 'string' ? [raw] : raw
  if (!Array.isArray(items)) {
    report(path, `The ${field.name} must be a list of strings, or one string.`)
    return undefined
  }
  if (items.length === 0) return null
  const most = rules.most(field)
  if (items.length > VALUES_MAX) {
    report(path, tooMany(field, most))
    return undefined
  }
  const values: string[] = []
  const seen = items.length > 1 ? new Set<string>() : undefined
  let failed = false
  for (let index = 0; index < items.length; index++) {
    const value = parseItem(items[index], rules, { ...place, path: `${path}.${index}` })
    if (value === undefined) failed = true
    else if (isNew(value, rules, seen)) values.push(value)
  }
  if (values.length > most) {
    report(path, tooMany(field, most))
    return undefined
  }
  return failed ? undefined : values
}

/** The values of a stored list. */
export function valuesOf(stored: StoredValue): readonly string[] {
  return typeof stored === 'object' ? stored : []
}

function parseItem(item: unknown, rules: ListRules, place: Place): string | undefined {
  const problem = problemOf(item)
  if (problem === undefined && typeof item === 'string') return rules.parseValue(item, place)
  place.report(place.path, `The ${place.field.name} ${problem}.`)
  return undefined
}

function isNew(value: string, rules: ListRules, seen: Set<string> | undefined): boolean {
  if (seen === undefined) return true
  const before = seen.size
  return seen.add(rules.keyOf(value)).size > before
}

function problemOf(item: unknown): string | undefined {
  if (isBlank(item)) return 'must not have an empty value'
  return typeof item === 'string' ? unstorable(item) : 'must be a string'
}

/** The problem of a list with more values than its field may hold. */
export function tooMany(field: FieldDefinition, most: number): string {
  return `The ${field.name} must not have more than ${most} ${most === 1 ? 'value' : 'values'}.`
}
