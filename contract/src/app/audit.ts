import type { AuditedChange } from '../history-entry.ts'

/** The kinds of objects in the audit log besides the resources of the workspace: its settings. */
export const auditedSettings = [
  'members',
  'invitations',
  'tokens',
  'webhooks',
  'schemas',
  'custom_fields',
  'workspace',
  'sign_ins',
] as const
/** A resource of the workspace, or one of the above. */
export type AuditedKind = string

/** A row of `GET /audit`: the actor, the change, the time and the surface. */
export type AuditEntryRow = {
  id: string
  at: string
  /** Null for the command line. */
  actor: { id: string; name: string } | null
  source: string
  token: { id: string; name: string | null } | null
  action: string
  resource: AuditedKind
  record_id: string
  record_name: string | null
  changes: readonly AuditedChange[]
}
