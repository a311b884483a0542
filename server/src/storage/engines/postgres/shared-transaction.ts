import type pg from 'pg'
import { UnknownOutcome } from '../../../scope/unknown-outcome.ts'
import { Conflict } from '../conflict.ts'
import type { Db, RowSet, Shared } from '../engine.ts'
import { handleOver } from '../handle.ts'
import { posting } from '../posting.ts'
import { retrying } from '../retrying.ts'
import type { Outcome } from '../session.ts'
import { isPassing } from './errors.ts'
import { runTogether as writeTogether } from './together.ts'
import { postgresTransaction } from './transaction.ts'

type Work<T> = (inside: Db) => Promise<T>

type Job = { work: Work<unknown>; resolve: (value: unknown) => void; reject: (error: unknown) => void }

/** Those who came under one name and wait, and the transactions that are under way for them. */
type Queue = { waiting: Job[]; underWay: Set<Group>; gathering: boolean }

/** How many share a transaction. While it waits for a connection all who come can still join it, and nobody needs another one. */
type Group = { size: number }

const JOBS_TOGETHER = 32
const TRANSACTIONS_AT_ONCE = 2

/**
 * Transactions that are shared by those who come under the same name at the same time: they ask side by side, what they ask at the same moment goes out in one
 * write, and one commit ends them all. Beginning and ending a transaction takes both sides as long as to write a record.
 *
 * None of them waits for a lock while the others wait for it, so that transactions never wait for each other in a circle: whoever would have to wait is run
 * alone afterwards. And if anything fails, nothing of it stays, and each of them is run alone.
 */
export function sharedOn(pool: pg.Pool): <T>(name: string, work: Work<T>) => Promise<T> {
  const queues = new Map<string, Queue>()

  async function lead(name: string, queue: Queue): Promise<void> {
    queue.gathering = true
    // One turn of the event loop lets those who arrive together go together.
    await new Promise((turn) => setImmediate(turn))
    queue.gathering = false
    while (isWorthwhile(queue)) {
      const group = { size: Number.POSITIVE_INFINITY }
      queue.underWay.add(group)
      await runNext(pool, queue.waiting, group)
      queue.underWay.delete(group)
    }
    if (queue.underWay.size === 0 && !queue.gathering) queues.delete(name)
  }

  return <T>(name: string, work: Work<T>) =>
    new Promise<T>((resolve, reject) => {
      const queue = queues.get(name) ?? { waiting: [], underWay: new Set(), gathering: false }
      queues.set(name, queue)
      // The job gives back what its own work returned.
      queue.waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (!queue.gathering && isWorthwhile(queue)) void lead(name, queue)
    })
}

/**
 * Whether those who wait begin a transaction, or go on waiting for one that ends. Beside a large one, a few of them would pay as much for a transaction as
 * the many, and soon be no longer a few.
 */
function isWorthwhile({ waiting, underWay }: Queue): boolean {
  if (waiting.length === 0 || underWay.size === TRANSACTIONS_AT_ONCE) return false
  return [...underWay].every(({ size }) => waiting.length >= size / 2)
}

/** Takes those who wait when a connection is there: the longer that takes, the more they are. */
async function runNext(pool: pg.Pool, waiting: Job[], group: Group): Promise<void> {
  try {
    const client = await pool.connect()
    const jobs = waiting.splice(0, JOBS_TOGETHER)
    group.size = jobs.length
    const [only] = jobs
    if (!only) client.release()
    else if (jobs.length === 1) await runAlone(pool, only, client)
    else await runTogether(pool, client, jobs)
  } catch (error) {
    // There is no connection.
    for (const job of waiting.splice(0, JOBS_TOGETHER)) job.reject(error)
  }
}

async function runAlone(pool: pg.Pool, { work, resolve, reject }: Job, client: pg.PoolClient): Promise<void> {
  let given: pg.PoolClient | undefined = client
  const run = async () => {
    const own = given ?? (await pool.connect())
    given = undefined
    return postgresTransaction(own, work)
  }
  await retrying(isPassing, run).then(resolve, reject)
}

async function runTogether(pool: pg.Pool, client: pg.PoolClient, jobs: readonly Job[]): Promise<void> {
  const alone: Job[] = []
  const endings: (() => void)[] = []
  try {
    await postgresTransaction(client, async (inside) => {
      const company = newCompany()
      const runs = jobs.map(async (job) => {
        const ended = await runMember(inside, company, job)
        if (ended === 'alone') alone.push(job)
        else endings.push(ended)
      })
      // All of them have to be through before the connection is given back.
      const failed = (await Promise.allSettled(runs)).find((run) => run.status === 'rejected')
      if (failed) throw failed.reason
      await writeTogether(inside, async ({ gather }) => {
        for (const rows of company.rows.values()) gather?.(rows)
      })
    })
  } catch (error) {
    if (error instanceof UnknownOutcome) for (const job of jobs) job.reject(error)
    else runEach(pool, jobs)
    return
  }
  for (const end of endings) end()
  runEach(pool, alone)
}

function runEach(pool: pg.Pool, jobs: readonly Job[]): void {
  for (const job of jobs) void pool.connect().then((client) => runAlone(pool, job, client), job.reject)
}

/** Those in one transaction: who has taken what, what was done for all of them, what is to be written. */
type Company = {
  takers: Map<string, Member>
  done: Set<string>
  rows: Map<string, RowSet & { rows: (readonly unknown[])[] }>
}

function newCompany(): Company {
  return { takers: new Map(), done: new Set(), rows: new Map() }
}

/** Tells how the job ended, which it is told when all is committed. Throws if that spoils the transaction for the others, too. */
async function runMember(inside: Db, company: Company, job: Job): Promise<(() => void) | 'alone'> {
  const member = new Member(inside, company)
  try {
    const value = await job.work(member.handle())
    await member.untilTaken()
    return () => job.resolve(value)
  } catch (error) {
    if (member.hasWritten) throw error
    return error instanceof MustBeAlone || error instanceof Conflict ? 'alone' : () => job.reject(error)
  }
}

/** What is sent out of a shared transaction, to be run in one of its own. */
class MustBeAlone extends Error {}

const ONLY_READS = /^\s*select\b/i

/** One of those who share a transaction. */
class Member implements Shared {
  /** Or has failed, which cannot be taken back either. */
  hasWritten = false
  readonly #inside: Db
  readonly #company: Company
  #taking: Promise<void> | undefined

  constructor(inside: Db, company: Company) {
    this.#inside = inside
    this.#company = company
  }

  handle(): Db {
    const posted = posting(this.#inside)
    return handleOver(
      {
        dialect: 'postgres',
        run: async (text, parameters) => {
          const outcome = await this.#run(this.#inside, text, parameters)
          await this.untilTaken()
          return outcome
        },
      },
      {
        shared: this,
        count: (move) => {
          this.hasWritten = true
          this.#inside.count?.(move)
        },
        posting: handleOver({ dialect: 'postgres', run: (text, parameters) => this.#run(posted, text, parameters) }),
      },
    )
  }

  async #run(to: Db, text: string, parameters: readonly unknown[]): Promise<Outcome> {
    if (!ONLY_READS.test(text)) this.hasWritten = true
    try {
      return await to.session.run(text, parameters)
    } catch (error) {
      this.hasWritten = true
      throw error
    }
  }

  take(names: readonly string[], text: string, parameters: readonly unknown[]): void {
    this.own(names)
    const before = this.#taking
    const taken = this.#run(this.#inside, text, parameters)
    this.#taking = (async () => {
      const { rows } = await taken
      await before
      if (rows.length < names.length) this.leave()
    })()
    // Whoever asks next is told.
    this.#taking.catch(() => {})
  }

  own(names: readonly string[]): void {
    const { takers } = this.#company
    for (const name of names) {
      const taker = takers.get(name)
      if (taker && taker !== this) this.leave()
      takers.set(name, this)
    }
  }

  /** Throws if not all could be taken. Answers come in the order of the questions, so that this is known when the next one comes. */
  async untilTaken(): Promise<void> {
    await this.#taking
  }

  leave(): never {
    throw new MustBeAlone('Others have what is needed here.')
  }

  async once(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#company.done.has(name)) return
    this.#company.done.add(name)
    await work()
  }

  write(sets: readonly RowSet[]): void {
    if (sets.length > 0) this.hasWritten = true
    for (const { one, many, rows } of sets) {
      const before = this.#company.rows.get(many)
      if (before) before.rows.push(...rows)
      else this.#company.rows.set(many, { one, many, rows: [...rows] })
    }
  }
}
