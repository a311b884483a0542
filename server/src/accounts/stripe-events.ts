import { parseId } from '@kith/contract/id'
import { refuse } from '@kith/contract/refusal'
import type Stripe from 'stripe'
import type { Engine } from '../storage/engines/engine.ts'
import { findWorkspaceOfCustomer, replaceSubscription } from '../storage/tables/subscriptions.ts'

export type StripeSettings = { webhookSecret: string }

/** What was sent to the webhook, byte for byte: the signature is over the bytes. */
export type SignedBody = { body: Buffer; signature: string | undefined }

/** Takes an event from Stripe, once its signature is found to be right, and keeps the subscription's state with the workspace. */
export async function takeStripeEvent(engine: Engine, settings: StripeSettings, sent: SignedBody): Promise<void> {
  const event = await verify(settings, sent)
  switch (event.type) {
    case 'checkout.session.completed': {
      const { customer, subscription, client_reference_id } = event.data.object
      const workspaceId = parseId(client_reference_id)
      const customerId = idOf(customer)
      if (workspaceId === undefined || customerId === undefined) return
      await keep(engine, workspaceId, event, {
        customerId,
        subscriptionId: idOf(subscription) ?? null,
        status: 'active',
      })
      return
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
      await keep(engine, workspaceId, event, { customerId, subscriptionId: id, status })
      return
    }
  }
}

type Seen = { customerId: string; subscriptionId: string | null; status: string }

async function keep(
  engine: Engine,
  workspaceId: string,
  event: Stripe.Event,
  { customerId, subscriptionId, status }: Seen,
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
    return refuse({
      kind: 'invalid',
      issues: [{ path: 'stripe-signature', message: 'The Stripe-Signature header does not fit the body.' }],
    })
  }
}

function idOf(reference: string | { id: string } | null): string | undefined {
  return reference === null ? undefined : typeof reference === 'string' ? reference : reference.id
}
