import type { Answer } from '../calls/answer.ts'
import type { Call } from '../calls/call.ts'
import type { Runtime, Scope } from '../scope/scope.ts'
import type { JobRow } from '../storage/tables/jobs.ts'

/** What a running job needs. */
export type JobContext = {
  job: JobRow
  /** Aborted when the job must not go on in this process. */
  stopped: AbortSignal
  /** Reads with the rights of the job's creator. Undefined if the job has ended because there are none. */
  scope(): Promise<Scope | undefined>
  /** Runs a step in one transaction, with the job's progress. Undefined if the job must not go on. */
  step(handler: string, input: object): Promise<StepReply | undefined>
  /** The same for a step that may fail inside: it is tried `most` times, and the job goes on if it is `broken`. */
  attempt(handler: string, input: object, most?: number): Promise<StepReply | 'broken' | undefined>
}

/** How a type of job runs: until it has ended, or `stopped` says that it must not go on here. */
export type JobType = (context: JobContext) => Promise<void>

export type WorkerParts = {
  runtime: Runtime
  execute(call: Call): Promise<Answer>
  hosted: boolean
  onFailure(error: unknown): void
}

/** `held`: whether this node still has the job. `done`: how many rows are done, also by earlier steps. */
export type StepReply = { held: boolean; done: number }

/** A step, in the transaction that has the job locked. It returns what of the job changes. */
export type Step = (inside: Scope, job: JobRow, input: Record<string, unknown>) => Promise<Partial<JobRow>>
