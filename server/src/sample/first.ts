import { refuse } from '@kith/contract/refusal'
import { requirePermission } from '../records/allow.ts'
import type { Scope } from '../scope/scope.ts'
import { loadLiveCounts } from '../storage/tables/counts.ts'
import { loadSample } from './load.ts'

/** Enough to see what the application does, and soon deleted. */
const SIZES = { companies: 40, people: 90, opportunities: 50, tasks: 40, notes: 30 }

/** Fills a workspace that has no records yet, for whoever wants to look around first. */
export async function loadFirstSample(scope: Scope): Promise<{ records: number }> {
  requirePermission(scope, 'manage_workspace')
  const counts = await loadLiveCounts(scope)
  if (Object.values(counts).some((live) => live > 0)) {
    const message = 'Sample data is for empty workspaces only, and this one has records.'
    refuse({ kind: 'invalid', issues: [{ path: 'workspace', message }] })
  }
  return { records: await loadSample(scope, { sizes: SIZES, seed: 1 }) }
}
