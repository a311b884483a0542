import type { Connection } from '@kith/contract/app/connections'
import { parseId } from '@kith/contract/id'
import { roleMay } from '@kith/contract/permissions'
import { refuseUnknownId } from '@kith/contract/refusal'
import { noteWrite } from '../../journal/write.ts'
import { inTransaction, type Runtime, type Scope } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import {
  type ConnectionRow,
  claimCode,
  deleteRevokedToken,
  deleteTokensSince,
  findConnection,
  findConnectionBearer,
  isKnownCode,
  isTokenOf,
  keepRefreshScopes,
  loadConnections,
  replayCode,
  revokeConnection,
  settleCode,
  type UsedCode,
} from '../../storage/tables/connections.ts'
import { findToken } from '../../storage/tables/tokens.ts'
import { disableWebhooksMadeWith } from '../../storage/tables/webhooks.ts'
import { abilitiesOf, type Bearer, hashToken } from '../tokens.ts'
import { oauthError } from './plugin.ts'

/** The active connections of the actor; owners and admins see all of the workspace. */
export async function listConnections(scope: Scope): Promise<Connection[]> {
  const userId = roleMay(scope.actor.role, 'see_all_tokens') ? undefined : scope.actor.user_id
  const now = scope.now().toISOString()
  return (await loadConnections(scope.db, scope.workspace.id, { userId, now })).map(presentConnection)
}

/** Refuses an id that is no token or connection of the actor. Owners and admins may name those of others. */
export async function requireTokenOrConnection({ db, workspace, actor }: Scope, id: string): Promise<string> {
  const known = parseId(id) ?? ''
  const found = (await findToken(db, workspace.id, known)) ?? (await findConnection(db, workspace.id, known))
  const may = found && (roleMay(actor.role, 'see_all_tokens') || found.user_id === actor.user_id)
  return may ? found.id : refuseUnknownId('token', id)
}

/** Revokes a connection: its next request and refresh are refused on every node. */
export function removeConnection(scope: Scope, id: string): Promise<void> {
  return inTransaction(scope, async (inside) => {
    const found = await findConnection(inside.db, inside.workspace.id, parseId(id) ?? '')
    const mayEnd = found && (roleMay(inside.actor.role, 'see_all_tokens') || found.user_id === inside.actor.user_id)
    if (!mayEnd || found.revoked_at !== null) {
      refuseUnknownId('connection', id)
    }
    const at = inside.now().toISOString()
    await revokeConnection(inside.db, { workspace_id: inside.workspace.id, id: found.id, at })
    const name = nameOf(found.client_name)
    await noteWrite(inside, [{ action: 'revoke', resource: 'tokens', record_id: found.id, name }])
    await disableWebhooksMadeWith(inside, [found.id])
  })
}

/** The bearer of a connection's token, in one statement. `findBearer` does the same for personal tokens. */
export async function findBearerOfConnection(db: Db, hash: string, versioned = false): Promise<Bearer | undefined> {
  const row = await findConnectionBearer(db, hash, versioned)
  if (!row) return undefined
  const { scopes, expires_at, abilities, ...facts } = row
  return {
    ...facts,
    // A token may have fewer abilities than its connection, and the connection may have fewer than before.
    abilities: abilitiesOf(abilities).filter((ability) => scopes.includes(`"${ability}"`)),
    expires_at: new Date(expires_at).toISOString(),
    connection: true,
  }
}

export function nameOf(clientName: string | null): string {
  return clientName ?? 'A program without a name'
}

function presentConnection(row: ConnectionRow): Connection {
  const { id, abilities, last_used_at, created_at } = row
  return {
    id,
    client: { id: row.client_id, name: nameOf(row.client_name), uri: row.client_uri },
    user: { id: row.user_id, name: row.user_name, email: row.user_email },
    abilities: abilitiesOf(abilities),
    last_used_at,
    created_at,
  }
}

/** Data about codes and tokens that better-auth does not store. */
export type Grants = {
  /** Exchanges a code for tokens, once. A second use is an error and revokes the tokens. */
  useCode(code: string, exchange: () => Promise<Response | undefined>): Promise<Response | undefined>
  /** Gives the new refresh token all scopes of the old one: fewer are for the access token alone (RFC 6749, 6). */
  keepScopes(oldToken: string, response: Response): Promise<void>
  /** Revokes a token if it belongs to the client. */
  revoke(token: string, clientId: string): Promise<void>
}

/** Each step is one atomic statement, because on SQLite transactions run in another thread. */
export function grantsIn({ engine, now }: Pick<Runtime, 'engine' | 'now'>): Grants {
  const { db, single } = engine
  return {
    async useCode(code, exchange) {
      const hash = hashToken(code)
      // better-auth refuses an unknown code. Nothing is written for it.
      if (!(await isKnownCode(db, hash))) return exchange()
      if (!(await claimCode(single, hash, now().toISOString()))) {
        await revokeReplayed(single, await replayCode(single, hash))
        return refuseCode()
      }
      const response = await exchange()
      const accessToken = response?.ok ? await tokenIn(response, 'access_token') : undefined
      if (accessToken === undefined) return response
      // The code may have been sent again while its tokens were created.
      const settled = await settleCode(single, hash, hashToken(accessToken))
      return (await revokeReplayed(single, settled)) ? refuseCode() : response
    },
    async keepScopes(oldToken, response) {
      const fresh = await tokenIn(response, 'refresh_token')
      if (fresh !== undefined) await keepRefreshScopes(single, hashToken(oldToken), hashToken(fresh))
    },
    async revoke(token, clientId) {
      const hash = hashToken(token)
      if (await isTokenOf(db, hash, clientId)) await deleteRevokedToken(single, hash, clientId)
    },
  }
}

/** RFC 6749, 4.1.2: a code that is used twice was probably stolen. */
async function revokeReplayed(db: Db, code: UsedCode | undefined): Promise<boolean> {
  if (!code?.replayed) return false
  // better-auth stores the time of tokens in seconds.
  const since = new Date(Math.floor(Date.parse(code.used_at) / 1000) * 1000).toISOString()
  if (code.reference_id !== null) await deleteTokensSince(db, code.reference_id, since)
  return true
}

async function tokenIn(response: Response, name: 'access_token' | 'refresh_token'): Promise<string | undefined> {
  const { [name]: token }: Record<string, unknown> = await response.clone().json()
  return typeof token === 'string' ? token : undefined
}

function refuseCode(): Response {
  const message = 'The code does not exist, has expired or was used already. Start again with an authorization request.'
  return oauthError(400, { error: 'invalid_grant', message })
}
