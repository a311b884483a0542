import { inTransaction, posting, type Scope } from '../scope/scope.ts'
import { insertKey, type StoredKey } from '../storage/tables/idempotency-keys.ts'
import { findStep, insertStep, removeSteps } from '../storage/tables/idempotency-steps.ts'
import { findLocked, inKeyTurn, isSame, type KeyedRequest } from './once.ts'

/** The status of a key whose request is not complete. */
const UNFINISHED = 102

type Response = Pick<StoredKey, 'status' | 'headers' | 'body'>

type Step = {
  /** From 0. */
  number: number
  /** Does the work of the step. Its result is stored with what it writes. */
  work(inside: Scope): Promise<string>
  /** Of the last step: the response to the whole request. */
  response?: (result: string) => Response
}

/** Carries out a step, unless that was done before. Returns its result. */
type RunStep = (step: Step) => Promise<string>

type Keyed<T> = {
  keyed: KeyedRequest
  /** Carries out the steps one after the other. */
  run(runStep: RunStep): Promise<T>
  replay(stored: StoredKey): T
  refuseOther(stored: StoredKey): never
}

/**
 * Carries out a request in several transactions, once: each stores its result. Repeated after a crash, the request
 * carries out the steps that are left. Repeated when it is complete, it gets the stored response.
 */
export function onceInSteps<T>(scope: Scope, { keyed, run, replay, refuseOther }: Keyed<T>): Promise<T> {
  const { request, body_hash } = keyed
  return inKeyTurn(scope, keyed, async (lock) => {
    const unfinished = async (inside: Scope) => {
      const stored = await findLocked(inside, keyed, lock)
      if (stored && !isSame(stored, keyed)) return refuseOther(stored)
      if (stored && stored.status !== UNFINISHED) throw new Complete(stored)
      return stored
    }
    const runStep: RunStep = ({ number, work, response }) =>
      inTransaction(scope, async (inside) => {
        const stored = await unfinished(inside)
        const known = stored && (await findStep(inside, keyed, number))
        if (known !== undefined) return known
        const result = await work(inside)
        const posted = posting(inside)
        const created_at = stored?.created_at ?? inside.now().toISOString()
        const outcome = response?.(result) ?? { status: UNFINISHED, headers: '{}', body: null }
        if (!stored || response) await removeSteps(posted, keyed)
        if (!stored || response) await insertKey(posted, keyed, { created_at, request, body_hash, ...outcome })
        if (!response) await insertStep(posted, keyed, { number, result })
        return result
      })
    try {
      // What was done with the key comes before anything that is wrong with the request.
      await inTransaction(scope, unfinished)
      return await run(runStep)
    } catch (error) {
      if (error instanceof Complete) return replay(error.stored)
      throw error
    }
  })
}

/** The request is complete: another process did the rest, or all of it was done before. */
class Complete extends Error {
  readonly stored: StoredKey

  constructor(stored: StoredKey) {
    super('The request is complete.')
    this.stored = stored
  }
}
