import type { DeliveryAttempt } from '../webhooks/webhook.ts'

/** The failures on the page of a webhook. */
export type WebhookTries = {
  /** The latest attempt that failed, unless the log no longer has it. */
  last_failure: Omit<DeliveryAttempt, 'request'> | null
  /** When the next event that has failed is tried again. */
  next_attempt_at: string | null
  /** How many events wait for another attempt. */
  waiting: number
}

/** A row of `GET /webhooks/ending`: a webhook that is disabled with a token, a connection or the rights of a member. */
export type EndingWebhook = { id: string; url: string; description: string | null }
