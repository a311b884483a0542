import { BODY_MAX_BYTES } from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import type { Lane } from '../../calls/call.ts'
import type { Method } from '../v1/routes.ts'
import type { AccountHandlerName } from './account-handlers.ts'
import type { DeskHandlerName } from './desk-handlers.ts'
import type { WorkspaceHandlerName } from './workspace-handlers.ts'

type Placed = { method: Method; path: string; bodyMax: number }

/** Who may come: anyone, or only who is signed in. */
type Open = 'anyone' | 'user'

/** Beginning and ending sessions: needs the browser's cookies, and calls the account routes for all else. */
export type DeskRoute = Placed & { at: 'desk'; handler: DeskHandlerName; open: Open }
export type AccountRoute = Placed & { at: 'account'; handler: AccountHandlerName; open: Open; lane: Lane }
export type WorkspaceRoute = Placed & {
  at: 'workspace'
  handler: WorkspaceHandlerName
  needs: Permission
  lane: Lane
  /** Whether it stays open in a workspace that is paused: settings, tokens and billing do. */
  whilePaused: boolean
}
/** Server-sent events: an answer that does not end. */
export type StreamRoute = Placed & { at: 'stream'; method: 'GET' } & Pick<WorkspaceRoute, 'needs' | 'whilePaused'>
/** A file that is read while it is sent. */
export type ExportRoute = Placed & { at: 'export'; method: 'GET' } & Pick<WorkspaceRoute, 'needs' | 'whilePaused'>
export type WebRoute = DeskRoute | AccountRoute | WorkspaceRoute | StreamRoute | ExportRoute

/** No form of the application is longer. */
const FORM_MAX_BYTES = 64 * 1024

/** Every endpoint of the application's private interface, below `/api/app`; the REST interface stands below `/w/:slug/v1` as well. */
export const webRoutes: readonly WebRoute[] = [
  desk('GET', '/start', 'start', 'anyone'),
  desk('POST', '/set-up', 'set-up', 'anyone'),
  desk('POST', '/sign-in', 'sign-in', 'anyone'),
  desk('POST', '/sign-in/code', 'sign-in-code', 'anyone'),
  desk('POST', '/sign-in/passkey/options', 'sign-in-passkey-options', 'anyone'),
  desk('POST', '/sign-in/passkey', 'sign-in-passkey', 'anyone'),
  desk('POST', '/sign-in/provider', 'sign-in-provider', 'anyone'),
  desk('POST', '/sign-out', 'sign-out', 'anyone'),
  desk('GET', '/session', 'session', 'user'),
  desk('POST', '/password', 'change-password', 'user'),
  desk('POST', '/password/forgot', 'forgot-password', 'anyone'),
  desk('POST', '/password/reset', 'reset-password', 'anyone'),
  desk('POST', '/email/send-confirmation', 'send-confirmation', 'user'),
  desk('POST', '/email/confirm', 'confirm-email', 'user'),
  desk('GET', '/invitations/:token', 'invitation', 'anyone'),
  desk('POST', '/invitations/:token/accept', 'accept-invitation', 'anyone'),
  account('GET', '/factors', 'factors', 'user'),
  desk('POST', '/factors/totp', 'set-up-totp', 'user'),
  desk('POST', '/factors/totp/confirm', 'confirm-totp', 'user'),
  desk('POST', '/factors/totp/off', 'switch-off-totp', 'user'),
  desk('POST', '/factors/totp/recovery-codes', 'new-recovery-codes', 'user'),
  desk('POST', '/factors/passkeys/options', 'passkey-options', 'user'),
  desk('POST', '/factors/passkeys', 'add-passkey', 'user'),
  account('PATCH', '/factors/passkeys/:id', 'rename-passkey', 'user'),
  account('DELETE', '/factors/passkeys/:id', 'remove-passkey', 'user'),
  desk('POST', '/factors/provider', 'connect-provider', 'user'),
  account('DELETE', '/factors/provider', 'disconnect-provider', 'user'),
  account('PATCH', '/profile', 'update-profile', 'user'),
  account('GET', '/sessions', 'sessions', 'user'),
  account('POST', '/sessions/end-others', 'end-other-sessions', 'user'),
  account('DELETE', '/sessions/:id', 'end-session', 'user'),
  account('POST', '/workspaces', 'create-workspace', 'user'),
  account('GET', '/oauth/consent', 'consent-request', 'user'),
  desk('POST', '/oauth/consent', 'consent', 'user'),

  settings('GET', '/workspace', 'workspace', 'read'),
  settings('PATCH', '/workspace', 'rename-workspace', 'manage_workspace'),
  settings('DELETE', '/workspace', 'delete-workspace', 'delete_workspace'),
  settings('POST', '/second-factor', 'require-second-factor', 'manage_workspace'),
  settings('GET', '/roles', 'roles', 'read'),
  settings('GET', '/connections', 'connections', 'make_tokens'),
  settings('DELETE', '/connections/:id', 'end-connection', 'make_tokens'),
  settings('GET', '/billing', 'billing', 'read'),
  settings('GET', '/members', 'members', 'read'),
  settings('PATCH', '/members/:id', 'change-role', 'manage_members'),
  // Anyone may leave; the operation knows who may remove others.
  settings('DELETE', '/members/:id', 'remove-member', 'read'),
  settings('POST', '/members/:id/reset-link', 'reset-link', 'manage_members'),
  settings('POST', '/members/:id/end-sessions', 'end-member-sessions', 'manage_members'),
  settings('GET', '/invitations', 'invitations', 'manage_members'),
  settings('POST', '/invitations', 'invite', 'manage_members'),
  settings('DELETE', '/invitations/:id', 'withdraw-invitation', 'manage_members'),
  settings('GET', '/fields', 'fields', 'read'),
  settings('POST', '/fields', 'create-field', 'manage_fields'),
  settings('POST', '/fields/order', 'order-fields', 'manage_fields'),
  settings('PATCH', '/fields/:id', 'update-field', 'manage_fields'),
  settings('POST', '/fields/:id/archive', 'archive-field', 'manage_fields'),
  settings('POST', '/fields/:id/restore', 'restore-field', 'manage_fields'),
  settings('DELETE', '/fields/:id', 'delete-field', 'manage_fields'),
  settings('GET', '/fields/:id/duplicates', 'field-duplicates', 'read'),
  settings('GET', '/fields/:id/values', 'field-values', 'read'),
  settings('GET', '/tokens', 'tokens', 'make_tokens'),
  settings('POST', '/tokens', 'create-token', 'make_tokens'),
  settings('DELETE', '/tokens/:id', 'revoke-token', 'make_tokens'),
  settings('GET', '/views', 'views', 'read'),
  settings('POST', '/views', 'create-view', 'save_views'),
  settings('PATCH', '/views/:id', 'update-view', 'save_views'),
  settings('DELETE', '/views/:id', 'remove-view', 'save_views'),

  { at: 'stream', method: 'GET', path: '/w/:slug/events', needs: 'read', whilePaused: false, bodyMax: 0 },
  records('GET', '/search', 'search', 'read'),
  { ...records('POST', '/summarize', 'summarize', 'read'), lane: 'read' },
  records('GET', '/trash', 'trash', 'delete'),
  records('POST', '/trash/:resource/:id/restore', 'restore', 'delete'),
  records('GET', '/duplicates', 'duplicates', 'read'),
  records('POST', '/merge', 'merge', 'update'),
  records('GET', '/merges', 'merges', 'read'),
  records('POST', '/merges/:id/undo', 'undo-merge', 'update'),
  // The history of a record is for everyone who reads it; the operation knows for whom the rest is.
  records('GET', '/audit', 'audit', 'read'),
  {
    at: 'export',
    method: 'GET',
    path: '/w/:slug/audit/export',
    needs: 'read_audit_log',
    whilePaused: true,
    bodyMax: 0,
  },
  records('POST', '/sample', 'sample', 'manage_workspace'),
]

/** The methods each path takes. */
export function methodsByWebPath(): Map<string, Method[]> {
  const methods = new Map<string, Method[]>()
  for (const { path, method } of webRoutes) methods.set(path, [...(methods.get(path) ?? []), method])
  return methods
}

function desk(method: Method, path: string, handler: DeskHandlerName, open: Open): DeskRoute {
  return { at: 'desk', method, path, handler, open, bodyMax: FORM_MAX_BYTES }
}

function account(method: Method, path: string, handler: AccountHandlerName, open: Open): AccountRoute {
  return { at: 'account', method, path, handler, open, lane: laneOf(method), bodyMax: FORM_MAX_BYTES }
}

/** What concerns the workspace itself. */
function settings(method: Method, path: string, handler: WorkspaceHandlerName, needs: Permission): WorkspaceRoute {
  return { ...records(method, path, handler, needs), whilePaused: true }
}

/** What concerns its records. */
function records(method: Method, path: string, handler: WorkspaceHandlerName, needs: Permission): WorkspaceRoute {
  const where = { method, path: `/w/:slug${path}`, bodyMax: BODY_MAX_BYTES }
  return { at: 'workspace', ...where, handler, needs, lane: laneOf(method), whilePaused: false }
}

function laneOf(method: Method): Lane {
  return method === 'GET' ? 'read' : 'write'
}
