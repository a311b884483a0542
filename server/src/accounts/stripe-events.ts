import { parseId } from '@kith/contract/id'
import { refuseValue } from '@kith/contract/refusal'
import type Stripe from 'stripe'
import type { Engine } from '../storage/engines/engine.ts'
import { findWorkspaceOfCustomer, replaceSubscription } from '../storage/tables/workspaces.ts'

type StripeSettings = { webhookSecret: string }

/** The raw bytes of the request, over which the signature is computed. */
export type SignedBody = { body: Buffer; signature: string | undefined }

/** Checks the signature of an event from Stripe and stores the state of the subscription with the workspace. */
export async function takeStripeEvent(engine: Engine, settings: StripeSettings, sent: SignedBody): Promise<void> {
  const event = await verify(settings, sent)
  switch (event.type) {
    case 'checkout.session.completed': {
      const { customer, subscription, client_reference_id } = event.data.object
      const workspaceId = parseId(client_reference_id)
      const customerId = idOf(customer)
      if (workspaceId === undefined || customerId === undefined) return
      const subscriptionId = idOf(subscription) ?? null
      return store(engine, workspaceId, { event, customerId, subscriptionId, status: 'active' })
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'customer.subscription.deleted': {
      const { id, status, customer, metadata } = event.data.object
      const customerId = idOf(customer)
      if (customerId === undefined) return
      const workspaceId = parseId(metadata.workspace_id) ?? (await findWorkspaceOfCustomer(engine.db, customerId))
      if (workspaceId === undefined) return
      return store(engine, workspaceId, { event, customerId, subscriptionId: id, status })
    }
  }
}

type Subscription = { event: Stripe.Event; customerId: string; subscriptionId: string | null; status: string }

async function store(
  engine: Engine,
  workspaceId: string,
  { event, customerId, subscriptionId, status }: Subscription,
): Promise<void> {
  await replaceSubscription(engine.single, workspaceId, {
    subscription_status: status,
    stripe_customer_id: customerId,
    stripe_subscription_id: subscriptionId,
    stripe_event_at: event.created,
  })
}

async function verify({ webhookSecret }: StripeSettings, { body, signature }: SignedBody): Promise<Stripe.Event> {
  // Only hosted installations need the package.
  const { default: StripeClient } = await import('stripe')
  try {
    return StripeClient.webhooks.constructEvent(body, signature ?? '', webhookSecret)
  } catch {
    return refuseValue('stripe-signature', 'The Stripe-Signature header does not fit the body.')
  }
}

function idOf(reference: string | { id: string } | null): string | undefined {
  return reference === null ? undefined : typeof reference === 'string' ? reference : reference.id
}
