import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { HOUR_MS, IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_MAX, IDEMPOTENCY_WAIT_SECONDS } from '@kith/contract/limits'
import { Refusal, refuseValue } from '@kith/contract/refusal'
import { inGroupTransaction, inTransaction, posting, type Scope } from '../scope/scope.ts'
import { findKey, type KeyName, keyTable, type StoredKey, stepTable } from '../storage/tables/idempotency-keys.ts'

/** The parts that must be equal in a repeated request, in addition to the body. */
type RequestParts = { method: string; path: string; query?: string; 'If-Match'?: string; 'If-None-Match'?: string }

type Response = Pick<StoredKey, 'status' | 'headers' | 'body'>

/** A request that takes effect once if it has a key. */
export type KeyedRequest<T> = {
  /** Without a key the request just runs. */
  key: string | undefined
  parts: RequestParts
  /** A hash of the body, which must be equal in a repeated request, too. */
  body_hash(): string
  /** Refuses a request that is not a repetition and cannot be paid. */
  requirePaid?(): void
  /** The result as it is stored. If it is undefined, the key stays unused. */
  store(result: T): Response | undefined
  /** The result of the first request with the key. */
  replay(stored: StoredKey): T
  /** The kind of work that shares a transaction. Without it, the request has its own transaction. */
  group?: string | undefined
  /** Work with the same name runs one after the other, each waiting before it begins a transaction. */
  turn?: string | undefined
}

/** A key in the database, and the request that uses it. */
type UsedKey = KeyName & Pick<StoredKey, 'request' | 'body_hash'>

/**
 * A key belongs to the token or connection; in the application, to the user. All requests and tool calls share one
 * store, so that a key identifies one of them. Refuses a malformed key.
 */
function usedKey<T>({ actor }: Scope, key: string, { parts, body_hash }: KeyedRequest<T>): UsedKey {
  refuseMalformedKey(key)
  const owner = actor.token_id === null ? `user ${actor.user_id}` : `token ${actor.token_id}`
  return { owner, key, request: JSON.stringify(parts), body_hash: body_hash() }
}

const PRINTABLE = /^[ -~]+$/

export function refuseMalformedKey(key: string): void {
  if (PRINTABLE.test(key) && key.length <= IDEMPOTENCY_KEY_MAX) return
  refuseKey(`The Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_MAX} printable ASCII characters.`)
}

/** The keys whose requests run in this thread, with a promise for the end of each. */
const running = new Map<string, Promise<unknown>>()

const WAIT_MS = IDEMPOTENCY_WAIT_SECONDS * 1000

/** How long to wait before checking again whether another process has finished. */
const POLL_MS = 50

/**
 * Runs a request that writes in one transaction. With a key it takes effect once: the result is stored in the
 * transaction of the write, and a repeated request with the same key gets it. Of concurrent requests, one runs and the
 * others wait for it, without a connection.
 */
export async function once<T>(scope: Scope, request: KeyedRequest<T>, work: (inside: Scope) => Promise<T>): Promise<T> {
  const { key, requirePaid, group, turn } = request
  if (key === undefined) {
    requirePaid?.()
    return work(scope)
  }
  const used = usedKey(scope, key, request)
  return inKeyTurn(scope, used, (lock) => {
    const run = async (inside: Scope): Promise<T> => {
      const stored = await findLocked(inside, used, lock)
      if (stored) return request.replay(sameRequest(stored, used))
      requirePaid?.()
      const result = await work(inside)
      const response = request.store(result)
      if (response) await insertResponse(inside, used, response)
      return result
    }
    const begin = () => (group === undefined ? inTransaction(scope, run) : inGroupTransaction(scope, group, run))
    return turn === undefined ? begin() : scope.engine.inTurn(turn, begin)
  })
}

async function insertResponse(
  inside: Scope,
  used: UsedKey,
  { created_at = inside.now().toISOString(), ...response }: Response & { created_at?: string | undefined },
): Promise<void> {
  await keyTable.put(posting(inside), { ...used, created_at, ...response }, ['owner', 'key'])
}

/**
 * Runs the only request with a key. Others wait for it up to a time limit, then they are refused. The work takes the
 * lock with `findLocked` in each of its transactions.
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

/** The stored result of a key, read under its lock. Refuses if another process has the lock. */
async function findLocked(inside: Scope, key: KeyName, lock: string): Promise<StoredKey | undefined> {
  const since = new Date(inside.now().getTime() - IDEMPOTENCY_HOURS * HOUR_MS).toISOString()
  // Sent together. The second statement sees everything that was committed before the lock was taken.
  const [isLocked, stored] = await Promise.all([inside.engine.tryLock(inside.db, lock), findKey(inside, key, since)])
  if (!isLocked) throw held()
  return stored
}

/** The stored result of the same request. Refuses if the key was used for another one. */
function sameRequest(stored: StoredKey, { request, body_hash }: UsedKey): StoredKey {
  if (stored.request === request && stored.body_hash === body_hash) return stored
  // Written by usedKey.
  const [before, parts]: RequestParts[] = [stored.request, request].map((text) => JSON.parse(text))
  // The object has only these keys.
  const names = (Object.keys(parts ?? {}) as (keyof RequestParts)[]).filter((name) => parts?.[name] !== before?.[name])
  const differs = names.length === 0 ? 'the body' : `the ${names.join(', ')}`
  return refuseKey(
    `The Idempotency-Key was used for another request in the last ${IDEMPOTENCY_HOURS} hours: ${before?.method} ` +
      `${before?.path.slice(0, 200)}. This one differs in ${differs}. Nothing was done: use a new key for a new request.`,
  )
}

/** A refusal before anything is written does not affect other jobs of a group commit. */
function held(): Refusal {
  const message = 'Another request with this idempotency key is still being carried out. Retry in 1 s.'
  return new Refusal({ kind: 'conflict', message, retry_after: 1 })
}

function isHeld(error: unknown): boolean {
  return error instanceof Refusal && error.reason.kind === 'conflict'
}

export function refuseKey(message: string): never {
  refuseValue('idempotency_key', message)
}

/** Equal inputs have equal texts, independent of the order of their keys. */
export function hashOf(input: unknown): string {
  const text = JSON.stringify(input, (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  return createHash('sha256').update(text).digest('hex')
}

/** Runs a step, unless it was done before. Returns its result. */
type RunStep<T> = <V>(step: {
  /** Counted from 0. */
  number: number
  /** Does the work of the step. Its result is stored in the same transaction. */
  work(inside: Scope): Promise<V>
  /** For the last step: the result of the whole request. */
  end?: ((result: V) => T) | undefined
}) => Promise<V>

/**
 * Runs a request in several transactions. With a key it takes effect once: each transaction stores its result. Repeated
 * after a crash, the request runs the remaining steps. Repeated when it is complete, it gets the stored result.
 */
export async function onceInSteps<T>(
  scope: Scope,
  request: KeyedRequest<T>,
  run: (runStep: RunStep<T>) => Promise<T>,
): Promise<T> {
  const { key, requirePaid } = request
  if (key === undefined) {
    requirePaid?.()
    return run(({ work }) => inTransaction(scope, work))
  }
  const used = usedKey(scope, key, request)
  const { owner } = used
  return inKeyTurn(scope, used, async (lock) => {
    const unfinished = async (inside: Scope) => {
      const stored = await findLocked(inside, used, lock)
      if (stored && sameRequest(stored, used).status !== UNFINISHED.status) throw new Complete(stored)
      return stored
    }
    const runStep: RunStep<T> = ({ number, work, end }) =>
      inTransaction(scope, async (inside) => {
        const stored = await unfinished(inside)
        const known = stored && (await stepTable.find(inside, { owner, key, number }))?.result
        if (known !== undefined) return JSON.parse(known)
        const result = await work(inside)
        const response = end ? request.store(end(result)) : undefined
        if (!stored || response) {
          await stepTable.remove(posting(inside), { owner, key })
          await insertResponse(inside, used, { ...(response ?? UNFINISHED), created_at: stored?.created_at })
        }
        if (!response) await stepTable.insert(posting(inside), { owner, key, number, result: JSON.stringify(result) })
        return result
      })
    try {
      // A stored result comes before any problem with the request.
      await inTransaction(scope, unfinished)
      requirePaid?.()
      return await run(runStep)
    } catch (error) {
      if (error instanceof Complete) return request.replay(error.stored)
      throw error
    }
  })
}

/** Stored for a key whose request is not complete. */
const UNFINISHED: Response = { status: 102, headers: '{}', body: null }

/** The request is complete: another process did the rest, or it was done before. */
class Complete extends Error {
  readonly stored: StoredKey

  constructor(stored: StoredKey) {
    super('The request is complete.')
    this.stored = stored
  }
}
