import type { Ability } from '@kith/contract/abilities'
import { refuse } from '@kith/contract/refusal'
import { afterwards } from '../calls/at-once.ts'
import { requireAbilities } from '../records/allow.ts'
import type { ScopeFacts, Source, WorkspaceFacts } from '../scope/scope.ts'
import { askedTogetherAbout } from '../storage/engines/asked-together.ts'
import type { Engine, Standing } from '../storage/engines/engine.ts'
import { isClosedSlug } from '../storage/tables/purge-workspace.ts'
import { findBearerOfConnection } from './oauth/connections.ts'
import { accessOf } from './subscription.ts'
import { hashToken, kindOfToken } from './token-format.ts'
import { type Bearer, findBearer } from './tokens.ts'

const BEARER = /^Bearer +([A-Za-z0-9_]{1,128}) *$/i

const BEARERS_KEPT = 1000

/**
 * Authenticates, and remembers what the database said of a token for as long as nothing whatsoever is committed to it, by
 * this process or another: whatever is revoked, left or changed is seen by the next request.
 */
export function authenticator(engine: Engine): (header: string | undefined, now: Date) => Bearer | Promise<Bearer> {
  const kept = new Map<string, Bearer>()
  let keptAt: Standing | undefined
  let inVain = false

  function moveTo(standing: Standing): void {
    if (standing !== keptAt || kept.size > BEARERS_KEPT) kept.clear()
    keptAt = standing
  }

  const askedOnce = askedTogetherAbout((header) => authenticate(engine, header))

  async function find(header: string, now: Date, standing: Standing | undefined): Promise<Bearer> {
    const found = await (engine.remote ? askedOnce(header) : authenticate(engine, header))
    if (isOver(found, now)) refuse({ kind: 'unauthenticated' })
    const bearer = { ...found, standing: found.standing ?? standing ?? null }
    if (found.standing !== null) moveTo(found.standing)
    // What was read may be newer than the standing it is kept under, and is then read once more: never older.
    if (keptAt === bearer.standing) kept.set(header, bearer)
    return bearer
  }

  return (header, now) => {
    if (header === undefined) return authenticate(engine, header)
    // Where the answer has to be waited for, the question must be likely to spare another one.
    if (engine.remote && (inVain || !kept.has(header))) {
      inVain = false
      return find(header, now, undefined)
    }
    return afterwards(engine.standing(), (standing) => {
      inVain = standing !== keptAt
      moveTo(standing)
      const known = kept.get(header)
      return known && !isOver(known, now) ? known : find(header, now, standing)
    })
  }
}

function isOver({ expires_at }: Bearer, now: Date): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now.getTime()
}

/** Whose token the header holds, though it may be over. Every reason not to accept it gets the same answer. */
async function authenticate(engine: Engine, header: string | undefined): Promise<Bearer> {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1]
  const kind = token === undefined ? undefined : kindOfToken(token)
  if (token === undefined || kind === undefined) return refuse({ kind: 'unauthenticated' })
  const find = kind === 'connection' ? findBearerOfConnection : findBearer
  const bearer = await find(engine.db, hashToken(token))
  if (!bearer || isRevoked(bearer)) return refuse({ kind: 'unauthenticated' })
  return bearer
}

/**
 * Whether a token is revoked as far as its holder is told. Tokens of a removed member are revoked as well, but `admit` says that the
 * membership has ended, as the contract has it.
 */
function isRevoked({ revoked_at, role, workspace_slug }: Bearer): boolean {
  return revoked_at !== null && (role !== null || isClosedSlug(workspace_slug))
}

export type Admission = { needed: readonly Ability[]; source: Source; hosted: boolean; app_url: string; now: Date }

/** Lets a bearer through, or refuses: membership, then ability and role, then the subscription. */
export function admit(bearer: Bearer, { needed, source, hosted, app_url, now }: Admission): ScopeFacts {
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
      source,
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
