import { refuse } from '@kith/contract/refusal'
import { perResource } from '@kith/contract/resource'
import { requirePermission } from '../records/allow.ts'
import type { Scope } from '../scope/scope.ts'
import { loadLiveCounts } from '../storage/tables/counts.ts'
import { loadSample } from './load.ts'

/** A few records of everything, and most of those that screens show most. */
const SIZES = { ...perResource(() => 40), people: 90, opportunities: 50, notes: 30 }

/** Fills a workspace that has no records yet. */
export async function loadFirstSample(scope: Scope): Promise<{ records: number }> {
  requirePermission(scope, 'manage_workspace')
  const counts = await loadLiveCounts(scope)
  if (Object.values(counts).some((live) => live > 0)) {
    const message = 'Sample data is for empty workspaces only, and this one has records.'
    refuse({ kind: 'invalid', issues: [{ path: 'workspace', message }] })
  }
  return { records: await loadSample(scope, { sizes: SIZES, seed: 1 }) }
}
