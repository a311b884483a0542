import type { Db } from '../engines/engine.ts'
import type { InvitationsTable } from './tables.ts'

export type InvitationRow = Omit<InvitationsTable, 'hash'> & { inviter_name: string }

/** Those that have not expired, newest first. */
export function loadInvitations(db: Db, workspaceId: string, now: string): Promise<InvitationRow[]> {
  return db.query
    .selectFrom('invitations')
    .innerJoin('users', 'users.id', 'invitations.inviter_id')
    .select(['invitations.workspace_id', 'invitations.id', 'invitations.email', 'invitations.role'])
    .select(['invitations.inviter_id', 'users.name as inviter_name'])
    .select(['invitations.created_at', 'invitations.expires_at'])
    .where('invitations.workspace_id', '=', workspaceId)
    .where('invitations.expires_at', '>', now)
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id', 'desc')
    .execute()
}

export type OpenInvitationRow = {
  workspace_id: string
  workspace_slug: string
  workspace_name: string
  id: string
  email: string | null
  role: string
  expires_at: string
  /** Null when whoever invited is no longer a member. */
  inviter_role: string | null
}

/** By what its link holds: the one question here that knows no workspace yet. */
export function findInvitation(db: Db, hash: string): Promise<OpenInvitationRow | undefined> {
  return db.query
    .selectFrom('invitations as i')
    .innerJoin('workspaces as w', 'w.id', 'i.workspace_id')
    .leftJoin('members as m', (join) =>
      join.onRef('m.workspace_id', '=', 'i.workspace_id').onRef('m.user_id', '=', 'i.inviter_id'),
    )
    .select(['i.workspace_id', 'w.slug as workspace_slug', 'w.name as workspace_name', 'i.id', 'i.email', 'i.role'])
    .select(['i.expires_at', 'm.role as inviter_role'])
    .where('i.hash', '=', hash)
    .executeTakeFirst()
}

export async function countInvitations(inside: Db, workspaceId: string): Promise<number> {
  const row = await inside.query
    .selectFrom('invitations')
    .select((of) => of.fn.countAll<number>().as('invitations'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return row.invitations
}

export async function insertInvitation(inside: Db, row: InvitationsTable): Promise<void> {
  await inside.query.insertInto('invitations').values(row).execute()
}

/** False when it was gone already. */
export async function deleteInvitation(inside: Db, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await inside.query
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteExpiredInvitations(inside: Db, workspaceId: string, now: string): Promise<void> {
  await inside.query
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '<=', now)
    .execute()
}
