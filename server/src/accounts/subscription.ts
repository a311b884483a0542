/** The columns of a workspace that decide about access. */
export type SubscriptionFacts = {
  trial_ends_at: string
  subscription_status: string | null
  complimentary: number
  paused_at: string | null
}

/** Stripe's states of an active subscription. After a failed payment it stays active until Stripe gives up. */
const SERVED = new Set(['active', 'trialing', 'past_due'])

/** Whether a workspace may be used: always if self-hosted; never while paused by the operator. */
export function accessOf(workspace: SubscriptionFacts, now: Date, hosted: boolean): 'open' | 'paused' {
  if (!hosted) return 'open'
  if (workspace.paused_at !== null) return 'paused'
  if (workspace.complimentary !== 0) return 'open'
  if (workspace.subscription_status !== null && SERVED.has(workspace.subscription_status)) return 'open'
  return now.getTime() < Date.parse(workspace.trial_ends_at) ? 'open' : 'paused'
}
