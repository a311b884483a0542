import type { Ability } from '@kith/contract/abilities'
import type { Permission } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import { requireAbilities, requireGranted, requirePermission } from '../scope/permissions.ts'
import type { ScopeFacts, WorkspaceFacts } from '../scope/scope.ts'
import type { Engine, Source } from '../storage/engines/engine.ts'
import { isClosedSlug } from '../storage/tables/expiry.ts'
import { findBearerOfConnection } from './oauth/connections.ts'
import { accessOf } from './subscription.ts'
import { type Bearer, findBearer, hashToken, kindOfToken } from './tokens.ts'

const BEARER = /^Bearer +([A-Za-z0-9_]{1,128}) *$/i

export type AuthenticationNeeds = {
  now: Date
  /** Whether the same statement also reads the workspace's version, which the ETag of a list needs. */
  versioned?: boolean | undefined
}

/** Finds the holder of the token in the header, in one statement. Every reason to reject it gets the same answer. */
export async function authenticate(
  engine: Engine,
  header: string | undefined,
  asked: AuthenticationNeeds,
): Promise<Bearer> {
  const { now, versioned } = asked
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1]
  const kind = token === undefined ? undefined : kindOfToken(token)
  if (token === undefined || kind === undefined) return refuse({ kind: 'unauthenticated' })
  const find = kind === 'connection' ? findBearerOfConnection : findBearer
  const bearer = await find(engine.short, hashToken(token), versioned)
  if (!bearer || isRevoked(bearer) || isExpired(bearer, now)) return refuse({ kind: 'unauthenticated' })
  return bearer
}

function isExpired({ expires_at }: Bearer, now: Date): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now.getTime()
}

/**
 * Whether the token is reported as revoked. The tokens of a removed member are revoked too, but the contract requires
 * the message that the membership has ended: `admit` refuses them.
 */
function isRevoked({ revoked_at, role, workspace_slug }: Bearer): boolean {
  return revoked_at !== null && (role !== null || isClosedSlug(workspace_slug))
}

/** Admits a bearer, or refuses. Checks the membership, then ability and role, then the subscription. */
export function admit(
  bearer: Bearer,
  admission: {
    needed: readonly Ability[]
    permissions?: readonly Permission[] | undefined
    everyRole?: boolean | undefined
    source: Source
    hosted: boolean
    app_url: string
    now: Date
  },
): ScopeFacts {
  const { needed, permissions = [], everyRole, source, hosted, app_url, now } = admission
  if (bearer.role === null) {
    refuse({ kind: 'forbidden', message: "This access token's user is no longer a member of its workspace." })
  }
  const facts: ScopeFacts = {
    workspace: {
      id: bearer.workspace_id,
      number: bearer.workspace_number,
      slug: bearer.workspace_slug,
      name: bearer.workspace_name,
      fields_version: bearer.fields_version,
      version: bearer.version,
    },
    actor: {
      user_id: bearer.user_id,
      role: bearer.role,
      abilities: bearer.abilities,
      token_id: bearer.token_id,
      source,
    },
  }
  if (everyRole) requireGranted(facts, needed)
  else requireAbilities(facts, needed)
  for (const permission of permissions) requirePermission(facts, permission)
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
