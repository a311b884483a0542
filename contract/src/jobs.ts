/** The words of a job that its readers see. */
export const jobStates = ['waiting', 'queued', 'running', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

/** The outcomes of a row. */
export const outcomes = ['created', 'updated', 'unchanged', 'failed'] as const
export type Outcome = (typeof outcomes)[number]
