import type { AuditedChange } from './app/audit.ts'

/** Where a change comes from. `own`: it was made with the token of the request. */
export type Origin = { source: string; actor_id: string | null; token_id: string | null; own: boolean }

/** One change of a record, as the API returns it. */
export type HistoryEntry = {
  record_id: string
  at: string
  action: string
  origin: Origin
  actor_name: string | null
  token_name: string | null
  changes: AuditedChange[]
}
