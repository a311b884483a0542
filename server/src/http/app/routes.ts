import { BODY_MAX_BYTES } from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import type { Lane } from '../../calls/call.ts'
import type { Method } from '../v1/routes.ts'
import type { AccountHandlerName } from './account-handlers.ts'
import type { SessionHandlerName } from './session-handlers.ts'
import type { WorkspaceHandlerName } from './workspace-handlers.ts'

type Placed = { method: Method; path: string; bodyMax: number }

/** Who may call it: anyone, or signed-in users only. */
type Open = 'anyone' | 'user'

/** Routes that begin, end and change sessions: they read and set cookies. */
type SessionRoute = Placed & { at: 'session'; handler: SessionHandlerName; open: Open }
type AccountRoute = Placed & { at: 'account'; handler: AccountHandlerName; open: Open; lane: Lane }
export type WorkspaceRoute = Placed & {
  at: 'workspace'
  handler: WorkspaceHandlerName
  needs: Permission
  lane: Lane
  /** Whether it stays open while the workspace is paused: settings, tokens and billing do. */
  whilePaused: boolean
}
/** Server-sent events. */
export type StreamRoute = Placed & { at: 'stream'; method: 'GET' } & Pick<WorkspaceRoute, 'needs' | 'whilePaused'>
/** A file that is read while it is sent. */
export type ExportRoute = Placed & { at: 'export'; method: 'GET' } & Pick<
    WorkspaceRoute,
    'needs' | 'lane' | 'whilePaused'
  >
export type WebRoute = SessionRoute | AccountRoute | WorkspaceRoute | StreamRoute | ExportRoute

/** No form of the application is longer. */
const FORM_MAX_BYTES = 64 * 1024

/** Every endpoint of the application's private API, below `/api/app`. `/w/:slug/v1` is the REST API for members. */
export const webRoutes: readonly WebRoute[] = [
  session('GET /start', 'start', 'anyone'),
  session('POST /set-up', 'set-up', 'anyone'),
  session('POST /sign-in', 'sign-in', 'anyone'),
  session('POST /sign-in/code', 'sign-in-code', 'anyone'),
  session('POST /sign-in/passkey/options', 'sign-in-passkey-options', 'anyone'),
  session('POST /sign-in/passkey', 'sign-in-passkey', 'anyone'),
  session('POST /sign-in/provider', 'sign-in-provider', 'anyone'),
  session('POST /sign-out', 'sign-out', 'anyone'),
  session('GET /session', 'session', 'user'),
  session('POST /password', 'change-password', 'user'),
  session('POST /password/forgot', 'forgot-password', 'anyone'),
  session('POST /password/reset', 'reset-password', 'anyone'),
  session('POST /email/send-confirmation', 'send-confirmation', 'user'),
  session('POST /email/confirm', 'confirm-email', 'user'),
  session('GET /invitations/:token', 'invitation', 'anyone'),
  session('POST /invitations/:token/accept', 'accept-invitation', 'anyone'),
  account('GET /factors', 'factors', 'read'),
  session('POST /factors/totp', 'set-up-totp', 'user'),
  session('POST /factors/totp/confirm', 'confirm-totp', 'user'),
  session('POST /factors/totp/off', 'switch-off-totp', 'user'),
  session('POST /factors/totp/recovery-codes', 'new-recovery-codes', 'user'),
  session('POST /factors/passkeys/options', 'passkey-options', 'user'),
  session('POST /factors/passkeys', 'add-passkey', 'user'),
  account('PATCH /factors/passkeys/:id', 'rename-passkey', 'write'),
  account('DELETE /factors/passkeys/:id', 'remove-passkey', 'write'),
  session('POST /factors/provider', 'connect-provider', 'user'),
  account('DELETE /factors/provider', 'disconnect-provider', 'write'),
  account('PATCH /profile', 'update-profile', 'write'),
  account('GET /sessions', 'sessions', 'read'),
  account('POST /sessions/end-others', 'end-other-sessions', 'write'),
  account('DELETE /sessions/:id', 'end-session', 'write'),
  account('POST /workspaces', 'create-workspace', 'write'),
  account('GET /oauth/consent', 'consent-request', 'read'),
  session('POST /oauth/consent', 'consent', 'user'),

  settings('GET /workspace', 'workspace', { needs: 'read', lane: 'read' }),
  settings('PATCH /workspace', 'rename-workspace', { needs: 'manage_workspace', lane: 'write' }),
  settings('DELETE /workspace', 'delete-workspace', { needs: 'delete_workspace', lane: 'write' }),
  settings('POST /second-factor', 'require-second-factor', { needs: 'manage_workspace', lane: 'write' }),
  settings('GET /roles', 'roles', { needs: 'read', lane: 'read' }),
  settings('GET /connections', 'connections', { needs: 'make_tokens', lane: 'read' }),
  settings('DELETE /connections/:id', 'end-connection', { needs: 'make_tokens', lane: 'write' }),
  settings('GET /billing', 'billing', { needs: 'read', lane: 'read' }),
  settings('GET /members', 'members', { needs: 'read', lane: 'read' }),
  settings('PATCH /members/:id', 'change-role', { needs: 'manage_members', lane: 'write' }),
  // Everyone may leave; the operation checks who may remove others.
  settings('DELETE /members/:id', 'remove-member', { needs: 'read', lane: 'write' }),
  settings('POST /members/:id/reset-link', 'reset-link', { needs: 'manage_members', lane: 'write' }),
  settings('POST /members/:id/end-sessions', 'end-member-sessions', { needs: 'manage_members', lane: 'write' }),
  settings('GET /invitations', 'invitations', { needs: 'manage_members', lane: 'read' }),
  settings('POST /invitations', 'invite', { needs: 'manage_members', lane: 'write' }),
  settings('DELETE /invitations/:id', 'withdraw-invitation', { needs: 'manage_members', lane: 'write' }),
  settings('GET /fields', 'fields', { needs: 'read', lane: 'read' }),
  settings('POST /fields', 'create-field', { needs: 'manage_fields', lane: 'write' }),
  settings('POST /fields/order', 'order-fields', { needs: 'manage_fields', lane: 'write' }),
  settings('PATCH /fields/:id', 'update-field', { needs: 'manage_fields', lane: 'write' }),
  settings('POST /fields/:id/archive', 'archive-field', { needs: 'manage_fields', lane: 'write' }),
  settings('POST /fields/:id/restore', 'restore-field', { needs: 'manage_fields', lane: 'write' }),
  settings('DELETE /fields/:id', 'delete-field', { needs: 'manage_fields', lane: 'write' }),
  settings('GET /fields/:id/duplicates', 'field-duplicates', { needs: 'read', lane: 'read' }),
  settings('GET /fields/:id/values', 'field-values', { needs: 'read', lane: 'read' }),
  settings('GET /tokens', 'tokens', { needs: 'make_tokens', lane: 'read' }),
  settings('POST /tokens', 'create-token', { needs: 'make_tokens', lane: 'write' }),
  settings('DELETE /tokens/:id', 'revoke-token', { needs: 'make_tokens', lane: 'write' }),
  settings('GET /views', 'views', { needs: 'read', lane: 'read' }),
  settings('POST /views', 'create-view', { needs: 'save_views', lane: 'write' }),
  settings('PATCH /views/:id', 'update-view', { needs: 'save_views', lane: 'write' }),
  settings('DELETE /views/:id', 'remove-view', { needs: 'save_views', lane: 'write' }),

  { at: 'stream', method: 'GET', path: '/w/:slug/events', needs: 'read', whilePaused: false, bodyMax: 0 },
  records('GET /search', 'search', { needs: 'read', lane: 'read' }),
  records('POST /summarize', 'summarize', { needs: 'read', lane: 'read' }),
  records('GET /trash', 'trash', { needs: 'delete', lane: 'read' }),
  records('POST /trash/:resource/:id/restore', 'restore', { needs: 'delete', lane: 'write' }),
  records('GET /duplicates', 'duplicates', { needs: 'read', lane: 'read' }),
  records('POST /merge', 'merge', { needs: 'update', lane: 'write' }),
  records('GET /merges', 'merges', { needs: 'read', lane: 'read' }),
  records('POST /merges/:id/undo', 'undo-merge', { needs: 'update', lane: 'write' }),
  // The operation lets everyone read the history of a record, and only some the whole log.
  records('GET /audit', 'audit', { needs: 'read', lane: 'read' }),
  {
    at: 'export',
    method: 'GET',
    path: '/w/:slug/audit/export',
    needs: 'read_audit_log',
    lane: 'read',
    whilePaused: true,
    bodyMax: 0,
  },
  records('POST /sample', 'sample', { needs: 'manage_workspace', lane: 'write' }),
]

/** A method and a path, for example `GET /search`. */
type Endpoint = `${Method} /${string}`

function session(endpoint: Endpoint, handler: SessionHandlerName, open: Open): SessionRoute {
  return { at: 'session', ...parsed(endpoint), handler, open, bodyMax: FORM_MAX_BYTES }
}

function account(endpoint: Endpoint, handler: AccountHandlerName, lane: Lane): AccountRoute {
  return { at: 'account', ...parsed(endpoint), handler, open: 'user', lane, bodyMax: FORM_MAX_BYTES }
}

type Access = Pick<WorkspaceRoute, 'needs' | 'lane'>

/** Routes of the workspace itself. They stay open while it is paused. */
function settings(endpoint: Endpoint, handler: WorkspaceHandlerName, access: Access): WorkspaceRoute {
  return { ...records(endpoint, handler, access), whilePaused: true }
}

/** Routes of its records. */
function records(endpoint: Endpoint, handler: WorkspaceHandlerName, access: Access): WorkspaceRoute {
  const { method, path } = parsed(endpoint)
  const place = { method, path: `/w/:slug${path}`, bodyMax: BODY_MAX_BYTES }
  return { at: 'workspace', ...place, handler, ...access, whilePaused: false }
}

function parsed(endpoint: Endpoint): { method: Method; path: string } {
  const at = endpoint.indexOf(' ')
  // The type of an endpoint begins with a method.
  return { method: endpoint.slice(0, at) as Method, path: endpoint.slice(at + 1) }
}
