import type { ScopeFacts } from '../scope/scope.ts'

/** A step of a job, which runs in one transaction, or of the delivery to webhooks. */
export type Step = { handler: string; input: unknown }

/**
 * Runs a step in the same lanes as requests, so that it waits its turn. The answer has the status of a request, and the
 * step's result as JSON in its body.
 */
export type RunStep = (
  facts: ScopeFacts,
  step: Step,
  lane: 'read' | 'write',
) => Promise<{ status: number; body: string | null; bug?: string }>
