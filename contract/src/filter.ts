import type { FieldDefinition } from './field-definition.ts'
import type { Linking, RelatedType, Relation, Resource } from './resource.ts'
import type { SearchParts } from './search-words.ts'

export const operators = [
  '$eq',
  '$contains',
  '$is_empty',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$has_any',
  '$has_none',
  '$in',
  '$not_in',
] as const
export type Operator = (typeof operators)[number]

export const logicWords = ['$and', '$or', '$not'] as const

/** Finds records as search does. It stands where a name stands, and takes a text. */
export const SEARCH = '$search'

/** What is asked of one field, already in the keys of the index: the compiler needs no knowledge of types. */
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

/** What can be asked of a relation as a whole. */
export type LinkTest =
  | { test: 'in'; ids: readonly string[] }
  | { test: 'not-in'; ids: readonly string[] }
  | { test: 'empty'; empty: boolean }

/** What can be asked of the external ids of a namespace. */
export type ExternalIdsTest = Extract<Test, { test: 'empty' | 'any' | 'none' }>

/** A parsed filter. Every node is two-valued, so that `not` is a true complement. */
export type Condition =
  | { node: 'and'; conditions: readonly Condition[] }
  | { node: 'or'; conditions: readonly Condition[] }
  | { node: 'not'; condition: Condition }
  | { node: 'attribute'; resource: Resource; attribute: string; test: Test }
  | { node: 'field'; resource: Resource; field: FieldDefinition; test: Test }
  | { node: 'external-ids'; resource: Resource; namespace: string; test: ExternalIdsTest }
  | { node: 'link'; resource: Resource; relation: Relation | Linking; name: string; test: LinkTest }
  /** Some related record is among `ids` (when given) and meets `condition` (when given). */
  | {
      node: 'related'
      resource: Resource
      relation: Relation | Linking
      name: string
      to: RelatedType
      ids?: readonly string[]
      condition?: Condition
    }
  | { node: 'assigned-to-me'; assigned: boolean }
  /** The record has all words of a query, in one of the ways in which it can be meant. */
  | { node: 'search'; resource: Resource; ways: readonly SearchParts[]; external_id: string | undefined }
