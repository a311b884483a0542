import type { Role } from '../abilities.ts'
import type { Formats } from './formats.ts'

/** `GET /start`: the data of the first screen. */
export type Start = {
  needs_set_up: boolean
  signed_in: boolean
  hosted: boolean
  /** Whether the service can send mail. */
  mail: boolean
  /** Whether the guide is served at `/guide/`. */
  guide: boolean
  version: string
  /** The address before `/v1` of the public API: its own domain, or a path of the application's address. */
  api_url: string
  /** Where programs find the tool server. */
  mcp_url: string
  /** The name of the provider through which people can sign in; null where there is none. */
  provider: string | null
}

/** `GET /session`: who is signed in, and where they are at home. */
export type SessionAnswer = {
  user: { id: string; name: string; email: string; verified: boolean }
  workspaces: { id: string; slug: string; name: string; role: Role }[]
  session_id: string
  formats: Formats
  /** An IANA name; null until the application has sent one. */
  time_zone: string | null
  /** Why the user cannot create another workspace; null when they can. */
  workspace_problem: string | null
}

/** `POST /set-up`, and `POST /invitations/{token}/accept`: the workspace to open. */
export type EnteredWorkspace = { slug: string }

/** A row of `GET /sessions`. */
export type OpenSession = {
  id: string
  created_at: string
  last_used_at: string
  ip_address: string | null
  user_agent: string | null
  current: boolean
}
