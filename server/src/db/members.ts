import type { Db } from './engine.ts'
import { fixed } from './fixed.ts'
import type { MembersTable } from './tables.ts'

export type MemberRow = { user_id: string; name: string; email: string; role: string; created_at: string }

export function findMember(db: Db, workspaceId: string, userId: string): Promise<MemberRow | undefined> {
  return membersOf(db, workspaceId).where('members.user_id', '=', userId).executeTakeFirst()
}

/** Those who came first, first. */
export function loadMembers(db: Db, workspaceId: string): Promise<MemberRow[]> {
  return membersOf(db, workspaceId).orderBy('members.created_at').orderBy('members.user_id').execute()
}

/** The owner who has been there longest. */
export function findFirstOwner(db: Db, workspaceId: string): Promise<MemberRow | undefined> {
  return membersOf(db, workspaceId)
    .where('role', '=', 'owner')
    .orderBy('members.created_at')
    .orderBy('members.user_id')
    .limit(1)
    .executeTakeFirst()
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

export async function insertMember(inside: Db, member: MembersTable): Promise<void> {
  await inside.query.insertInto('members').values(member).execute()
}

export async function replaceRole(inside: Db, workspaceId: string, userId: string, role: string): Promise<void> {
  await inside.query
    .updateTable('members')
    .set({ role })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}

export async function deleteMember(inside: Db, workspaceId: string, userId: string): Promise<void> {
  await inside.query
    .deleteFrom('members')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}

function membersOf(db: Db, workspaceId: string) {
  return db.query
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.user_id', 'users.name', 'users.email', 'members.role', 'members.created_at'])
    .where('members.workspace_id', '=', workspaceId)
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

export function findMemberByEmail(db: Db, workspaceId: string, email: string): Promise<MemberRow | undefined> {
  return membersOf(db, workspaceId).where('users.email', '=', email).executeTakeFirst()
}

const beside = fixed<{ role: string; own_role: string | null }>(
  `select m.role, o.role as own_role from members m
   left join members o on o.workspace_id = m.workspace_id and o.user_id = ?
   where m.user_id = ? and m.workspace_id <> ? order by m.workspace_id`,
)

/** What a user is in all other workspaces, and what somebody else is there. */
export function loadMembershipsBeside(
  db: Db,
  workspaceId: string,
  userId: string,
  otherId: string,
): Promise<{ role: string; own_role: string | null }[]> {
  return beside(db, [otherId, userId, workspaceId])
}

/** The names of users, also of those who have left: for what they did while they were there. */
export async function loadUserNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return []
  return db.query.selectFrom('users').select(['id', 'name']).where('id', 'in', ids).orderBy('id').execute()
}
