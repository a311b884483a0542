import { inTransaction, type Scope } from '../scope/scope.ts'
import { loadFieldsVersion } from '../storage/tables/fields-version.ts'

/** Changes definitions and returns the version that they have then. */
export function withVersion<T>(
  scope: Scope,
  change: (inside: Scope) => Promise<T>,
): Promise<{ changed: T; version: number }> {
  return inTransaction(scope, async (inside) => {
    const changed = await change(inside)
    return { changed, version: await loadFieldsVersion(inside.db, inside.workspace.id) }
  })
}
