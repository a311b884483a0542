/** `failing`: the receiver does not accept events, and only one at a time is tried. */
export const webhookStates = ['active', 'paused', 'failing', 'disabled'] as const
export type WebhookState = (typeof webhookStates)[number]

/** The attributes that a caller can set. */
export const settableStates = ['active', 'paused'] as const

/**
 * Why an endpoint is disabled. `gone`: the receiver answered 410. `failing`: five days of only failures. `creator`: its
 * creator has left the workspace. `filter`: its filter names something that no longer exists. `token`: the token or
 * connection that created it was revoked or has expired. `role`: its creator may no longer change records. `password`:
 * the password of its creator was reset.
 */
export const disabledReasons = ['gone', 'failing', 'creator', 'filter', 'token', 'role', 'password'] as const
export type DisabledReason = (typeof disabledReasons)[number]

export const webhookPayloads = ['full', 'thin'] as const
export type WebhookPayload = (typeof webhookPayloads)[number]

/** `failed`: given up. It can be replayed. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** One try to deliver an event, as the log shows it. `error` is null after a 2xx. */
export type DeliveryAttempt = {
  at: string
  /** Null if there was no response. */
  status: number | null
  ms: number
  error: string | null
  request: { headers: Readonly<Record<string, string>>; body: string }
  response: { headers: Readonly<Record<string, string>>; body: string } | null
}
