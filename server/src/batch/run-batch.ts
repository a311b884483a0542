import { newId } from '@kith/contract/id'
import type { Issue } from '@kith/contract/issue'
import { ANSWER_MAX_BYTES, BATCH_CHUNK } from '@kith/contract/limits'
import { Refusal, type RefusalReason, refusalStatuses, refuseIfAny } from '@kith/contract/refusal'
import { refusalDetails } from '@kith/contract/refusal-details'
import { hashOf } from '../records/once.ts'
import type { ResourceObject } from '../records/present.ts'
import { inRehearsal, inTransaction, type Scope } from '../scope/scope.ts'
import { newTurns } from '../storage/engines/transactions.ts'
import { idOf, type Lids, type Operation, type Outcome, withNames } from './operation.ts'
import type { Batch } from './parse-batch.ts'
import { runOperations } from './run-operations.ts'

/** The scope of a batch, which notifies each person once. One that continues after a crash has the same key. */
export function asBatch(scope: Scope, key: string | undefined): Scope {
  const { token_id, user_id } = scope.actor
  return { ...scope, event: key === undefined ? newId(scope.now().getTime()) : hashOf([token_id ?? user_id, key]) }
}

/** Runs a batch in one transaction: all operations or none. A dry run is always rolled back. */
export function runWhole(scope: Scope, batch: Batch): Promise<Result[]> {
  const { operations, atomic, dry_run } = batch
  const run = async (inside: Scope) => {
    const done = await runOperations(inside, operations, { shows: batch.return === 'record' })
    const outcomes = atomic || dry_run ? done.map(namingOperations(done)) : done
    if (atomic) refuseIfAny(outcomes.flatMap((outcome, index) => issuesOf(outcome, operations[index], index)))
    return presentResults(outcomes, { batch, first: 0 })
  }
  return dry_run ? inRehearsal(scope, run) : inTransaction(scope, run)
}

/**
 * Refusals may name records that are not stored in the end. Replaces their ids by the operations that would create
 * them.
 */
function namingOperations(outcomes: readonly Outcome[]): (outcome: Outcome) => Outcome {
  const names = new Map(
    outcomes.flatMap((one, index) => ('row' in one && one.created ? [[one.row.id, `operations.${index}`]] : [])),
  )
  return (outcome) => ('refused' in outcome ? withNames(outcome, names) : outcome)
}

/** A chunk of a batch, and the results of the chunks before it. */
type Chunk = { number: number; before: readonly Result[]; isLast: boolean }

type RunChunk = (work: (inside: Scope) => Promise<Result[]>, chunk: Chunk) => Promise<Result[]>

/** Runs a batch in chunks, each in its own transaction, which take turns with other writes. */
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

/** The problems of an operation, with their paths in the batch. */
function issuesOf(outcome: Outcome, operation: Operation | undefined, index: number): Issue[] {
  if (!('refused' in outcome)) return []
  const path = `operations.${index}`
  const { refused } = outcome
  if (refused.kind !== 'invalid')
    return [{ path: `${path}.${partOf(refused, operation)}`, message: fullMessage(refused) }]
  return refused.issues.map((issue) => ({ path: `${path}.${pathInOperation(issue.path)}`, message: issue.message }))
}

/** The part of an operation that a refusal is about. */
function partOf(reason: RefusalReason, operation: Operation | undefined): string {
  if (reason.kind !== 'precondition_failed') return operation?.match === undefined ? 'id' : 'match'
  return reason.matches === undefined ? 'if_match' : 'if_none_match'
}

const OWN_PARTS = ['id', 'match', 'if_match', 'if_none_match']

function pathInOperation(path: string): string {
  if (path === 'body') return 'data'
  return OWN_PARTS.some((part) => path === part || path.startsWith(`${part}.`)) ? path : `data.${path}`
}

/** The message of a refusal with the ids that a single response has next to it. */
export function fullMessage(reason: RefusalReason): string {
  const { message } = new Refusal(reason)
  if (reason.kind === 'ambiguous') return `${message} They are ${reason.matches.join(', ')}.`
  if (reason.kind !== 'not_found' || !reason.merged_into) return message
  return `${message} It was merged into ${reason.merged_into.id}.`
}

const turns = newTurns()

/**
 * Runs a chunk of a batch or import. If the engine has a single writer, the chunks of all batches take turns. Otherwise
 * they would be committed together, and a single write would wait for all of them.
 */
export function inChunkTurn<T>({ engine }: Scope, work: () => Promise<T>): Promise<T> {
  return engine.concurrentWrites ? work() : turns('chunk', work)
}

/** The result of one operation, as it is sent. */
export type Result = { index: number; op: string; status: number } & Record<string, unknown>

function presentResults(
  outcomes: readonly Outcome[],
  {
    batch,
    first,
  }: {
    batch: Batch
    /** The index of the first outcome in the batch. */
    first: number
  },
): Result[] {
  // A record that a dry run would create has no id, not even in later operations.
  const imagined = new Set(batch.dry_run ? outcomes.filter(isCreated).map(idOf) : [])
  return outcomes.map((outcome, place): Result => {
    const index = first + place
    const op = batch.operations[index]?.op ?? ''
    if ('refused' in outcome) {
      const { kind } = outcome.refused
      const { message } = new Refusal(outcome.refused)
      return { index, op, status: refusalStatuses[kind], message, ...refusalDetails(outcome.refused) }
    }
    const created = isCreated(outcome)
    const isImagined = imagined.has(idOf(outcome))
    const result = {
      index,
      op,
      status: 'removed' in outcome ? 204 : created ? 201 : 200,
      id: isImagined ? null : idOf(outcome),
      updated_at: 'row' in outcome ? outcome.row.updated_at : null,
      created,
    }
    if (batch.return === 'minimal') return result
    return { ...result, data: 'row' in outcome ? shownOf(outcome.shown, isImagined) : null }
  })
}

function isCreated(outcome: Outcome): boolean {
  return 'row' in outcome && outcome.created
}

function shownOf(shown: ResourceObject | undefined, isImagined: boolean): object | null {
  if (!shown) return null
  return isImagined ? { ...shown, id: null } : shown
}

export function isFailed({ status }: Result): boolean {
  return status >= 300
}

/** The response of a batch: the results, and how many there are of each kind. */
export function batchDocument(results: readonly Result[], { atomic, dry_run }: Batch): string {
  const failed = results.filter(isFailed).length
  const counts = { total: results.length, succeeded: results.length - failed, failed }
  let bytes = 0
  let isCut = false
  const texts = results.map((result) => {
    const text = JSON.stringify(result)
    bytes += text.length
    // The writes are done, so records that do not fit are omitted.
    if (bytes <= ANSWER_MAX_BYTES || result.data === undefined) return text
    isCut = true
    const { data: _, ...rest } = result
    return JSON.stringify(rest)
  })
  const meta = { ...counts, atomic, dry_run, ...(isCut ? { truncated: ['data'] } : {}) }
  return `{"data":[${texts.join(',')}],"meta":${JSON.stringify(meta)}}`
}
