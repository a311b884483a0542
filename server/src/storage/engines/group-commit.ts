import { Refusal } from '@kith/contract/refusal'
import type { Db } from './engine.ts'
import type { Session } from './sql.ts'
import { StorageTrouble, UnknownOutcome } from './storage-trouble.ts'

export type Work<T> = (inside: Db) => Promise<T>

type Job = { work: Work<unknown>; resolve: (value: unknown) => void; reject: (error: unknown) => void }

export type GroupSettings = {
  /** Runs the work of a group in one transaction. */
  transaction(work: Work<void>): Promise<void>
  /** Runs one job of a group that failed. Without it, such jobs run one after another, each as a group of its own. */
  alone?<T>(work: Work<T>): Promise<T>
  /** How many jobs one transaction takes. */
  jobsMax: number
  /** How many transactions run at the same time. */
  concurrency: number
}

/**
 * Commits the jobs that wait at the same time in one transaction: beginning and committing one costs as much as a small
 * write. The jobs run one after another, and each promise settles after the commit. If a job fails after it has
 * written, the transaction is rolled back and every job of the group runs again, alone. A savepoint per job would cost
 * every job half as much as its writes.
 */
export class GroupCommit {
  readonly #settings: GroupSettings
  readonly #waiting: Job[] = []
  readonly #running = new Set<PromiseWithResolvers<void>>()

  constructor(settings: GroupSettings) {
    this.#settings = settings
  }

  run<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The job resolves with the result of its own work.
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (this.#running.size < this.#settings.concurrency) void this.#runAll()
    })
  }

  /** Resolves when no group is running. */
  async untilIdle(): Promise<void> {
    for (const { promise } of this.#running) await promise
  }

  async #runAll(): Promise<void> {
    const running = Promise.withResolvers<void>()
    this.#running.add(running)
    // One turn of the event loop collects jobs that arrive together.
    await new Promise((turn) => setImmediate(turn))
    while (this.#waiting.length > 0) await this.#runGroup(this.#waiting.splice(0, this.#settings.jobsMax))
    // In the same turn as the last look at the queue: a job that comes later must start a new run.
    this.#running.delete(running)
    running.resolve()
  }

  async #runGroup(jobs: readonly Job[]): Promise<void> {
    const settle: (() => void)[] = []
    let began = false
    try {
      await this.#settings.transaction(async (inside) => {
        began = true
        for (const job of jobs) settle.push(await runJob(job, inside))
      })
    } catch (error) {
      if (began && canRunAgain(error)) await this.#runAlone(jobs, error)
      else for (const { reject } of jobs) reject(error)
      return
    }
    for (const end of settle) end()
  }

  async #runAlone(jobs: readonly Job[], error: unknown): Promise<void> {
    const { alone } = this.#settings
    // Not awaited: such a job may wait for a lock, and others must not wait for it.
    if (alone) for (const { work, resolve, reject } of jobs) void alone(work).then(resolve, reject)
    else if (jobs.length === 1) jobs[0]?.reject(error)
    else for (const job of jobs) await this.#runGroup([job])
  }
}

/** After an unknown outcome the jobs may be committed already. If the storage fails, it fails for all of them. */
function canRunAgain(error: unknown): boolean {
  return !(error instanceof UnknownOutcome || error instanceof StorageTrouble)
}

/** Returns a function that settles the job after the commit. Throws if the group must be rolled back. */
async function runJob({ work, resolve, reject }: Job, inside: Db): Promise<() => void> {
  const { db, hasWritten } = watchWrites(inside)
  try {
    const value = await work(db)
    return () => resolve(value)
  } catch (error) {
    // A refused job has usually not written anything: it does not affect the others.
    if (!(error instanceof Refusal) || hasWritten()) throw error
    return () => reject(error)
  }
}

const ONLY_READS = /^\s*select\b/i

function watchWrites({ session, posting, count, append }: Db): { db: Db; hasWritten(): boolean } {
  let written = false
  const watch = ({ dialect, run }: Session): Session => ({
    dialect,
    run(text, parameters) {
      written ||= !ONLY_READS.test(text)
      return run(text, parameters)
    },
  })
  const besides: Pick<Db, 'count' | 'append'> = {}
  if (count) besides.count = count
  if (append) {
    besides.append = (into, rows) => {
      written = true
      append(into, rows)
    }
  }
  const posted = posting && { posting: { ...besides, session: watch(posting.session) } }
  return { db: { ...besides, ...posted, session: watch(session) }, hasWritten: () => written }
}
