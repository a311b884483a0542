import type { Db } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { short } from '../engines/short.ts'
import type { TokensTable } from './tables.ts'

/** All that a request needs to know about its token. */
export type BearerRow = {
  token_id: string
  workspace_id: string
  workspace_slug: string
  workspace_name: string
  fields_version: number
  user_id: string
  abilities: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  /** Null when the user has left the workspace. */
  role: string | null
  trial_ends_at: string
  subscription_status: string | null
  complimentary: number
  paused_at: string | null
}

const bearers = fixed<BearerRow>(`
  select t.id as token_id, t.workspace_id, w.slug as workspace_slug, w.name as workspace_name, w.fields_version,
    t.user_id, t.abilities, t.expires_at, t.revoked_at, t.last_used_at, m.role,
    w.trial_ends_at, w.subscription_status, w.complimentary, w.paused_at
  from tokens t
  join workspaces w on w.id = t.workspace_id
  left join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
  where t.hash = ?`)

/** Runs on every request, so that its text is fixed and both databases plan it once. */
export async function findBearerRow(db: Db, hash: string): Promise<BearerRow | undefined> {
  const [row] = await bearers(short(db), [hash])
  return row
}

type Holder = { workspace_id: string; user_id: string }

/** How many tokens of a member are neither revoked nor expired. */
export async function countWorkingTokens(db: Db, { workspace_id, user_id }: Holder, now: string): Promise<number> {
  const { working } = await db.query
    .selectFrom('tokens')
    .select((of) => of.fn.countAll<number>().as('working'))
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return working
}

export type TokenRow = Omit<TokensTable, 'workspace_id' | 'hash'> & { user_name: string; user_email: string }

export function findToken(db: Db, workspaceId: string, id: string): Promise<TokenRow | undefined> {
  return tokensOf(db, workspaceId).where('tokens.id', '=', id).executeTakeFirst()
}

/** Newest first; of one user only, where one is named. */
export function loadTokens(db: Db, workspaceId: string, userId?: string): Promise<TokenRow[]> {
  return tokensOf(db, workspaceId)
    .$if(userId !== undefined, (query) => query.where('tokens.user_id', '=', userId ?? ''))
    .orderBy('tokens.created_at', 'desc')
    .orderBy('tokens.id', 'desc')
    .execute()
}

export async function insertToken(inside: Db, token: TokensTable): Promise<void> {
  await inside.query.insertInto('tokens').values(token).execute()
}

type Revoked = { workspace_id: string; id: string; at: string }

/** Whether the token was not revoked before. One that was keeps its time. */
export async function replaceRevokedAt(inside: Db, { workspace_id, id, at }: Revoked): Promise<boolean> {
  const { numUpdatedRows } = await inside.query
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Never goes back: several nodes may tell at once. */
export async function replaceLastUsedAt(db: Db, id: string, at: string): Promise<void> {
  await db.query
    .updateTable('tokens')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)]))
    .execute()
}

function tokensOf(db: Db, workspaceId: string) {
  return db.query
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select([
      'tokens.id',
      'tokens.user_id',
      'users.name as user_name',
      'users.email as user_email',
      'tokens.name',
      'tokens.abilities',
    ])
    .select(['tokens.expires_at', 'tokens.last_used_at', 'tokens.revoked_at', 'tokens.created_at'])
    .where('tokens.workspace_id', '=', workspaceId)
}
