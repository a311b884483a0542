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
  /** Of an edited list: the ids that it loses. `links` has those that it gets. */
  unlinked: Map<string, string[]>
  /** Records and members whose ids are not known yet. Where they are named there are empty texts until then. */
  lookups: Lookup[]
  external_ids?: ExternalIdsInput
  values: Map<FieldDefinition, StoredValue | null>
  /** Invalid values, not reported yet: a record may hold them from before its fields became stricter. */
  wrong: Map<FieldDefinition, WrongValue>
}

export type WrongValue = { sent: unknown; issues: readonly Issue[] }

/** A record or member that an input names by something other than its id, and where its id goes. */
export type Lookup = { to: RelatedType; path: string; by: LookupBy; put(id: string): void }

/** A match or email address that names a record or member instead of its id. */
export type LookupBy = { match: Match; create?: Missing } | { email: string }

/** The record that is created if none holds the value of a match, and the function that reports its problems. */
export type Missing = { input: RecordInput; report: Report }
