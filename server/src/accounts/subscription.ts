import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseId } from '@kith/contract/id'
import { refuseValue } from '@kith/contract/refusal'
import type Stripe from 'stripe'
import type { Engine } from '../storage/engines/engine.ts'
import { findWorkspaceOfCustomer, replaceSubscription } from '../storage/tables/workspaces.ts'

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

type StripeSettings = { webhookSecret: string }

/** The raw bytes of the request, over which the signature is computed. */
export type SignedBody = { body: Buffer; signature: string | undefined }

/** Checks the signature of an event from Stripe and stores the state of the subscription with the workspace. */
export async function takeStripeEvent(engine: Engine, settings: StripeSettings, sent: SignedBody): Promise<void> {
  const event = verify(settings, sent)
  const stripe_event_at = event.created
  switch (event.type) {
    case 'checkout.session.completed': {
      const { customer, subscription, client_reference_id } = event.data.object
      const workspaceId = parseId(client_reference_id)
      const stripe_customer_id = idOf(customer)
      if (workspaceId === undefined || stripe_customer_id === null) return
      const ids = { stripe_customer_id, stripe_subscription_id: idOf(subscription) }
      return replaceSubscription(engine.single, workspaceId, { ...ids, subscription_status: 'active', stripe_event_at })
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'customer.subscription.deleted': {
      const { id, status, customer, metadata } = event.data.object
      const stripe_customer_id = idOf(customer)
      if (stripe_customer_id === null) return
      const named = parseId(metadata.workspace_id)
      const workspaceId = named ?? (await findWorkspaceOfCustomer(engine.db, stripe_customer_id))
      if (workspaceId === undefined) return
      const ids = { stripe_customer_id, stripe_subscription_id: id }
      return replaceSubscription(engine.single, workspaceId, { ...ids, subscription_status: status, stripe_event_at })
    }
  }
}

/** Stripe sends an event again for days, each time with a new signature. */
const SIGNED_SECONDS_MAX = 300

/** `t=…,v1=…`: the time of the signature, and one for each valid secret, over the time and the body. */
function verify({ webhookSecret }: StripeSettings, { body, signature = '' }: SignedBody): Stripe.Event {
  const parts = signature.split(',').map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const expected = createHmac('sha256', webhookSecret).update(`${time}.`).update(body).digest()
  const isSigned = parts.some(([name, hex = '']) => {
    const given = Buffer.from(hex, 'hex')
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
  const isRecent = Math.abs(Date.now() / 1000 - Number(time)) <= SIGNED_SECONDS_MAX
  if (isSigned && isRecent) return JSON.parse(body.toString())
  return refuseValue('stripe-signature', 'The Stripe-Signature header does not match the body.')
}

function idOf(reference: string | { id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}
