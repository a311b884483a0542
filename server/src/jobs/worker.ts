import { newId } from '@kith/contract/id'
import { freeLeases, type JobRow, leaseJob, releaseLease, renewLease } from '../storage/tables/jobs.ts'
import { FAILED_INSIDE, jobContext } from './context.ts'
import type { WorkerParts } from './job-type.ts'

/** How many jobs this process runs at a time. They are of different workspaces. */
const JOBS_AT_ONCE = 2
/** After a crash, another node takes the job when its lease ends. */
const LEASE_MS = 10_000
const RENEW_MS = 3000
/** How often a process looks for jobs of others, which were queued there or whose node is gone. */
const POLL_MS = 2000

export type Worker = {
  /** A job may have been queued in this process. */
  soon(): void
  /** Leaves the jobs to other nodes, after the step in progress. */
  stop(): Promise<void>
}

/**
 * Runs jobs, each on one node at a time: the node that has the lease. A step checks the lease in its transaction, so a
 * node that lost it without noticing does nothing.
 */
export function openWorker(parts: WorkerParts): Worker {
  const { runtime, types, onFailure } = parts
  const { engine, now } = runtime
  const node = newId(now().getTime())
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let looking: Promise<void> | undefined
  let again = false
  /** Where there is one node, the jobs that are leased when it starts are those of a process that is gone. */
  let takesOver = !engine.concurrentWrites

  const leaseEnd = () => new Date(now().getTime() + LEASE_MS).toISOString()

  function look(): void {
    again = true
    looking ??= lookAround()
  }

  async function lookAround(): Promise<void> {
    try {
      do {
        again = false
        await startAll()
      } while (again)
    } catch (error) {
      onFailure(error)
    } finally {
      looking = undefined
    }
  }

  async function startAll(): Promise<void> {
    if (takesOver && !stopping.signal.aborted) await freeLeases(engine)
    takesOver = false
    while (running.size < JOBS_AT_ONCE && !stopping.signal.aborted) {
      const job = await leaseJob(engine, { by: node, now: now().toISOString(), until: leaseEnd() })
      if (!job) return
      const ended: Promise<void> = run(job)
        .catch(onFailure)
        .finally(() => {
          running.delete(ended)
          look()
        })
      running.add(ended)
    }
  }

  async function run(job: JobRow): Promise<void> {
    const lost = new AbortController()
    const renewing = setInterval(() => {
      renewLease(engine, job, leaseEnd()).then((kept) => kept || lost.abort(), onFailure)
    }, RENEW_MS).unref()
    const stopped = AbortSignal.any([stopping.signal, lost.signal])
    const context = jobContext(job, { ...parts, stopped, lose: () => lost.abort() })
    try {
      const type = types[job.type]
      if (!type) throw new Error(`There is no type of job ${job.type}.`)
      await type(context)
    } catch (error) {
      // An unavailable database is waited for. Anything else would happen again.
      if (engine.violation(error) !== 'busy') await context.step('fail', { message: FAILED_INSIDE })
      throw error
    } finally {
      clearInterval(renewing)
      await releaseLease(engine, job)
    }
  }

  const polling = setInterval(look, POLL_MS).unref()
  look()
  return {
    soon: look,
    async stop() {
      stopping.abort()
      clearInterval(polling)
      // Also what looks for jobs: the database is closed after this.
      await looking
      await Promise.all(running)
    },
  }
}
