import type { AuditEntryRow, AuditedKind } from '@kith/contract/app/audit'
import type { AuditedChange } from '@kith/contract/history-entry'
import type { Schema } from '@kith/contract/resource'
import { formatMoment } from '../../format/moments.ts'
import { labelOf } from '../../properties/property.ts'
import { appearanceIn } from '../../resources.ts'

const actions: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  restore: 'restored',
  merge: 'merged others into',
  undo_merge: 'undid the merge into',
  revoke: 'revoked',
  archive: 'archived',
  sample: 'filled with sample records',
  end_sessions: 'ended the sessions of',
  reset_link: 'made a password link for',
  sign_in: 'signed in',
  sign_in_failed: 'failed to sign in',
}

const sources: Readonly<Record<string, string>> = {
  web: 'Application',
  api: 'API',
  mcp: 'Tool server',
  import: 'Import',
  sample: 'Sample records',
  cli: 'Command line',
}

const kinds: Readonly<Record<string, { one: string; name: string }>> = {
  comments: { one: 'comment', name: 'Comments' },
  files: { one: 'file', name: 'Files' },
  members: { one: 'member', name: 'Members' },
  invitations: { one: 'invitation', name: 'Invitations' },
  tokens: { one: 'token', name: 'Access tokens' },
  webhooks: { one: 'webhook', name: 'Webhooks' },
  schemas: { one: 'resource', name: 'Resources' },
  custom_fields: { one: 'field', name: 'Custom fields' },
  workspace: { one: 'workspace', name: 'Workspace' },
  sign_ins: { one: 'sign-in', name: 'Sign-ins' },
}

export function actionWords({ action, changes }: Pick<AuditEntryRow, 'action' | 'changes'>): string {
  if (isMergedAway({ action, changes })) return 'merged away'
  return actions[action] ?? action.replaceAll('_', ' ')
}

/** The same on the page of the record itself, which needs no name there. */
export function historyWords({ action, changes }: Pick<AuditEntryRow, 'action' | 'changes'>): string {
  if (action !== 'merge') return `${actionWords({ action, changes })} ${action === 'undo_merge' ? 'this one' : 'it'}`
  return isMergedAway({ action, changes }) ? 'merged it into another one' : 'merged other records into it'
}

/** The source of the change, and the token used. */
export function sourceWords({ source, token }: Pick<AuditEntryRow, 'source' | 'token'>): string {
  const name = sources[source] ?? source
  return token?.name ? `${name}, ${token.name}` : name
}

export function kindWords(schema: Schema, kind: AuditedKind): { one: string; name: string } {
  return kinds[kind] ?? appearanceIn(schema, kind)
}

/** What was changed. Attributes that are named after a resource have its name of today. */
export function changeLabel(schema: Schema, kind: AuditedKind, { field, label }: AuditedChange): string {
  const resource = schema.get(kind)
  if (!resource || field.startsWith('custom_fields.')) return label
  const name = resource.links[field]?.relation ?? field
  const known = labelOf(resource, name)
  return known === name ? label : known
}

/** The entry of a record that was merged away says where it went. */
function isMergedAway({ action, changes }: Pick<AuditEntryRow, 'action' | 'changes'>): boolean {
  return action === 'merge' && changes.some(({ field }) => field === 'merged_into')
}

const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A value as one line of text: names of records and members, labels of choices. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(valueWords).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' && isMoment.test(value)) return formatMoment(value)
  if (typeof value !== 'object') return String(value)
  if ('label' in value && typeof value.label === 'string') return value.label
  if ('name' in value && typeof value.name === 'string') return value.name
  if ('id' in value && typeof value.id === 'string') return value.id
  const parts = Object.entries(value).map(([key, part]) => `${key}: ${valueWords(part)}`)
  return parts.length === 0 ? 'nothing' : parts.join('; ')
}
