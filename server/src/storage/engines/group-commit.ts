import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Db } from './engine.ts'
import type { OpenFile } from './sqlite/file.ts'
import { asTrouble } from './sqlite/trouble.ts'

type Job = {
  work: (inside: Db) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

const JOBS_TOGETHER = 128

/** What is done besides: at the end of every transaction, inside it; and in one of its own when nobody has written for a moment. */
export type Besides = { atEnd(inside: Db): Promise<void>; atRest(inside: Db): Promise<void> }

const REST_MS = 200

/**
 * Runs transactions one after the other and commits those that wait together, so that many writers share one
 * flush to the disk, and nobody is answered before it. One that fails takes nothing of the others with it: when it has
 * written already, all of it is rolled back and the others run once more. A savepoint for each would spare that, and cost all
 * of them half as much as what they write.
 */
export class GroupCommit {
  readonly #connection: DatabaseSync
  readonly #inside: Db
  readonly #besides: Besides
  readonly #file: OpenFile
  readonly #counting: StatementSync
  readonly #waiting: Job[] = []
  #pumping: Promise<void> | undefined
  #rest: NodeJS.Timeout | undefined

  constructor(connection: DatabaseSync, inside: Db, { besides, file }: { besides: Besides; file: OpenFile }) {
    this.#connection = connection
    this.#inside = inside
    this.#besides = besides
    this.#file = file
    this.#counting = connection.prepare('select total_changes()')
    this.#counting.setReturnArrays(true)
  }

  run<T>(work: (inside: Db) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The job gives back what its own work returned.
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
      this.#pumping ??= this.#pump()
    })
  }

  async close(): Promise<void> {
    await this.#untilIdle()
    if (this.#rest) await this.#takeRest()
    await this.#untilIdle()
    clearTimeout(this.#rest)
  }

  async #untilIdle(): Promise<void> {
    while (this.#pumping) await this.#pumping
  }

  async #pump(): Promise<void> {
    // One turn of the event loop lets those who arrive together be committed together.
    await new Promise((turn) => setImmediate(turn))
    const before = this.#changes()
    while (this.#waiting.length > 0) await this.#commitTogether(this.#waiting.splice(0, JOBS_TOGETHER))
    this.#pumping = undefined
    if (this.#changes() !== before) this.#restSoon()
  }

  #restSoon(): void {
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => void this.#takeRest(), REST_MS).unref()
  }

  async #takeRest(): Promise<void> {
    clearTimeout(this.#rest)
    this.#rest = undefined
    try {
      await this.run(this.#besides.atRest)
    } catch {
      // The disk is full, or another process writes. After the next write it is tried again.
    }
  }

  async #commitTogether(jobs: readonly Job[]): Promise<void> {
    const endings: (() => void)[] = []
    let spoiler: Spoiler | undefined
    try {
      this.#file.check()
      const before = this.#changes()
      this.#connection.exec('begin immediate')
      for (const job of jobs) {
        const ended = await this.#runOne(job)
        if (ended.spoils) spoiler = ended
        if (ended.spoils) break
        endings.push(ended.end)
      }
      if (!spoiler) await this.#besides.atEnd(this.#inside)
      this.#connection.exec(spoiler ? 'rollback' : 'commit')
      // Nobody is told of a write to a file that is gone by now.
      if (!spoiler && this.#changes() !== before) this.#file.checkCommit()
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('rollback')
      for (const job of jobs) job.reject(asTrouble(error))
      return
    }
    if (spoiler) await this.#repeatWithout(spoiler, jobs)
    else for (const end of endings) end()
  }

  /** Throws when the database has given up the whole transaction: a full disk, say. */
  async #runOne(job: Job): Promise<Spoiler | { spoils: false; end: () => void }> {
    const before = this.#changes()
    try {
      const value = await job.work(this.#inside)
      return { spoils: false, end: () => job.resolve(value) }
    } catch (error) {
      if (!this.#connection.isTransaction) throw error
      // Whoever refuses has mostly not written yet, and takes nothing away from the others.
      if (this.#changes() === before) return { spoils: false, end: () => job.reject(error) }
      return { spoils: true, job, error }
    }
  }

  async #repeatWithout({ job, error }: Spoiler, jobs: readonly Job[]): Promise<void> {
    job.reject(error)
    const others = jobs.filter((other) => other !== job)
    if (others.length > 0) await this.#commitTogether(others)
  }

  /** Moves with whatever is written over this connection. */
  #changes(): number {
    // The statement returns one row of one number.
    const [changes] = this.#counting.get() as unknown as [number]
    return changes
  }
}

/** A job that failed after it had written something: what it wrote can only be taken back together with all else. */
type Spoiler = { spoils: true; job: Job; error: unknown }
