import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** One that was accepted, withdrawn or has expired is deleted. */
export type InvitationRow = {
  workspace_id: string
  id: string
  /** Null if anyone who has the link may join. */
  email: string | null
  role: string
  inviter_id: string
  inviter_name: string
  created_at: string
  expires_at: string
}

/** Those that have not expired, newest first. */
export function loadInvitations(db: Db, workspaceId: string, now: string): Promise<InvitationRow[]> {
  return sql<InvitationRow>`select i.workspace_id, i.id, i.email, i.role, i.inviter_id, u.name as inviter_name,
      i.created_at, i.expires_at
    from invitations i join users u on u.id = i.inviter_id
    where i.workspace_id = ${workspaceId} and i.expires_at > ${now} order by i.created_at desc, i.id desc`.all(db)
}

export type OpenInvitationRow = {
  workspace_id: string
  workspace_slug: string
  workspace_name: string
  id: string
  email: string | null
  role: string
  expires_at: string
  /** Null when the inviter is no longer a member. */
  inviter_role: string | null
}

/** By the hash of its link, before the workspace is known. */
export function findInvitation(db: Db, hash: string): Promise<OpenInvitationRow | undefined> {
  return sql<OpenInvitationRow>`select i.workspace_id, w.slug as workspace_slug, w.name as workspace_name, i.id,
      i.email, i.role, i.expires_at, m.role as inviter_role
    from invitations i join workspaces w on w.id = i.workspace_id
    left join members m on m.workspace_id = i.workspace_id and m.user_id = i.inviter_id
    where i.hash = ${hash}`.one(db)
}

export function countInvitations(inside: Db, workspaceId: string): Promise<number> {
  return sql`select count(*) as n from invitations where workspace_id = ${workspaceId}`.count(inside)
}

type NewInvitation = Omit<InvitationRow, 'inviter_name'> & { hash: string }

export async function insertInvitation(inside: Db, row: NewInvitation): Promise<void> {
  await sql`insert into invitations ${sql.values(row)}`.run(inside)
}

/** False when it was already deleted. */
export async function deleteInvitation(inside: Db, workspaceId: string, id: string): Promise<boolean> {
  return (await sql`delete from invitations where workspace_id = ${workspaceId} and id = ${id}`.run(inside)) > 0
}

export async function deleteExpiredInvitations(inside: Db, workspaceId: string, now: string): Promise<void> {
  await sql`delete from invitations where workspace_id = ${workspaceId} and expires_at <= ${now}`.run(inside)
}
