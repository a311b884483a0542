import { isDeepStrictEqual } from 'node:util'
import { reindexWorkspace } from '../../src/records/reindex.ts'
import { derived } from '../derived/derived-state.ts'
import { brokenRules } from './rules.ts'
import type { RandomRun } from './world.ts'

/** When all is quiet, what is derived from the records is what a rebuild makes of them. */
export async function checkEnd(run: RandomRun): Promise<string[]> {
  const problems = await brokenRules(run)
  const at = { id: run.id, runtime: run.place.runtime }
  const before = await derived(at)
  await reindexWorkspace(run.scope)
  const after = await derived(at)
  for (const part of ['values', 'texts', 'counts', 'names'] as const) {
    if (!isDeepStrictEqual(before[part], after[part])) problems.push(`A rebuild changes the ${part} of the index.`)
  }
  return problems
}
