import type { Issue } from '@kith/contract/issue'
import { BATCH_CHUNK } from '@kith/contract/limits'
import { type RefusalReason, refuseIfAny } from '@kith/contract/refusal'
import { inRehearsal, inTransaction, type Scope } from '../scope/scope.ts'
import { inChunkTurn } from './chunk-turn.ts'
import { fullMessage } from './full-message.ts'
import type { Lids, Outcome } from './operation.ts'
import type { Batch } from './parse-operations.ts'
import { presentResults, type Result } from './present-results.ts'
import { runOperations } from './run-operations.ts'

/** Carries out a batch that is one transaction: all of it or nothing, or nothing in any case if it is a dry run. */
export function runWhole(scope: Scope, batch: Batch): Promise<Result[]> {
  const { operations, atomic, dry_run } = batch
  const run = async (inside: Scope) => {
    const outcomes = await runOperations(inside, operations, { shows: batch.return === 'record' })
    if (atomic) refuseIfAny(outcomes.flatMap(issuesOf))
    return presentResults(outcomes, { batch, first: 0 })
  }
  return dry_run ? inRehearsal(scope, run) : inTransaction(scope, run)
}

/** A chunk of a batch, and the results of those before it. */
type Chunk = { number: number; before: readonly Result[]; isLast: boolean }

/** Carries out the operations of a chunk, in one transaction. */
type RunChunk = (work: (inside: Scope) => Promise<Result[]>, chunk: Chunk) => Promise<Result[]>

/** Carries out a batch in chunks, each in a transaction of its own, which take turns with other writes. */
export async function runInChunks(scope: Scope, batch: Batch, runChunk?: RunChunk): Promise<Result[]> {
  const { operations } = batch
  const lids: Lids = new Map()
  const results: Result[] = []
  const run: RunChunk = runChunk ?? ((work) => inTransaction(scope, work))
  while (results.length < operations.length) {
    const first = results.length
    const chunk = operations.slice(first, first + BATCH_CHUNK)
    const work = async (inside: Scope) => {
      const outcomes = await runOperations(inside, chunk, { named: lids, shows: batch.return === 'record' })
      return presentResults(outcomes, { batch, first })
    }
    const isLast = first + chunk.length === operations.length
    const done = await inChunkTurn(scope, () => run(work, { number: first / BATCH_CHUNK, before: results, isLast }))
    for (const [index, { lid }] of chunk.entries()) {
      const id = done[index]?.id
      if (lid !== undefined) lids.set(lid, typeof id === 'string' ? id : null)
    }
    results.push(...done)
  }
  return results
}

/** What is wrong with an operation, by its path in the batch. */
function issuesOf(outcome: Outcome, index: number): Issue[] {
  if (!('refused' in outcome)) return []
  const path = `operations.${index}`
  const { refused } = outcome
  if (refused.kind !== 'invalid') return [{ path: `${path}.${partOf(refused)}`, message: fullMessage(refused) }]
  return refused.issues.map((issue) => ({ path: `${path}.${pathInOperation(issue.path)}`, message: issue.message }))
}

/** The part of an operation that a refusal is about. */
function partOf(reason: RefusalReason): string {
  if (reason.kind === 'ambiguous') return 'match'
  if (reason.kind !== 'precondition_failed') return 'id'
  return reason.matches === undefined ? 'if_match' : 'if_none_match'
}

const OWN_PARTS = ['id', 'match', 'if_match', 'if_none_match']

function pathInOperation(path: string): string {
  if (path === 'body') return 'data'
  return OWN_PARTS.some((part) => path === part || path.startsWith(`${part}.`)) ? path : `data.${path}`
}
