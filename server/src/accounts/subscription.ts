/** What a workspace row says about its right to be used. */
export type SubscriptionFacts = {
  trial_ends_at: string
  subscription_status: string | null
  complimentary: number
  paused_at: string | null
}

/** Stripe's words for a subscription that is to be served. One whose payment failed is, until Stripe gives up. */
const SERVED = new Set(['active', 'trialing', 'past_due'])

/** Whether a workspace may be used. Where the software is self-hosted, always; a pause by the operator outweighs all else. */
export function accessOf(workspace: SubscriptionFacts, now: Date, hosted: boolean): 'open' | 'paused' {
  if (!hosted) return 'open'
  if (workspace.paused_at !== null) return 'paused'
  if (workspace.complimentary !== 0) return 'open'
  if (workspace.subscription_status !== null && SERVED.has(workspace.subscription_status)) return 'open'
  return now.getTime() < Date.parse(workspace.trial_ends_at) ? 'open' : 'paused'
}
