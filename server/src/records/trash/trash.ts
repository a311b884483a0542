import type { Trashed } from '@kith/contract/app/trash'
import { type Issue, reportInto } from '@kith/contract/issue'
import { PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX, RESTORE_DAYS } from '@kith/contract/limits'
import { refuseIfAny } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import { parseWhole } from '@kith/contract/whole-number'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { loadTrash } from '../../storage/tables/trash.ts'
import { requireAbilities } from '../allow.ts'

/** The requested page of a list of the application. */
export type PageParams = { page?: unknown; per_page?: unknown }

export type PageOf<T> = { data: T[]; total: number; page: number; per_page: number }

/** The deleted records that can still be restored, of one resource or of all, latest first. */
export async function listTrash(
  scope: Scope,
  { resource, ...params }: { resource?: ResourceName } & PageParams,
): Promise<PageOf<Trashed>> {
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

const RESTORE_MS = RESTORE_DAYS * 86_400_000

/** What was deleted or merged after this time can still be restored. */
export function restorableSince(scope: { now(): Date }): string {
  return new Date(scope.now().getTime() - RESTORE_MS).toISOString()
}

export function restorableUntil(at: string): string {
  return new Date(Date.parse(at) + RESTORE_MS).toISOString()
}

/** Refuses with all problems, also those that were found before. */
export function parsePage({ page, per_page }: PageParams, issues: Issue[] = []): { page: number; per_page: number } {
  const report = reportInto(issues)
  const parsed = {
    page: parseWhole(page, { name: 'page', max: PAGE_MAX }, report) ?? 1,
    per_page: parseWhole(per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
  }
  refuseIfAny(issues)
  return parsed
}
