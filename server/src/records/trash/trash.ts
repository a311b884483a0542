import type { TrashedRecord } from '@kith/contract/app/trash'
import { parseId } from '@kith/contract/id'
import { DAY_MS, RESTORE_DAYS } from '@kith/contract/limits'
import { type PageQuery, parsePageQuery } from '@kith/contract/list-query'
import { parseOrRefuse } from '@kith/contract/refusal'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { requireAbilities } from '../../scope/permissions.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { loadAnyRows, loadTrash } from '../../storage/tables/expiry.ts'

/** The requested page of a list of the application. */
export type PageParams = { page?: unknown; per_page?: unknown }

export type PageOf<T> = { data: T[]; total: number; page: number; per_page: number }

/** The deleted records that can still be restored, of one resource or of all, latest first. */
export async function listTrash(
  scope: Scope,
  { resource, ...params }: { resource?: ResourceName } & PageParams,
): Promise<PageOf<TrashedRecord>> {
  requireAbilities(scope, ['read', 'delete'])
  const { page, per_page } = parsePage(params)
  const since = restorableSince(scope)
  const part = { resource, since, limit: per_page, offset: (page - 1) * per_page }
  const { rows, total } = await inSnapshot(scope, (inside) => loadTrash(inside, part))
  const data = rows.map(({ deleted_by, deleted_by_name, ...row }) => ({
    ...row,
    deleted_by: deleted_by === null || deleted_by_name === null ? null : { id: deleted_by, name: deleted_by_name },
    restorable_until: restorableUntil(row.deleted_at),
  }))
  return { data, total, page, per_page }
}

/** When a record was deleted that can still be restored. */
export async function findDeletion(
  scope: Scope,
  resource: Resource,
  id: string,
): Promise<{ at: string; restorable_until: string } | undefined> {
  requireAbilities(scope, ['delete'])
  const [row] = await loadAnyRows(scope, resource, [parseId(id) ?? ''])
  const at = row?.deleted_at ?? ''
  return at > restorableSince(scope) ? { at, restorable_until: restorableUntil(at) } : undefined
}

const RESTORE_MS = RESTORE_DAYS * DAY_MS

/** Records that were deleted or merged after this time can still be restored. */
export function restorableSince(scope: { now(): Date }): string {
  return new Date(scope.now().getTime() - RESTORE_MS).toISOString()
}

export function restorableUntil(at: string): string {
  return new Date(Date.parse(at) + RESTORE_MS).toISOString()
}

export function parsePage({ page, per_page }: PageParams): PageQuery {
  return parseOrRefuse([], (report) => parsePageQuery({ page, per_page }, [], report))
}
