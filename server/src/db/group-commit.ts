import type { DatabaseSync } from 'node:sqlite'
import type { Db } from './engine.ts'

type Job = {
  work: (inside: Db) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

const JOBS_TOGETHER = 128

/**
 * Runs transactions one after the other and commits those that wait together, so that many writers share one
 * flush to the disk. Each stands in a savepoint of its own: one that fails takes nothing of the others with it,
 * and nobody is answered before the commit.
 */
export class GroupCommit {
  readonly #connection: DatabaseSync
  readonly #inside: Db
  readonly #waiting: Job[] = []
  #pumping: Promise<void> | undefined

  constructor(connection: DatabaseSync, inside: Db) {
    this.#connection = connection
    this.#inside = inside
  }

  run<T>(work: (inside: Db) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The job gives back what its own work returned.
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
      this.#pumping ??= this.#pump()
    })
  }

  async drain(): Promise<void> {
    while (this.#pumping) await this.#pumping
  }

  async #pump(): Promise<void> {
    // One turn of the event loop lets those who arrive together be committed together.
    await new Promise((turn) => setImmediate(turn))
    while (this.#waiting.length > 0) await this.#commitTogether(this.#waiting.splice(0, JOBS_TOGETHER))
    this.#pumping = undefined
  }

  async #commitTogether(jobs: readonly Job[]): Promise<void> {
    const endings: (() => void)[] = []
    try {
      this.#connection.exec('begin immediate')
      for (const job of jobs) endings.push(await this.#runOne(job, jobs.length === 1))
      this.#connection.exec('commit')
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('rollback')
      for (const job of jobs) job.reject(error)
      return
    }
    for (const end of endings) end()
  }

  /**
   * Throws when the whole transaction is lost: the database has given it up (a full disk, say), or there is no other job in it.
   * Then there is no savepoint either, under which SQLite would keep a copy of every page that a large job changes.
   */
  async #runOne(job: Job, alone: boolean): Promise<() => void> {
    if (alone) {
      const value = await job.work(this.#inside)
      return () => job.resolve(value)
    }
    this.#connection.exec('savepoint job')
    try {
      const value = await job.work(this.#inside)
      this.#connection.exec('release job')
      return () => job.resolve(value)
    } catch (error) {
      if (!this.#connection.isTransaction) throw error
      this.#connection.exec('rollback to job')
      this.#connection.exec('release job')
      return () => job.reject(error)
    }
  }
}
