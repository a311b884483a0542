import type { Ability } from '@kith/contract/abilities'
import { refuse } from '@kith/contract/refusal'
import type { Engine } from '../db/engine.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Door, ScopeFacts, WorkspaceFacts } from '../scope.ts'
import { accessOf } from './subscription.ts'
import { hashToken, looksLikeToken } from './token-format.ts'
import { type Bearer, findBearer } from './tokens.ts'

const BEARER = /^Bearer +([A-Za-z0-9_]{1,128}) *$/i

/** Whose token the header holds. Every reason not to accept it gets the same answer. */
export async function authenticate(engine: Engine, header: string | undefined, now: Date): Promise<Bearer> {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1]
  if (token === undefined || !looksLikeToken(token)) return refuse({ kind: 'unauthenticated' })
  const bearer = await findBearer(engine.db, hashToken(token))
  if (!bearer || bearer.revoked_at !== null) return refuse({ kind: 'unauthenticated' })
  if (bearer.expires_at !== null && Date.parse(bearer.expires_at) <= now.getTime()) refuse({ kind: 'unauthenticated' })
  return bearer
}

export type Admission = { needed: readonly Ability[]; door: Door; hosted: boolean; app_url: string; now: Date }

/** Lets a bearer through, or refuses: membership, then ability and role, then the subscription. */
export function admit(bearer: Bearer, { needed, door, hosted, app_url, now }: Admission): ScopeFacts {
  if (bearer.role === null) {
    refuse({ kind: 'forbidden', message: "This access token's user is no longer a member of its workspace." })
  }
  const facts: ScopeFacts = {
    workspace: {
      id: bearer.workspace_id,
      slug: bearer.workspace_slug,
      name: bearer.workspace_name,
      fields_version: bearer.fields_version,
    },
    actor: {
      user_id: bearer.user_id,
      role: bearer.role,
      abilities: bearer.abilities,
      token_id: bearer.token_id,
      door,
    },
  }
  requireAbilities(facts, needed)
  if (accessOf(bearer, now, hosted) === 'paused') refusePaused(facts.workspace, app_url)
  return facts
}

export function refusePaused({ name, slug }: WorkspaceFacts, app_url: string): never {
  refuse({
    kind: 'paused',
    message: `The workspace ${name} is paused until it has an active subscription.`,
    upgrade_url: `${app_url}/${slug}/settings/billing`,
  })
}
