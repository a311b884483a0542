import { setTimeout } from 'node:timers/promises'
import type { Ability } from '@kith/contract/abilities'
import { newId } from '@kith/contract/id'
import { creatorRights } from '../accounts/revoke-access.ts'
import { type ScopeFacts, scopeFor } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { freeLeases, type JobRow, leaseJob, releaseLease, renewLease } from '../storage/tables/jobs.ts'
import { runImport, runUndo } from './import/run-import.ts'
import type { JobContext, JobType, StepReply, WorkerParts } from './job.ts'

/** How many jobs this process runs at a time, each of a different workspace. */
const JOBS_AT_ONCE = 2
/** After a crash, another node takes over the job when the lease ends. */
const LEASE_MS = 10_000
const RENEW_MS = 3000
/** How often a process looks for jobs that other processes have queued or left behind. */
const POLL_MS = 2000

/** Every type of job, by the name under which it is stored. */
const jobTypes: Readonly<Record<string, JobType>> = { import: runImport, undo: runUndo }

export type Worker = {
  /** Called when a job may have been queued in this process. */
  soon(): void
  /** Stops after the step in progress and leaves the jobs to other nodes. */
  stop(): Promise<void>
}

/**
 * Runs jobs, each on one node at a time: the node with the lease. A step checks the lease in its transaction, so a node
 * that has lost it without noticing writes nothing.
 */
export function openWorker(parts: WorkerParts): Worker {
  const { runtime, onFailure } = parts
  const { engine, now } = runtime
  const node = newId(now().getTime())
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let looking: Promise<void> | undefined
  let again = false
  /** With a single node, jobs that are leased at its start belong to a process that has ended. */
  let takesOver = !engine.concurrentWrites

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
      const job = await leaseJob(engine, { by: node, now: now().toISOString(), ms: LEASE_MS })
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
      renewLease(engine, job, LEASE_MS).then((kept) => kept || lost.abort(), onFailure)
    }, RENEW_MS).unref()
    const stopped = AbortSignal.any([stopping.signal, lost.signal])
    const context = jobContext(job, { ...parts, stopped, lose: () => lost.abort() })
    try {
      const type = jobTypes[job.type]
      if (!type) throw new Error(`There is no type of job ${job.type}.`)
      await type(context)
    } catch (error) {
      // Wait for an unavailable database. Any other error would happen again.
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
      // Also waits for the search for jobs, because the database is closed after this.
      await looking
      await Promise.all(running)
    },
  }
}

const TRIES = 3
const RETRY_MS = 200
const PAUSED_MS = 2000
const FAILED_INSIDE =
  'The job failed with an internal error. What was written stays. The log of the service has the details.'

function jobContext(job: JobRow, parts: WorkerParts & { stopped: AbortSignal; lose(): void }): JobContext {
  const { runtime, stopped, lose, runStep, hosted, onFailure } = parts

  /** The current rights. A job whose creator has none fails; a job of a paused workspace waits. */
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

  /** Tries a step a few times. Waits for a busy database. */
  async function attempt(
    facts: ScopeFacts,
    { handler, input, most = TRIES }: { handler: string; input: object; most?: number | undefined },
  ): Promise<StepReply | 'broken' | undefined> {
    const named = { job_id: job.id, leased_by: job.leased_by, ...input }
    for (let tries = 0; !stopped.aborted; ) {
      const answer = await runStep(facts, { handler, input: named }, 'write')
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

  /** Runs a required step. An internal error is a bug, so repeating the job would not help. */
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

/** No rights are needed to record that a job has failed. */
function ownFacts({ workspace_id, creator_id, token_id }: JobRow): ScopeFacts {
  return {
    workspace: { id: workspace_id, number: 0, slug: '', name: '', fields_version: 0 },
    actor: { user_id: creator_id, role: 'viewer', abilities: [], token_id, source: 'import' },
  }
}

/** The facts with the rights of a job, or the reason why it cannot run. `paused`: the workspace is paused. */
type JobActor = { facts: ScopeFacts } | { problem: string } | 'paused'

const granted: Readonly<Record<string, readonly Ability[]>> = {
  import: ['read', 'create', 'update'],
  undo: ['read', 'update', 'delete'],
}

/** A job runs with the current rights of its creator, and with the abilities that its type needs. */
async function actorOf(db: Db, job: JobRow, at: { hosted: boolean; now: Date }): Promise<JobActor> {
  const rights = await creatorRights(db, job, at)
  if (rights === 'creator') return { problem: 'The member who created the job has left the workspace.' }
  if (rights === 'token') {
    return { problem: 'The token or connection that created the job was revoked or has expired.' }
  }
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
