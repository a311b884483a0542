import type { Role } from '@kith/contract/abilities'
import type { Db, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { deleteAdminLinks } from './accounts.ts'
import { worksAt } from './connections.ts'
import { workspaceTable } from './table.ts'
import type { WorkspaceRow } from './workspaces.ts'

export type MemberRow = {
  user_id: string
  name: string
  email: string
  /** Whether the address is confirmed. */
  verified: boolean
  role: Role
  created_at: string
}

/** A member as others of the workspace see them. */
export type UserRow = { id: string; name: string; email: string }

export function findMember(db: Db, workspaceId: string, userId: string): Promise<MemberRow | undefined> {
  return findOne(db, sql`${membersOf(workspaceId)} and m.user_id = ${userId}`)
}

/** Those who joined first come first. */
export async function loadMembers(db: Db, workspaceId: string): Promise<MemberRow[]> {
  const rows = await sql<StoredMember>`${membersOf(workspaceId)} order by m.created_at, m.user_id`.all(db)
  return rows.map(presentMember)
}

/** A page of the members, by id, with the data that everyone in the workspace may see. */
export function loadMemberPage(
  db: Db,
  workspaceId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<UserRow[]> {
  return sql<UserRow>`select m.user_id as id, u.name, u.email from members m join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} order by m.user_id limit ${limit} offset ${offset}`.all(db)
}

/** The next members by id, with the time at which their account was last changed. */
export async function loadMembersAfter(
  db: Db,
  workspaceId: string,
  { after, limit }: { after: string; limit: number },
): Promise<(UserRow & { updated_at: string })[]> {
  const rows = await sql<UserRow & { updated_at: string | Date }>`
    select m.user_id as id, u.name, u.email, u.updated_at from members m join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.user_id > ${after} order by m.user_id limit ${limit}`.all(db)
  return rows.map((row) => ({ ...row, updated_at: new Date(row.updated_at).toISOString() }))
}

export function countMembers(db: Db, workspaceId: string): Promise<number> {
  return sql`select count(*) as n from members where workspace_id = ${workspaceId}`.count(db)
}

/** The owner who joined first. */
export function findFirstOwner(db: Db, workspaceId: string): Promise<MemberRow | undefined> {
  return findOne(db, sql`${membersOf(workspaceId)} and m.role = 'owner' order by m.created_at, m.user_id limit 1`)
}

/** The members with these email addresses, which are in lower case. */
export async function findMemberIds(
  { db, workspace }: Tenant,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  if (emails.length === 0) return new Map()
  const rows = await sql<{ id: string; email: string }>`
    select m.user_id as id, u.email from users u join members m on m.user_id = u.id and m.workspace_id = ${workspace.id}
    where u.email ${sql.among(emails)} order by m.user_id`.all(db)
  return new Map([...Map.groupBy(rows, (row) => row.email)].map(([email, own]) => [email, own.map((row) => row.id)]))
}

export function findMemberByEmail(db: Db, workspaceId: string, email: string): Promise<MemberRow | undefined> {
  return findOne(db, sql`${membersOf(workspaceId)} and u.email = ${email}`)
}

function membersOf(workspaceId: string): Sql<unknown> {
  return sql`select m.user_id, u.name, u.email, u.email_verified as verified, m.role, m.created_at
    from members m join users u on u.id = m.user_id where m.workspace_id = ${workspaceId}`
}

type StoredMember = Omit<MemberRow, 'verified'> & { verified: boolean | number }

async function findOne(db: Db, query: Sql<unknown>): Promise<MemberRow | undefined> {
  const row = await sql<StoredMember>`${query}`.one(db)
  return row && presentMember(row)
}

/** SQLite stores booleans as numbers. */
function presentMember(row: StoredMember): MemberRow {
  return { ...row, verified: Boolean(row.verified) }
}

/** The owners and admins. */
export function loadManagers({ db, workspace }: Tenant): Promise<string[]> {
  return sql<string>`select user_id from members
    where workspace_id = ${workspace.id} and role in ('owner', 'admin') order by user_id`.column(db)
}

export function countOwners(db: Db, workspaceId: string): Promise<number> {
  return sql`select count(*) as n from members
    where workspace_id = ${workspaceId} and role = 'owner'`.count(db)
}

/*
 * An admin's link for a password gives access to the account. Every change of a membership deletes the open links of
 * both sides; the permission is checked again when a link is used.
 */

type NewMember = { workspace_id: string; user_id: string; role: Role; created_at: string }

export async function insertMember(inside: Db, member: NewMember): Promise<void> {
  await sql`insert into members ${sql.values(member)}`.run(inside)
  await deleteAdminLinks(inside, member.user_id)
}

export async function replaceRole(
  inside: Db,
  { workspace_id, user_id, role }: { workspace_id: string; user_id: string; role: Role },
): Promise<void> {
  await sql`update members set role = ${role} where workspace_id = ${workspace_id} and user_id = ${user_id}`.run(inside)
  await deleteAdminLinks(inside, user_id)
}

/** Comments that mention a former member show the last name. */
export async function deleteMember(inside: Db, workspaceId: string, userId: string): Promise<void> {
  await sql`insert into former_members (workspace_id, user_id, name)
    select ${workspaceId}, u.id, u.name from users u where u.id = ${userId}
    on conflict (workspace_id, user_id) do update set name = excluded.name`.run(inside)
  await sql`delete from members where workspace_id = ${workspaceId} and user_id = ${userId}`.run(inside)
  await deleteAdminLinks(inside, userId)
}

/** Sessions of a member that began before this time no longer open the workspace. */
export async function endMemberSessions(
  inside: Db,
  { workspace_id, user_id, at }: { workspace_id: string; user_id: string; at: string },
): Promise<void> {
  await sql`update members set sessions_ended_at = ${at}
    where workspace_id = ${workspace_id} and user_id = ${user_id}`.run(inside)
}

type OwnWorkspaceRow = { id: string; slug: string; name: string; role: Role }

/** The workspaces of a user, by name. */
export function loadWorkspacesOf(db: Db, userId: string): Promise<OwnWorkspaceRow[]> {
  return sql<OwnWorkspaceRow>`select w.id, w.slug, w.name, m.role from members m
    join workspaces w on w.id = m.workspace_id where m.user_id = ${userId} order by w.name, w.id`.all(db)
}

type SharedMembership = { workspace_id: string; role: Role; own_role: Role | null }

/** The role of a user in each of their workspaces, and the role of another user there. */
export function loadSharedMemberships(db: Db, userId: string, otherId: string): Promise<SharedMembership[]> {
  return sql<SharedMembership>`select m.workspace_id, m.role, o.role as own_role from members m
    left join members o on o.workspace_id = m.workspace_id and o.user_id = ${otherId}
    where m.user_id = ${userId} order by m.workspace_id`.all(db)
}

/** The names of users, including former members. */
export async function loadUserNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return []
  return sql<{ id: string; name: string }>`select id, name from users where id in (${sql.join(ids)}) order by id`.all(
    db,
  )
}

/** The names of members, and the last names of former ones. */
export async function loadMemberNames(
  { db, workspace }: Tenant,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return []
  const left = sql`select f.user_id as id, f.name from former_members f
    where f.workspace_id = ${workspace.id} and f.user_id ${sql.among(ids)} and not exists (
      select 1 from members m where m.workspace_id = ${workspace.id} and m.user_id = f.user_id)`
  return sql<{ id: string; name: string }>`
    select m.user_id as id, u.name from members m join users u on u.id = m.user_id
    where m.workspace_id = ${workspace.id} and m.user_id ${sql.among(ids)} union all ${left}`.all(db)
}

/** The workspace with this slug, unless the user has joined it by domain before. */
export function findUnjoined(db: Db, userId: string, slug: string): Promise<string | undefined> {
  return sql<string>`select w.id from workspaces w where w.slug = ${slug}
    and not exists (select 1 from domain_joins d where d.workspace_id = w.id and d.user_id = ${userId})`.value(db)
}

/** False when another sign-in of the user was first. */
export async function insertDomainJoin(
  inside: Db,
  { workspace_id, user_id, at }: { workspace_id: string; user_id: string; at: string },
): Promise<boolean> {
  const inserted = await sql`insert into domain_joins (workspace_id, user_id, created_at)
    values (${workspace_id}, ${user_id}, ${at}) on conflict do nothing`.run(inside)
  return inserted > 0
}

/** `has_access`: 0 once the token or connection is revoked or has expired. */
type CreatorRow = WorkspaceRow & { role: Role | null; has_access: number }

/** `token_id`: of a token or a connection; null for the application. */
export type Authorship = { workspace_id: string; creator_id: string; token_id: string | null }

/** The workspace of a job or webhook, unless it is deleted, and the role of its creator, null after they have left. */
export function findCreator(db: Db, created: Authorship, now: Date): Promise<CreatorRow | undefined> {
  const { workspace_id, creator_id, token_id } = created
  const works = token_id === null ? sql`1 = 1` : worksAt(token_id, now)
  return sql<CreatorRow>`select w.*, m.role, case when ${works} then 1 else 0 end as has_access from workspaces w
    left join members m on m.workspace_id = w.id and m.user_id = ${creator_id}
    where w.id = ${workspace_id} and w.slug < '~'`.one(db)
}

/** One that was accepted, withdrawn or has expired is deleted. */
type InvitationRow = {
  workspace_id: string
  id: string
  /** Null if anyone who has the link may join. */
  email: string | null
  role: Role
  inviter_id: string
  inviter_name: string
  created_at: string
  expires_at: string
}

export const invitationTable = workspaceTable<Omit<InvitationRow, 'inviter_name'> & { hash: string }>('invitations')

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
  role: Role
  expires_at: string
  /** Null when the inviter is no longer a member. */
  inviter_role: Role | null
}

/** By the hash of its link, before the workspace is known. */
export function findInvitation(db: Db, hash: string): Promise<OpenInvitationRow | undefined> {
  return sql<OpenInvitationRow>`select i.workspace_id, w.slug as workspace_slug, w.name as workspace_name, i.id,
      i.email, i.role, i.expires_at, m.role as inviter_role
    from invitations i join workspaces w on w.id = i.workspace_id
    left join members m on m.workspace_id = i.workspace_id and m.user_id = i.inviter_id
    where i.hash = ${hash}`.one(db)
}

/** Withdraws the invitations by a member, and returns their ids. */
export function deleteInvitationsBy(inside: Db, workspaceId: string, inviterId: string): Promise<string[]> {
  return deleteInvitations(inside, workspaceId, sql`inviter_id = ${inviterId}`)
}

/** Withdraws the invitations to an address, and returns their ids. */
export function deleteInvitationsTo(inside: Db, workspaceId: string, email: string): Promise<string[]> {
  return deleteInvitations(inside, workspaceId, sql`email = ${email}`)
}

async function deleteInvitations(inside: Db, workspaceId: string, which: Sql<unknown>): Promise<string[]> {
  const rows = await sql<{ id: string }>`delete from invitations where workspace_id = ${workspaceId}
    and ${which} returning id`.all(inside)
  return rows.map(({ id }) => id)
}

export async function deleteExpiredInvitations(inside: Db, workspaceId: string, now: string): Promise<void> {
  await sql`delete from invitations where workspace_id = ${workspaceId} and expires_at <= ${now}`.run(inside)
}
