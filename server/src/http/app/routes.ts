import { BODY_MAX_BYTES, PICTURE_MAX_BYTES } from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import type { Lane } from '../../calls/call.ts'
import type { Method } from '../v1/routes.ts'
import { type AccountEndpoint, accountEndpoints } from './account-handlers.ts'
import { recordHandlers } from './record-handlers.ts'
import { type SessionEndpoint, sessionHandlers } from './session-handlers.ts'
import { settingsHandlers, type WorkspaceEndpoint } from './workspace-handlers.ts'

type Placed = { method: Method; path: string; bodyMax: number }

/** Who may call it: anyone, or signed-in users only. */
type Open = 'anyone' | 'user'

type SessionRoute = Placed & { at: 'session'; handler: SessionEndpoint; open: Open }
type AccountRoute = Placed & { at: 'account'; handler: AccountEndpoint; open: 'user'; lane: Lane }
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

/** What begins, ends and changes sessions is for signed-in users, except these. */
const openToAnyone: ReadonlySet<SessionEndpoint> = new Set<SessionEndpoint>([
  'GET /start',
  'POST /set-up',
  'POST /sign-in',
  'POST /sign-in/code',
  'POST /sign-in/passkey/options',
  'POST /sign-in/passkey',
  'POST /sign-in/provider',
  'POST /sign-out',
  'POST /password/forgot',
  'POST /password/reset',
  'GET /invitations/:token',
  'POST /invitations/:token/accept',
])

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
  ...entriesOf(sessionHandlers).map(([handler]): SessionRoute => {
    const open = openToAnyone.has(handler) ? 'anyone' : 'user'
    return { at: 'session', ...placeOf(handler), handler, open, bodyMax: FORM_MAX_BYTES }
  }),
  ...entriesOf(accountEndpoints).map(([handler]): AccountRoute => {
    const bodyMax = handler === 'PUT /picture' ? PICTURE_BODY_MAX_BYTES : FORM_MAX_BYTES
    return { at: 'account', ...placeOf(handler), handler, open: 'user', bodyMax }
  }),
  ...entriesOf(settingsHandlers).map(([handler, { needs }]) => workspaceRoute(handler, needs, true)),
  ...entriesOf(recordHandlers).map(([handler, { needs }]) => workspaceRoute(handler, needs, false)),
  workspaceRoute(EVENTS, 'read', false),
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
  // The keys of these tables are known.
  return Object.entries(routes) as [K, V][]
}
