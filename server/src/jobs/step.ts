import type { Scope } from '../scope/scope.ts'
import type { JobRow } from '../storage/tables/jobs.ts'

/** `held`: whether this node still has the job. `done`: how many rows are done, also by earlier steps. */
export type StepReply = { held: boolean; done: number }

/** A step, in the transaction that has the job locked. It returns what of the job changes. */
export type Step = (inside: Scope, job: JobRow, input: Record<string, unknown>) => Promise<Partial<JobRow>>
