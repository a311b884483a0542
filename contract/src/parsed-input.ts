import type { ExternalIdsInput } from './external-ids.ts'
import type { FieldDefinition } from './field-definition.ts'
import type { StoredValue } from './field-type.ts'
import type { Issue, Report } from './issue.ts'
import type { Match } from './match.ts'
import type { RelatedType, Resource } from './resource.ts'

/** The changes that a caller asks for. Absent keys were not sent; `null` clears. */
export type RecordInput = {
  resource: Resource
  label?: string
  references: Map<string, string | null>
  links: Map<string, string[]>
  /** Of edited lists: what they lose. What they get is where other lists are. */
  removed: RemovedItems
  /** Records and members whose ids are not known yet. Where they are named there are empty texts until then. */
  lookups: Lookup[]
  external_ids?: ExternalIdsInput
  values: Map<FieldDefinition, StoredValue | null>
  /** Invalid values, not reported yet: a record may hold them from before its fields became stricter. */
  wrong: Map<FieldDefinition, WrongValue>
}

/** What edited lists lose, by attribute, field and namespace. A list that loses nothing has an empty one here. */
export type RemovedItems = {
  links: Map<string, string[]>
  values: Map<FieldDefinition, readonly string[]>
  external_ids: Map<string, readonly string[]>
}

export type WrongValue = { sent: unknown; issues: readonly Issue[] }

/**
 * A record or member that an input names by something other than its id, and where its id goes. `leaves`: it is named
 * to be removed from a list.
 */
export type Lookup = { to: RelatedType; path: string; by: LookupBy; leaves?: boolean; put(id: string): void }

/** A match, email address or name that names a record or member instead of its id. */
export type LookupBy = { match: Match; create?: Missing } | { email: string } | NamedBy

/** `key`: the name as it is compared. */
export type NamedBy = { name: string; key: string; create?: Missing }

/** The record that is created if none holds the value of a match, and the function that reports its problems. */
export type Missing = { input: RecordInput; report: Report }
