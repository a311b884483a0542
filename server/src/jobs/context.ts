import { setTimeout } from 'node:timers/promises'
import { newId } from '@kith/contract/id'
import { type ScopeFacts, scopeFor } from '../scope/scope.ts'
import type { JobRow } from '../storage/tables/jobs.ts'
import { actorOf } from './actor.ts'
import type { JobContext, WorkerParts } from './job-type.ts'
import type { StepReply } from './step.ts'

type ContextParts = WorkerParts & { stopped: AbortSignal; lose(): void }

type Step = { handler: string; input: object; most?: number | undefined }

const TRIES = 3
const RETRY_MS = 200
const PAUSED_MS = 2000
export const FAILED_INSIDE = 'The job failed inside. What was done stays. The log of the service has the details.'

export function jobContext(job: JobRow, parts: ContextParts): JobContext {
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
