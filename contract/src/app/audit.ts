import type { AuditedChange } from '../history-entry.ts'
import { resourceNames } from '../resource.ts'

/** The kinds of objects in the audit log: records, and the settings of the workspace. */
export const auditedKinds = [
  ...resourceNames,
  'members',
  'invitations',
  'tokens',
  'webhooks',
  'custom_fields',
  'workspace',
  'sign_ins',
] as const
export type AuditedKind = (typeof auditedKinds)[number]

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
