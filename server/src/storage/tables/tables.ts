import type { ResourceName } from '@kith/contract/resource'
import type { ConnectionsTable, OauthClientsTable, OauthConsentsTable, OauthTokensTable } from './oauth-tables.ts'

/** A table of records. Columns that only some resources have are optional; the registry says which. */
export type RecordTable = {
  id: string
  workspace_id: string
  name?: string
  title?: string
  /** The folded name or title, by which records sort and are found. */
  name_key: string
  account_owner_id?: string | null
  company_id?: string | null
  contact_id?: string | null
  creator_id: string | null
  creation_source: string
  created_at: string
  updated_at: string
  deleted_at: string | null
  deleted_by: string | null
  /** JSON text, by field key: the truth about a record's values. */
  custom_fields: string
}

/** The index over the values of live records. Never read to answer a record. */
type FieldValuesTable = {
  workspace_id: string
  record_id: string
  field_id: string
  /** Which of the field's values it is, from 0; there are gaps where an option was deleted. */
  place: number
  match_key: string | null
  number_key: number | null
  host_key: string | null
  exact: string | null
  /** The record's, so that a page of matches comes in order straight from the index. */
  created_at: string
}

type LinksTable = {
  workspace_id: string
  from_type: string
  from_id: string
  relation: string
  to_id: string
}

/**
 * How many live records there are, and a number that moves with every write. Several slots, so that writers do not
 * queue for one row.
 */
type RecordCountsTable = {
  workspace_id: string
  resource: string
  slot: number
  live: number
  version: number
}

/**
 * The keys that a record had before they moved; rows are written by the tables' own triggers and kept for as long as a
 * walk may last.
 */
type KeyMovesTable = {
  seq: number
  workspace_id: string
  resource: string
  record_id: string
  name_key: string
  updated_at: string
  moved_at: string
}

export type CustomFieldsTable = {
  id: string
  workspace_id: string
  entity_type: string
  code: string
  key: string
  name: string
  name_key: string
  type: string
  description: string | null
  required: number
  unique: number
  multiple: number
  max_values: number
  position: number
  system: number
  settings: string
  options: string
  archived_at: string | null
  deleted_at: string | null
  created_at: string
  updated_at: string
}

export type WorkspacesTable = {
  id: string
  name: string
  slug: string
  /** Moves with every change of the custom fields; definitions are cached under it. */
  fields_version: number
  trial_ends_at: string
  /** The state of the subscription as Stripe tells it, or null without one. */
  subscription_status: string | null
  stripe_customer_id: string | null
  stripe_subscription_id: string | null
  /** When Stripe made the event that was last applied, in seconds: events may come out of order. */
  stripe_event_at: number | null
  complimentary: number
  paused_at: string | null
  /** 1 where members open the workspace only in a session that began with a second factor. */
  require_second_factor: number
  created_at: string
  /** Whose limit of workspaces it counts for; null when the operator made it. */
  created_by: string | null
}

export type MembersTable = {
  workspace_id: string
  user_id: string
  role: string
  created_at: string
  /** Sessions that began before this moment do not open the workspace. */
  sessions_ended_at?: string | null
}

export type TokensTable = {
  id: string
  workspace_id: string
  user_id: string
  name: string
  hash: string
  abilities: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
  created_at: string
}

/**
 * The users, and how they sign in, as better-auth keeps them; only what others read or write is typed here. Yes-or-no
 * and times are in the form better-auth uses in each database, so that nothing but an insert may touch them.
 */
type UsersTable = {
  id: string
  name: string
  email: string
  /** SQLite stores it as a number. */
  email_verified: boolean | number
  created_at: string
  updated_at: string
}

/** Read and written with statements of fixed text but for these columns. */
type SessionsTable = { id: string; user_id: string; token: string }

type AccountsTable = {
  id: string
  user_id: string
  account_id: string
  provider_id: string
  password: string | null
  created_at: string
  updated_at: string
}

/** Records that became one. `changes` holds what the winner took over, to be given back when the merge is undone. */
export type MergesTable = {
  workspace_id: string
  id: string
  resource: string
  winner_id: string
  actor_id: string | null
  created_at: string
  undone_at: string | null
  changes: string
}

type MergeLosersTable = { workspace_id: string; merge_id: string; record_id: string }

/** A record that referred to a loser, or was linked to it, and now to the winner. */
type MergeMovesTable = {
  workspace_id: string
  merge_id: string
  resource: string
  /** The column of a reference, or the relation of a link. */
  relation: string
  record_id: string
  from_id: string
  /** Whether the merge made the link to the winner; 0 where there was one already. */
  added: number
}

/** Who changed what. Kept under the kind of thing that was changed, newest last. */
export type AuditLogTable = {
  workspace_id: string
  resource: string
  id: string
  action: string
  actor_id: string | null
  source: string
  token_id: string | null
  /** Null for the making of a record, whose entry has the record's own id. */
  record_id: string | null
  name: string | null
  changes: string | null
}

/** One that was taken, withdrawn or has expired is gone. */
export type InvitationsTable = {
  workspace_id: string
  id: string
  hash: string
  /** Null if anyone who has the link may join. */
  email: string | null
  role: string
  inviter_id: string
  created_at: string
  expires_at: string
}

export type ViewsTable = {
  workspace_id: string
  id: string
  resource: string
  owner_id: string
  name: string
  shared: number
  /** JSON text that the application owns. */
  state: string
  position: number
  created_at: string
  updated_at: string
}

/** The record that was made under a key, so that the same call once more makes no second one. */
export type IdempotencyKeysTable = {
  workspace_id: string
  user_id: string
  key: string
  input_hash: string
  resource: string
  record_id: string
  created_at: string
}

type MigrationsTable = { name: string; applied_at: string }

export type Tables = Record<ResourceName, RecordTable> & {
  field_values: FieldValuesTable
  links: LinksTable
  record_counts: RecordCountsTable
  key_moves: KeyMovesTable
  custom_fields: CustomFieldsTable
  workspaces: WorkspacesTable
  members: MembersTable
  tokens: TokensTable
  users: UsersTable
  accounts: AccountsTable
  merges: MergesTable
  merge_losers: MergeLosersTable
  merge_moves: MergeMovesTable
  audit_log: AuditLogTable
  sessions: SessionsTable
  invitations: InvitationsTable
  views: ViewsTable
  idempotency_keys: IdempotencyKeysTable
  connections: ConnectionsTable
  oauth_clients: OauthClientsTable
  oauth_access_tokens: OauthTokensTable
  oauth_refresh_tokens: OauthTokensTable
  oauth_consents: OauthConsentsTable
  migrations: MigrationsTable
}
