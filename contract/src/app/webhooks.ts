import type { DeliveryAttempt } from '../webhooks/webhook.ts'

/** What the page of a webhook says about failures. */
export type WebhookTries = {
  /** The latest attempt that failed, unless the log no longer has it. */
  last_failure: Omit<DeliveryAttempt, 'request'> | null
  /** When the next event that has failed is tried again. */
  next_attempt_at: string | null
  /** How many events wait for another attempt. */
  waiting: number
}
