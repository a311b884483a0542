import type { Scope } from '../scope/scope.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'

/** The highest sequence of the workspace: all that is committed has a number at most as high. */
export async function readHead(scope: Scope): Promise<number> {
  await scope.engine.numberChanges(scope.workspace.id)
  return (await loadFeedHead(scope)).sequence
}
