import { setTimeout } from 'node:timers/promises'
import type { Ability } from '@kith/contract/abilities'
import { newId } from '@kith/contract/id'
import { creatorRights } from '../accounts/revoke-access.ts'
import { openScope } from '../fields/definitions.ts'
import { type Leases, openLeases } from '../leases/leases.ts'
import { factsOf } from '../leases/step.ts'
import type { ScopeFacts } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { type JobRow, jobLeases } from '../storage/tables/jobs.ts'
import { runImport, runUndo } from './import/run-import.ts'
import type { JobContext, JobType, StepReply, WorkerParts } from './job.ts'

/** How many jobs this process runs at a time, each of a different workspace. */
const JOBS_AT_ONCE = 2
const LEASE_MS = 10_000

/** Every type of job, by the name under which it is stored. */
const jobTypes: Readonly<Record<string, JobType>> = { import: runImport, undo: runUndo }

/**
 * Runs jobs, each on one node at a time: the node with the lease. A step checks the lease in its transaction, so a node
 * that has lost it without noticing writes nothing.
 */
export function openWorker(parts: WorkerParts): Leases {
  const { runtime, onFailure } = parts

  async function run(job: JobRow, left: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const stopped = AbortSignal.any([left, lost.signal])
    const context = jobContext(job, { ...parts, stopped, lose: () => lost.abort() })
    try {
      const type = jobTypes[job.type]
      if (!type) throw new Error(`There is no type of job ${job.type}.`)
      await type(context)
    } catch (error) {
      // Wait for an unavailable database. Any other error would happen again.
      if (runtime.engine.violation(error) !== 'busy') await context.step('fail', { message: FAILED_INSIDE })
      throw error
    }
  }

  const node = newId(runtime.now().getTime())
  return openLeases({ runtime, table: jobLeases, node, lease_ms: LEASE_MS, most: JOBS_AT_ONCE, run, onFailure })
}

const TRIES = 3
const RETRY_MS = 200
const PAUSED_MS = 2000
const FAILED_INSIDE =
  'The job failed with an internal error. What was written stays. The log of the service has the details.'

function jobContext(job: JobRow, parts: WorkerParts & { stopped: AbortSignal; lose(): void }): JobContext {
  const { runtime, stopped, lose, runStep, hosted, onFailure } = parts
  const { workspace_id, creator_id, token_id } = job
  // No rights are needed to record that a job has failed.
  const own = factsOf(workspace_id, { user_id: creator_id, token_id, source: 'import' })

  /** The current rights. A job whose creator has none fails; a job of a paused workspace waits. */
  async function factsNow(): Promise<ScopeFacts | undefined> {
    while (!stopped.aborted) {
      const actor = await actorOf(runtime.engine.db, job, { hosted, now: runtime.now() })
      if (actor !== 'paused' && 'facts' in actor) return actor.facts
      if (actor !== 'paused') {
        await run(own, 'fail', { message: actor.problem })
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
    if (handler !== 'fail') await run(own, 'fail', { message: FAILED_INSIDE })
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
      return facts && openScope(runtime, facts)
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
