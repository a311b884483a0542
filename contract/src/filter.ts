import type { FieldDefinition } from './field-definition.ts'
import type { LinkingRelation, RelatedType, Relation, Resource } from './resource.ts'
import type { SearchParts } from './search-words.ts'

export const logicWords = ['$and', '$or', '$not'] as const

/** Finds records as search does. It stands where a name stands, and takes a text. */
export const SEARCH = '$search'

/** Stands for the user of the token in the ids of members. */
export const ME = 'me'

/** A condition on one field, already in the keys of the index, so that the compiler needs no knowledge of types. */
export type Test =
  | { test: 'empty'; empty: boolean }
  /** Some value has one of these match keys. With `texts`, the value is exactly the text at the place of its key. */
  | { test: 'any'; keys: readonly string[]; texts?: readonly string[] }
  /** No value has one of these match keys (with `texts`: is one of these texts); empty fields match. */
  | { test: 'none'; keys: readonly string[]; texts?: readonly string[] }
  /** The value is exactly this text; `key` is its match key. */
  | { test: 'exact'; key: string; text: string }
  /** The match key lies within the bounds (dates and times, whose order is that of their text). */
  | { test: 'range'; bounds: Bounds<string> }
  | { test: 'number'; bounds: Bounds<number> }
  /** The folded text holds this folded part. */
  | { test: 'contains'; part: string }
  /** Some value's host is one of these. */
  | { test: 'host-any'; hosts: readonly string[] }
  /** No value's host is one of these; empty fields match. */
  | { test: 'host-none'; hosts: readonly string[] }

export type Bounds<T> = { from?: T; to?: T; after?: T; before?: T }

/** The conditions on a relation as a whole. */
export type LinkTest =
  | { test: 'in'; ids: readonly string[] }
  | { test: 'not-in'; ids: readonly string[] }
  | { test: 'empty'; empty: boolean }

/** The conditions on the external ids of a namespace. */
export type ExternalIdsTest = Extract<Test, { test: 'empty' | 'any' | 'none' }>

/** A parsed filter. Every node is two-valued, so that `not` is a true complement. */
export type Condition =
  | { node: 'and'; conditions: readonly Condition[] }
  | { node: 'or'; conditions: readonly Condition[] }
  | { node: 'not'; condition: Condition }
  | { node: 'attribute'; resource: Resource; attribute: string; test: Test }
  | { node: 'field'; resource: Resource; field: FieldDefinition; test: Test }
  | { node: 'external-ids'; resource: Resource; namespace: string; test: ExternalIdsTest }
  /** `stored`: compares the stored id, even if the related record is deleted or the member has left. */
  | {
      node: 'link'
      resource: Resource
      relation: Relation | LinkingRelation
      name: string
      test: LinkTest
      stored?: true
    }
  /** Some related record is among `ids` (when given) and meets `condition` (when given). */
  | {
      node: 'related'
      resource: Resource
      relation: Relation | LinkingRelation
      name: string
      to: RelatedType
      ids?: readonly string[]
      condition?: Condition
    }
  | { node: 'assigned-to-me'; assigned: boolean }
  /** The record has all words of a query, in one of the ways in which it can be meant. */
  | { node: 'search'; resource: Resource; ways: readonly SearchParts[]; external_id: string | undefined }

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

/** The same text for equal filters, independent of their spelling; definitions are named by their id. */
export function identityOf(filter: Condition | undefined): string {
  return filter === undefined ? '' : JSON.stringify(filter, byIdentity)
}

function byIdentity(key: string, value: unknown): unknown {
  if (key === 'field' && typeof value === 'object' && value !== null && 'id' in value) return value.id
  if (key === 'resource' && typeof value === 'object' && value !== null && 'type' in value) return value.type
  // The resource and the relation's name say it all.
  return key === 'relation' ? undefined : value
}
