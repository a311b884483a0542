import { jobSteps } from '../jobs/steps.ts'
import type { Step, Steps } from '../leases/step.ts'
import { mailSteps } from '../mails/take-mail.ts'
import { dueSteps } from '../notifications/due.ts'
import type { Tenancy } from '../scope/scope.ts'
import { webhookSteps } from '../webhooks/dispatch/steps.ts'

/** The steps of all work with leases. */
const steps: Steps = { ...jobSteps, ...webhookSteps, ...dueSteps, ...mailSteps }

export function runStep(scope: Tenancy, { handler, input }: Step): Promise<unknown> {
  const step = steps[handler]
  if (!step) throw new Error(`There is no step ${handler}.`)
  // Sent by the node itself, with the type of the step.
  return step(scope, input as never)
}
