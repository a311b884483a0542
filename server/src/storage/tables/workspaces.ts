import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

export type WorkspaceRow = {
  id: string
  /** By which the tables of records refer to it. */
  number: number
  name: string
  slug: string
  /** Grows with every change of the custom fields; the schema is cached under it. */
  fields_version: number
  trial_ends_at: string
  /** As Stripe reports it, or null without a subscription. */
  subscription_status: string | null
  stripe_customer_id: string | null
  stripe_subscription_id: string | null
  /** When Stripe created the event that was last applied, in seconds: events may come out of order. */
  stripe_event_at: number | null
  complimentary: number
  paused_at: string | null
  /** 1 where members open the workspace only in a session that began with a second factor. */
  require_second_factor: number
  created_at: string
  /** Whose limit of workspaces it counts for; null when the operator created it. */
  created_by: string | null
}

export async function findWorkspaceBySlug(db: Db, slug: string): Promise<WorkspaceRow | undefined> {
  // PostgreSQL accepts no NUL in a parameter.
  if (slug.includes('\0')) return undefined
  return sql<WorkspaceRow>`select * from workspaces where slug = ${slug}`.one(db)
}

/** All that are not deleted, oldest first. */
export function loadWorkspaces(db: Db): Promise<WorkspaceRow[]> {
  // The slugs of deleted workspaces begin with a tilde.
  return sql<WorkspaceRow>`select * from workspaces where slug < '~' order by created_at, id`.all(db)
}

/** The slug itself where it is taken, and all slugs that continue it with a dash. */
export async function loadSlugsLike(db: Db, slug: string): Promise<Set<string>> {
  // The full stop follows the dash in the order of bytes.
  return new Set(
    await sql<string>`select slug from workspaces
    where slug = ${slug} or (slug >= ${`${slug}-`} and slug < ${`${slug}.`})`.column(db),
  )
}

/** How many workspaces a user has created that are not deleted. */
export function countWorkspacesBy(db: Db, userId: string): Promise<number> {
  return sql`select count(*) as n from workspaces where created_by = ${userId} and slug < '~'`.count(db)
}

/** Inserts a new workspace and returns it with its number. */
export async function insertWorkspace(
  { takeNumbers }: Engine,
  inside: Db,
  workspace: Omit<WorkspaceRow, 'number'>,
): Promise<WorkspaceRow> {
  const [number = 0] = await takeNumbers(inside, 'workspaces', 1)
  await sql`insert into workspaces ${sql.values({ ...workspace, number })}`.run(inside)
  return { ...workspace, number }
}

export async function updateWorkspace(
  inside: Db,
  id: string,
  settings: Partial<Pick<WorkspaceRow, 'name' | 'paused_at' | 'complimentary' | 'require_second_factor'>>,
): Promise<void> {
  await sql`update workspaces set ${sql.set(settings)} where id = ${id}`.run(inside)
}

export function loadWorkspaceIds(db: Db): Promise<string[]> {
  return sql<string>`select id from workspaces order by id`.column(db)
}

/** The workspace of a Stripe customer. */
export function findWorkspaceOfCustomer(db: Db, customerId: string): Promise<string | undefined> {
  return sql<string>`select id from workspaces where stripe_customer_id = ${customerId}`.value(db)
}

/** Stores a newer state of the subscription. A later one stays. */
export async function replaceSubscription(
  db: Db,
  workspaceId: string,
  state: {
    subscription_status: string | null
    stripe_customer_id: string
    stripe_subscription_id: string | null
    stripe_event_at: number
  },
): Promise<void> {
  await sql`update workspaces set ${sql.set(state)} where id = ${workspaceId}
    and (stripe_event_at is null or stripe_event_at <= ${state.stripe_event_at})`.run(db)
}
