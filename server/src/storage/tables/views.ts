import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import type { ViewsTable } from './tables.ts'

export type ViewRow = ViewsTable & { /** Null when the owner has left. */ owner_name: string | null }

/** The views that a member sees: their own and the shared ones, in order of resource and position. */
export function loadViews(scope: Scope, resource: ResourceName | undefined): Promise<ViewRow[]> {
  return viewsOf(scope)
    .where((where) => where.or([where('shared', '=', 1), where('owner_id', '=', scope.actor.user_id)]))
    .$if(resource !== undefined, (query) => query.where('resource', '=', resource ?? ''))
    .orderBy('resource')
    .orderBy('position')
    .orderBy('views.id')
    .execute()
}

/** Whoever's it is. */
export function findView(scope: Scope, id: string): Promise<ViewRow | undefined> {
  return viewsOf(scope).where('views.id', '=', id).executeTakeFirst()
}

export async function countViews(inside: Scope, resource: string): Promise<{ views: number; last: number }> {
  const row = await inside.db.query
    .selectFrom('views')
    .select((of) => [of.fn.countAll<number>().as('views'), of.fn.max('position').as('last')])
    .where('workspace_id', '=', inside.workspace.id)
    .where('resource', '=', resource)
    .executeTakeFirstOrThrow()
  return { views: row.views, last: row.last ?? 0 }
}

export async function insertView(inside: Scope, row: ViewsTable): Promise<void> {
  await inside.db.query.insertInto('views').values(row).execute()
}

export async function replaceView(inside: Scope, row: ViewsTable): Promise<void> {
  const { name, shared, state, position, updated_at } = row
  await inside.db.query
    .updateTable('views')
    .set({ name, shared, state, position, updated_at })
    .where('workspace_id', '=', inside.workspace.id)
    .where('id', '=', row.id)
    .execute()
}

export async function deleteView(inside: Scope, id: string): Promise<void> {
  await inside.db.query
    .deleteFrom('views')
    .where('workspace_id', '=', inside.workspace.id)
    .where('id', '=', id)
    .execute()
}

function viewsOf(scope: Scope) {
  return scope.db.query
    .selectFrom('views')
    .leftJoin('members', (join) =>
      join.onRef('members.workspace_id', '=', 'views.workspace_id').onRef('members.user_id', '=', 'views.owner_id'),
    )
    .leftJoin('users', 'users.id', 'members.user_id')
    .selectAll('views')
    .select('users.name as owner_name')
    .where('views.workspace_id', '=', scope.workspace.id)
}
