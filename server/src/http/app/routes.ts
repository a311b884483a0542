import { BODY_MAX_BYTES, PICTURE_MAX_BYTES } from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import type { Lane } from '../../calls/call.ts'
import type { Method } from '../v1/routes.ts'
import type { AccountEndpoint } from './account-handlers.ts'
import type { SessionEndpoint } from './session-handlers.ts'
import type { WorkspaceEndpoint } from './workspace-handlers.ts'

type Placed = { method: Method; path: string; bodyMax: number }

/** Who may call it: anyone, or signed-in users only. */
type Open = 'anyone' | 'user'

type SessionRoute = Placed & { at: 'session'; handler: SessionEndpoint; open: Open }
type AccountRoute = Placed & { at: 'account'; handler: AccountEndpoint; open: Open; lane: Lane }
export type WorkspaceRoute = Placed & {
  /** `stream`: server-sent events. `export`: a file that is read while it is sent. `picture`: an image. */
  at: 'workspace' | 'stream' | 'export' | 'picture'
  handler: WorkspaceEndpoint | typeof EVENTS
  needs: Permission
  lane: Lane
  whilePaused: boolean
}
export type WebRoute = SessionRoute | AccountRoute | WorkspaceRoute

/** No form of the application is longer. */
const FORM_MAX_BYTES = 64 * 1024

/** A picture as base64 takes a third more, and some bytes around it. */
const PICTURE_BODY_MAX_BYTES = 2 * PICTURE_MAX_BYTES

const EVENTS = 'GET /events'

/** Routes that begin, end and change sessions: they read and set cookies. */
const sessionRoutes: Readonly<Record<SessionEndpoint, Open>> = {
  'GET /start': 'anyone',
  'POST /set-up': 'anyone',
  'POST /sign-in': 'anyone',
  'POST /sign-in/code': 'anyone',
  'POST /sign-in/passkey/options': 'anyone',
  'POST /sign-in/passkey': 'anyone',
  'POST /sign-in/provider': 'anyone',
  'POST /sign-out': 'anyone',
  'GET /session': 'user',
  'POST /password': 'user',
  'POST /password/forgot': 'anyone',
  'POST /password/reset': 'anyone',
  'POST /email/send-confirmation': 'user',
  'POST /email/confirm': 'user',
  'POST /email/change': 'user',
  'GET /invitations/:token': 'anyone',
  'POST /invitations/:token/accept': 'anyone',
  'POST /factors/totp': 'user',
  'POST /factors/totp/confirm': 'user',
  'POST /factors/totp/off': 'user',
  'POST /factors/totp/recovery-codes': 'user',
  'POST /factors/passkeys/options': 'user',
  'POST /factors/passkeys': 'user',
  'POST /factors/provider': 'user',
  'POST /oauth/consent': 'user',
}

/** Routes of the user's own account. */
const accountRoutes: Readonly<Record<AccountEndpoint, Open>> = {
  'GET /factors': 'user',
  'PATCH /factors/passkeys/:id': 'user',
  'DELETE /factors/passkeys/:id': 'user',
  'DELETE /factors/provider': 'user',
  'PATCH /profile': 'user',
  'PUT /formats': 'user',
  'PUT /picture': 'user',
  'DELETE /picture': 'user',
  'GET /sessions': 'user',
  'POST /sessions/end-others': 'user',
  'DELETE /sessions/:id': 'user',
  'POST /workspaces': 'user',
  'GET /oauth/consent': 'user',
}

/** Routes of records, and what the role must allow. They are below `/w/:slug` and closed while it is paused. */
const recordRoutes = {
  [EVENTS]: 'read',
  'POST /summarize': 'read',
  'GET /trash': 'delete',
  'POST /trash/:resource/:id/restore': 'delete',
  'GET /duplicates': 'read',
  'POST /merge': 'update',
  'GET /merges': 'read',
  'POST /merges/:id/undo': 'update',
  // The operation lets everyone read the history of a record, but not the whole log.
  'GET /audit': 'read',
  'GET /activity': 'read',
  'POST /sample': 'manage_workspace',
  'POST /bulk/ids': 'read',
  'POST /bulk/edit': 'update',
  'POST /bulk/undo-edit': 'update',
  'POST /bulk/delete': 'delete',
  'POST /bulk/restore': 'delete',
} as const satisfies Partial<Record<WorkspaceEndpoint | typeof EVENTS, Permission>>

/** Routes of the workspace itself. They stay open while it is paused. */
const settingsRoutes: Readonly<Record<Exclude<WorkspaceEndpoint, keyof typeof recordRoutes>, Permission>> = {
  'GET /workspace': 'read',
  'PATCH /workspace': 'manage_workspace',
  'DELETE /workspace': 'delete_workspace',
  'POST /second-factor': 'manage_workspace',
  'GET /roles': 'read',
  'GET /connections': 'make_tokens',
  'DELETE /connections/:id': 'make_tokens',
  'GET /billing': 'read',
  'GET /members': 'read',
  'GET /pictures/:id': 'read',
  'PATCH /members/:id': 'manage_members',
  // Everyone may leave; the operation checks who may remove others.
  'DELETE /members/:id': 'read',
  'POST /members/:id/reset-link': 'manage_members',
  'POST /members/:id/end-sessions': 'manage_members',
  'GET /invitations': 'manage_members',
  'POST /invitations': 'manage_members',
  'DELETE /invitations/:id': 'manage_members',
  'GET /fields': 'read',
  'POST /fields': 'manage_fields',
  'POST /fields/order': 'manage_fields',
  'PATCH /fields/:id': 'manage_fields',
  'POST /fields/:id/archive': 'manage_fields',
  'POST /fields/:id/restore': 'manage_fields',
  'DELETE /fields/:id': 'manage_fields',
  'GET /fields/:id/duplicates': 'read',
  'GET /fields/:id/values': 'read',
  'GET /webhooks/:id/tries': 'read',
  'GET /tokens': 'make_tokens',
  'POST /tokens': 'make_tokens',
  'DELETE /tokens/:id': 'make_tokens',
  'GET /views': 'read',
  'POST /views': 'save_views',
  'PATCH /views/:id': 'save_views',
  'DELETE /views/:id': 'save_views',
  'GET /audit/export': 'read_audit_log',
}

/** Calls that only read, though they are no GET. */
const READS: ReadonlySet<string> = new Set<WorkspaceEndpoint>(['POST /summarize', 'POST /bulk/ids'])

/** Endpoints whose responses are not JSON. */
const others: Readonly<Partial<Record<WorkspaceRoute['handler'], WorkspaceRoute['at']>>> = {
  [EVENTS]: 'stream',
  'GET /audit/export': 'export',
  'GET /pictures/:id': 'picture',
}

/** Every endpoint of the application's private API, below `/api/app`. `/w/:slug/v1` is the REST API for members. */
export const webRoutes: readonly WebRoute[] = [
  ...entriesOf(sessionRoutes).map(([handler, open]): SessionRoute => {
    return { at: 'session', ...placeOf(handler), handler, open, bodyMax: FORM_MAX_BYTES }
  }),
  ...entriesOf(accountRoutes).map(([handler, open]): AccountRoute => {
    const bodyMax = handler === 'PUT /picture' ? PICTURE_BODY_MAX_BYTES : FORM_MAX_BYTES
    return { at: 'account', ...placeOf(handler), handler, open, bodyMax }
  }),
  ...entriesOf(settingsRoutes).map(([handler, needs]) => workspaceRoute(handler, needs, true)),
  ...entriesOf(recordRoutes).map(([handler, needs]) => workspaceRoute(handler, needs, false)),
]

function workspaceRoute(handler: WorkspaceRoute['handler'], needs: Permission, whilePaused: boolean): WorkspaceRoute {
  const { method, path, lane } = placeOf(handler)
  return {
    at: others[handler] ?? 'workspace',
    method,
    path: `/w/:slug${path}`,
    lane,
    handler,
    needs,
    whilePaused,
    bodyMax: BODY_MAX_BYTES,
  }
}

function placeOf(endpoint: string): { method: Method; path: string; lane: Lane } {
  const [method = '', path = ''] = endpoint.split(' ')
  // The endpoints above begin with a method.
  return { method: method as Method, path, lane: method === 'GET' || READS.has(endpoint) ? 'read' : 'write' }
}

function entriesOf<K extends string, V>(routes: Readonly<Record<K, V>>): [K, V][] {
  // The keys of the tables above.
  return Object.entries(routes) as [K, V][]
}
