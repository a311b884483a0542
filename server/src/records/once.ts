import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { lengthOf } from '@kith/contract/fold'
import { HOUR_MS, IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_MAX, IDEMPOTENCY_WAIT_SECONDS } from '@kith/contract/limits'
import { unstorable } from '@kith/contract/raw-input'
import { Refusal, refuseValue } from '@kith/contract/refusal'
import { inGroupTransaction, inTransaction, posting, type Scope } from '../scope/scope.ts'
import {
  findKey,
  findStep,
  insertKey,
  insertStep,
  type KeyName,
  removeSteps,
  type StoredKey,
} from '../storage/tables/idempotency-keys.ts'

/** A key, and the request that came with it. */
export type KeyedRequest = KeyName & Pick<StoredKey, 'request' | 'body_hash'>

type Response = Pick<StoredKey, 'status' | 'headers' | 'body'>

type Keyed<T> = {
  keyed: KeyedRequest
  /** The kind of work with which it shares a transaction. Without it, it has its own. */
  group?: string | undefined
  /** Work of the same name waits for each other before it begins a transaction. */
  turn?: string | undefined
  /** Does the work in the transaction. Without a response, the key stays free. */
  work(inside: Scope): Promise<{ value: T; response: Response | undefined }>
  /** Returns what was done before. */
  replay(inside: Scope, stored: StoredKey): Promise<T> | T
  /** The key was used for another request. */
  refuseOther(stored: StoredKey): never
}

/** The keys whose requests run in this thread, and when each ends. */
const running = new Map<string, Promise<unknown>>()

const WAIT_MS = IDEMPOTENCY_WAIT_SECONDS * 1000

/** How long to wait before another process is asked again. */
const POLL_MS = 50

/**
 * Carries out a request once: the response is stored in the transaction of the write, and the same request with the
 * same key gets it. Of requests at the same time, one runs and the others wait for it, without a connection.
 */
export function once<T>(scope: Scope, wanted: Keyed<T>): Promise<T> {
  return inKeyTurn(scope, wanted.keyed, (lock) => attempt(scope, wanted, lock))
}

/**
 * Runs the only request with a key. Others wait for it, up to a time; then they are refused. The work takes the lock
 * with `findLocked` in each of its transactions.
 */
async function inKeyTurn<T>(scope: Scope, { owner, key }: KeyName, work: (lock: string) => Promise<T>): Promise<T> {
  const name = `idempotency ${scope.workspace.id} ${owner} ${key}`
  const until = performance.now() + WAIT_MS
  for (;;) {
    const before = running.get(name)
    if (before) {
      const left = until - performance.now()
      if (left <= 0) throw held()
      await Promise.race([before, pause(left, undefined, { ref: false })])
    } else {
      const mine = work(name)
      const ended = mine.catch(() => {}).finally(() => running.delete(name))
      running.set(name, ended)
      try {
        return await mine
      } catch (error) {
        if (!isHeld(error) || performance.now() >= until) throw error
        await pause(POLL_MS)
      }
    }
  }
}

function attempt<T>(scope: Scope, wanted: Keyed<T>, lock: string): Promise<T> {
  const { keyed, group, turn, work, replay, refuseOther } = wanted
  const run = async (inside: Scope): Promise<T> => {
    const stored = await findLocked(inside, keyed, lock)
    if (stored) return isSame(stored, keyed) ? replay(inside, stored) : refuseOther(stored)
    const { value, response } = await work(inside)
    const { request, body_hash } = keyed
    if (response) {
      const created_at = inside.now().toISOString()
      await insertKey(posting(inside), keyed, { created_at, request, body_hash, ...response })
    }
    return value
  }
  const begin = () => (group === undefined ? inTransaction(scope, run) : inGroupTransaction(scope, group, run))
  return turn === undefined ? begin() : scope.engine.inTurn(turn, begin)
}

/** What was done with a key, under its lock. Refuses if another process has the lock. */
async function findLocked(inside: Scope, keyed: KeyName, lock: string): Promise<StoredKey | undefined> {
  const since = new Date(inside.now().getTime() - IDEMPOTENCY_HOURS * HOUR_MS).toISOString()
  // Sent together. The second sees what was committed before the lock was taken.
  const [isLocked, stored] = await Promise.all([inside.engine.tryLock(inside.db, lock), findKey(inside, keyed, since)])
  if (!isLocked) throw held()
  return stored
}

function isSame(stored: StoredKey, { request, body_hash }: KeyedRequest): boolean {
  return stored.request === request && stored.body_hash === body_hash
}

/** A refusal before anything is written does not affect other jobs of a group commit. */
function held(): Refusal {
  const message = 'Another request with this idempotency key is still being carried out. Retry in 1 s.'
  return new Refusal({ kind: 'conflict', message, retry_after: 1 })
}

function isHeld(error: unknown): boolean {
  return error instanceof Refusal && error.reason.kind === 'conflict'
}

/** Refuses an idempotency key. */
export function refuseKey(message: string): never {
  refuseValue('idempotency_key', message)
}

/** The same for equal inputs, whatever the order of their keys. */
export function hashOf(input: unknown): string {
  const text = JSON.stringify(input, (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  return createHash('sha256').update(text).digest('hex')
}

/** The status of a key whose request is not complete. */
const UNFINISHED = 102

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

type Stepped<T> = {
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
export function onceInSteps<T>(scope: Scope, { keyed, run, replay, refuseOther }: Stepped<T>): Promise<T> {
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

/** The call of a tool with an idempotency key, which belongs to the user. */
export function keyedCall({ actor }: Scope, raw: string, call: { tool: string; input: unknown }): KeyedRequest {
  const { tool, input } = call
  return { owner: `mcp ${actor.user_id}`, key: parseKey(raw), request: tool, body_hash: hashOf(input) }
}

function parseKey(raw: string): string {
  const problem = unstorable(raw)
  if (problem) refuseKey(`The idempotency_key ${problem}.`)
  if (raw === '' || lengthOf(raw) > IDEMPOTENCY_KEY_MAX) {
    refuseKey(`The idempotency_key must have 1 to ${IDEMPOTENCY_KEY_MAX} characters.`)
  }
  return raw
}
