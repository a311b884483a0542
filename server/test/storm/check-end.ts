import { isDeepStrictEqual } from 'node:util'
import { reindexWorkspace } from '../../src/records/reindex.ts'
import { derived } from '../derived/derived-state.ts'
import { brokenRules } from './rules.ts'
import type { Storm } from './storm-world.ts'

/** When all is quiet, what is derived from the records is what a rebuild makes of them. */
export async function checkEnd(storm: Storm): Promise<string[]> {
  const problems = await brokenRules(storm)
  const at = { id: storm.id, runtime: storm.place.runtime }
  const before = await derived(at)
  await reindexWorkspace(storm.scope)
  const after = await derived(at)
  for (const part of ['values', 'texts', 'counts', 'names'] as const) {
    if (!isDeepStrictEqual(before[part], after[part])) problems.push(`A rebuild changes the ${part} of the index.`)
  }
  return problems
}
