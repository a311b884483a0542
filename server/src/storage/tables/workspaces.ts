import type { Db } from '../engines/engine.ts'
import type { WorkspacesTable } from './tables.ts'

export type WorkspaceRow = WorkspacesTable

export async function findWorkspaceBySlug(db: Db, slug: string): Promise<WorkspaceRow | undefined> {
  // PostgreSQL takes no NUL, not even to find nothing under it.
  if (slug.includes('\0')) return undefined
  return db.query.selectFrom('workspaces').selectAll().where('slug', '=', slug).executeTakeFirst()
}

/** All that are not deleted, oldest first. */
export function loadWorkspaces(db: Db): Promise<WorkspaceRow[]> {
  // Behind the tilde stand those that are closed.
  return db.query
    .selectFrom('workspaces')
    .selectAll()
    .where('slug', '<', '~')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The slug itself where it is taken, and all that continue it with a dash. */
export async function loadSlugsLike(db: Db, slug: string): Promise<Set<string>> {
  const rows = await db.query
    .selectFrom('workspaces')
    .select('slug')
    // The full stop follows the dash in the order of bytes.
    .where((where) =>
      where.or([
        where('slug', '=', slug),
        where.and([where('slug', '>=', `${slug}-`), where('slug', '<', `${slug}.`)]),
      ]),
    )
    .execute()
  return new Set(rows.map((row) => row.slug))
}

/** How many workspaces a user has created that are not deleted. */
export async function countWorkspacesBy(db: Db, userId: string): Promise<number> {
  const { made } = await db.query
    .selectFrom('workspaces')
    .select((of) => of.fn.countAll<number>().as('made'))
    .where('created_by', '=', userId)
    .where('slug', '<', '~')
    .executeTakeFirstOrThrow()
  return made
}

export async function insertWorkspace(inside: Db, workspace: WorkspaceRow): Promise<void> {
  await inside.query.insertInto('workspaces').values(workspace).execute()
}

type Standing = Partial<Pick<WorkspaceRow, 'paused_at' | 'complimentary' | 'require_second_factor'>>

export async function replaceStanding(inside: Db, id: string, standing: Standing): Promise<void> {
  await inside.query.updateTable('workspaces').set(standing).where('id', '=', id).execute()
}

export async function replaceWorkspaceName(inside: Db, id: string, name: string): Promise<void> {
  await inside.query.updateTable('workspaces').set({ name }).where('id', '=', id).execute()
}

export async function loadWorkspaceIds(db: Db): Promise<string[]> {
  const rows = await db.query.selectFrom('workspaces').select('id').orderBy('id').execute()
  return rows.map((row) => row.id)
}
