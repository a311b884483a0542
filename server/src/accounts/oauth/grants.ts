import type { Runtime } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import {
  claimCode,
  deleteRevokedToken,
  deleteTokensSince,
  isKnownCode,
  isTokenOf,
  replayCode,
  settleCode,
  type UsedCode,
} from '../../storage/tables/connections.ts'
import { hashToken } from '../token-format.ts'
import { oauthError } from './errors.ts'

type Exchanging = () => Promise<Response | undefined>

/** What is stored about codes and tokens in addition to better-auth. */
export type Grants = {
  /** Exchanges a code for tokens, once. A second use is an error and revokes the tokens. */
  useCode(code: string, exchange: Exchanging): Promise<Response | undefined>
  /** Revokes a token if it belongs to the client. */
  revoke(token: string, clientId: string): Promise<void>
}

/** Each step is one atomic statement, because on SQLite transactions run in another thread. */
export function grantsIn({ engine, now }: Pick<Runtime, 'engine' | 'now'>): Grants {
  const { db, single } = engine
  return {
    async useCode(code, exchange) {
      const hash = hashToken(code)
      // better-auth refuses an unknown code, and nothing is written for it.
      if (!(await isKnownCode(db, hash))) return exchange()
      if (!(await claimCode(single, hash, now().toISOString()))) {
        await revokeReplayed(single, await replayCode(single, hash))
        return refuseCode()
      }
      const response = await exchange()
      const accessToken = response?.ok ? await accessTokenIn(response) : undefined
      if (accessToken === undefined) return response
      // The code may have been sent again while its tokens were created.
      const settled = await settleCode(single, hash, hashToken(accessToken))
      return (await revokeReplayed(single, settled)) ? refuseCode() : response
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

async function accessTokenIn(response: Response): Promise<string | undefined> {
  const { access_token }: { access_token?: unknown } = await response.clone().json()
  return typeof access_token === 'string' ? access_token : undefined
}

function refuseCode(): Response {
  const message = 'The code does not exist, has expired or was used already. Start again with an authorization request.'
  return oauthError(400, { error: 'invalid_grant', message })
}
