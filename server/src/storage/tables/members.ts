import type { Db } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { deleteAdminLinks } from './password-links.ts'
import type { MembersTable } from './tables.ts'

export type MemberRow = {
  user_id: string
  name: string
  email: string
  /** Whether the address was proved to be theirs. */
  verified: boolean
  role: string
  created_at: string
}

export async function findMember(db: Db, workspaceId: string, userId: string): Promise<MemberRow | undefined> {
  return presented(await membersOf(db, workspaceId).where('members.user_id', '=', userId).executeTakeFirst())
}

/** Those who came first, first. */
export async function loadMembers(db: Db, workspaceId: string): Promise<MemberRow[]> {
  const rows = await membersOf(db, workspaceId).orderBy('members.created_at').orderBy('members.user_id').execute()
  return rows.map(presented)
}

/** The owner who has been there longest. */
export async function findFirstOwner(db: Db, workspaceId: string): Promise<MemberRow | undefined> {
  const first = membersOf(db, workspaceId)
    .where('role', '=', 'owner')
    .orderBy('members.created_at')
    .orderBy('members.user_id')
    .limit(1)
  return presented(await first.executeTakeFirst())
}

export async function countOwners(db: Db, workspaceId: string): Promise<number> {
  const row = await db.query
    .selectFrom('members')
    .select((of) => of.fn.countAll<number>().as('owners'))
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return row.owners
}

/*
 * An admin's link for a password is as good as the account. Every change of a membership deletes the open links of both sides; their
 * permission is also checked again when a link is used.
 */

export async function insertMember(inside: Db, member: MembersTable): Promise<void> {
  await inside.query.insertInto('members').values(member).execute()
  await deleteAdminLinks(inside, member.user_id)
}

export async function replaceRole(inside: Db, workspaceId: string, userId: string, role: string): Promise<void> {
  await inside.query
    .updateTable('members')
    .set({ role })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
  await deleteAdminLinks(inside, userId)
}

export async function deleteMember(inside: Db, workspaceId: string, userId: string): Promise<void> {
  await inside.query
    .deleteFrom('members')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
  await deleteAdminLinks(inside, userId)
}

function membersOf(db: Db, workspaceId: string) {
  return db.query
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.user_id', 'users.name', 'users.email', 'members.role', 'members.created_at'])
    .select('users.email_verified as verified')
    .where('members.workspace_id', '=', workspaceId)
}

type Presented<Row> = Row extends undefined ? undefined : MemberRow

/** SQLite stores yes and no as numbers. */
function presented<Row extends (Omit<MemberRow, 'verified'> & { verified: boolean | number }) | undefined>(
  row: Row,
): Presented<Row> {
  // A row stays a row, and none stays none.
  return (row && { ...row, verified: Boolean(row.verified) }) as Presented<Row>
}

export type OwnWorkspaceRow = { id: string; slug: string; name: string; role: string }

/** The workspaces of a user, by name. */
export function loadWorkspacesOf(db: Db, userId: string): Promise<OwnWorkspaceRow[]> {
  return db.query
    .selectFrom('members')
    .innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
    .select(['workspaces.id', 'workspaces.slug', 'workspaces.name', 'members.role'])
    .where('members.user_id', '=', userId)
    .orderBy('workspaces.name')
    .orderBy('workspaces.id')
    .execute()
}

export async function findMemberByEmail(db: Db, workspaceId: string, email: string): Promise<MemberRow | undefined> {
  return presented(await membersOf(db, workspaceId).where('users.email', '=', email).executeTakeFirst())
}

export type SharedMembership = { workspace_id: string; role: string; own_role: string | null }

const shared = fixed<SharedMembership>(
  `select m.workspace_id, m.role, o.role as own_role from members m
   left join members o on o.workspace_id = m.workspace_id and o.user_id = ?
   where m.user_id = ? order by m.workspace_id`,
)

/** What a user is in each of their workspaces, and what somebody else is there. */
export function loadSharedMemberships(db: Db, userId: string, otherId: string): Promise<SharedMembership[]> {
  return shared(db, [otherId, userId])
}

/** The names of users, also of those who have left: for what they did while they were there. */
export async function loadUserNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return []
  return db.query.selectFrom('users').select(['id', 'name']).where('id', 'in', ids).orderBy('id').execute()
}
