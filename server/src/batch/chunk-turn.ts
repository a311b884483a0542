import type { Scope } from '../scope/scope.ts'
import { newTurns } from '../storage/engines/turns.ts'

const turns = newTurns()

/**
 * Runs a chunk of a batch or import. Where one transaction writes at a time, the chunks of all batches take turns: they
 * would be committed together otherwise, and a single write would wait for all of them.
 */
export function inChunkTurn<T>({ engine }: Scope, work: () => Promise<T>): Promise<T> {
  return engine.concurrentWrites ? work() : turns('chunk', work)
}
