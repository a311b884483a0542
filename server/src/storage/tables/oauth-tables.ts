/** A program that a member has let into a workspace, and what it may do there. Its tokens refer to it. */
export type ConnectionsTable = {
  id: string
  workspace_id: string
  user_id: string
  client_id: string
  abilities: string
  last_used_at: string | null
  revoked_at: string | null
  created_at: string
}

/** The programs that have made themselves known, as better-auth keeps them; only what others read is typed here. */
export type OauthClientsTable = {
  client_id: string
  name: string | null
  uri: string | null
  /** JSON: a list of addresses. */
  redirect_uris: string
  created_at: string | Date
}

/** Tokens of programs, as better-auth keeps them. `reference_id` is the connection. */
export type OauthTokensTable = {
  token: string
  reference_id: string | null
  expires_at: string | Date
  /** Of refresh tokens only: when it was used. */
  revoked?: string | Date | null
}

export type OauthConsentsTable = { client_id: string; reference_id: string | null }
