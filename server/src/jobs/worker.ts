import { setTimeout } from 'node:timers/promises'
import type { Ability } from '@kith/contract/abilities'
import { newId } from '@kith/contract/id'
import { creatorRights } from '../accounts/creator-rights.ts'
import { type ScopeFacts, scopeFor } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { freeLeases, type JobRow, leaseJob, releaseLease, renewLease } from '../storage/tables/jobs.ts'
import { runImport, runUndo } from './import/run-import.ts'
import type { JobContext, JobType, StepReply, WorkerParts } from './job-type.ts'

/** How many jobs this process runs at a time. They are of different workspaces. */
const JOBS_AT_ONCE = 2
/** After a crash, another node takes the job when its lease ends. */
const LEASE_MS = 10_000
const RENEW_MS = 3000
/** How often a process looks for jobs of others, which were queued there or whose node is gone. */
const POLL_MS = 2000

/** Every type of job, by the name under which it is stored. */
const jobTypes: Readonly<Record<string, JobType>> = { import: runImport, undo: runUndo }

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
  const { runtime, onFailure } = parts
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
      const type = jobTypes[job.type]
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

type ContextParts = WorkerParts & { stopped: AbortSignal; lose(): void }

type Step = { handler: string; input: object; most?: number | undefined }

const TRIES = 3
const RETRY_MS = 200
const PAUSED_MS = 2000
const FAILED_INSIDE = 'The job failed inside. What was done stays. The log of the service has the details.'

function jobContext(job: JobRow, parts: ContextParts): JobContext {
  const { runtime, stopped, lose, execute, hosted, onFailure } = parts

  /** The rights now. A job whose creator has none any more fails; one of a paused workspace waits. */
  async function factsNow(): Promise<ScopeFacts | undefined> {
    while (!stopped.aborted) {
      const actor = await actorOf(runtime.engine.db, job, { hosted, now: runtime.now() })
      if (actor !== 'paused' && 'facts' in actor) return actor.facts
      if (actor !== 'paused') {
        await run(ownFacts(job), 'fail', { message: actor.problem })
        return undefined
      }
      await pause(PAUSED_MS)
    }
    return undefined
  }

  /** Tries a step a few times. A busy database is waited for. */
  async function attempt(
    facts: ScopeFacts,
    { handler, input, most = TRIES }: Step,
  ): Promise<StepReply | 'broken' | undefined> {
    const named = { job_id: job.id, leased_by: job.leased_by, ...input }
    for (let tries = 0; !stopped.aborted; ) {
      const request = { handler, input: named }
      const request_id = newId(runtime.now().getTime())
      const answer = await execute({ surface: 'job', lane: 'write', facts, request_id, request })
      if (answer.status === 200) {
        // Written by runStep.
        const reply: StepReply = JSON.parse(answer.body ?? '')
        if (reply.held) return reply
        lose()
        return undefined
      }
      tries += answer.status === 503 ? 0 : 1
      if (tries === most) {
        onFailure(new Error(`The step ${handler} of the job ${job.id} failed: ${answer.bug ?? answer.body}`))
        return 'broken'
      }
      await pause(RETRY_MS * 2 ** Math.min(tries, 4))
    }
    return undefined
  }

  /** A step that is needed. To repeat the job would not help if it fails inside: that is a bug. */
  async function run(facts: ScopeFacts, handler: string, input: object): Promise<StepReply | undefined> {
    const reply = await attempt(facts, { handler, input })
    if (reply !== 'broken') return reply
    if (handler !== 'fail') await run(ownFacts(job), 'fail', { message: FAILED_INSIDE })
    lose()
    return undefined
  }

  async function pause(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: stopped, ref: false }).catch(() => {})
  }

  return {
    job,
    stopped,
    async scope() {
      const facts = await factsNow()
      return facts && scopeFor(runtime, facts)
    },
    async step(handler, input) {
      const facts = await factsNow()
      return facts && run(facts, handler, input)
    },
    async attempt(handler, input, most) {
      const facts = await factsNow()
      return facts && attempt(facts, { handler, input, most })
    },
  }
}

/** To note that a job has failed needs no rights. */
function ownFacts({ workspace_id, creator_id, token_id }: JobRow): ScopeFacts {
  return {
    workspace: { id: workspace_id, slug: '', name: '', fields_version: 0 },
    actor: { user_id: creator_id, role: 'viewer', abilities: [], token_id, source: 'import' },
  }
}

/** With whose rights a job runs, or why it cannot. `paused`: not now. */
type JobActor = { facts: ScopeFacts } | { problem: string } | 'paused'

const granted: Readonly<Record<string, readonly Ability[]>> = {
  import: ['read', 'create', 'update'],
  undo: ['read', 'update', 'delete'],
}

/** A job runs with the rights that its creator has at that moment, and with the abilities that its type needs. */
async function actorOf(db: Db, job: JobRow, at: { hosted: boolean; now: Date }): Promise<JobActor> {
  const rights = await creatorRights(db, job, at)
  if (rights === 'none') return { problem: 'The member who created the job has left the workspace.' }
  if (rights === 'paused') return 'paused'
  const { workspace, role } = rights
  if (role === 'viewer') {
    return { problem: 'The member who created the job is now a viewer, who may not change records.' }
  }
  const { creator_id: user_id, token_id } = job
  return {
    facts: { workspace, actor: { user_id, role, abilities: granted[job.type] ?? [], token_id, source: 'import' } },
  }
}
