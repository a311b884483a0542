import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

type SubscriptionState = {
  subscription_status: string | null
  stripe_customer_id: string
  stripe_subscription_id: string | null
  stripe_event_at: number
}

/** The workspace of a Stripe customer. */
export function findWorkspaceOfCustomer(db: Db, customerId: string): Promise<string | undefined> {
  return sql<string>`select id from workspaces where stripe_customer_id = ${customerId}`.value(db)
}

/** Stores a newer state of the subscription; false when there is no such workspace or it has a later state. */
export async function replaceSubscription(db: Db, workspaceId: string, state: SubscriptionState): Promise<boolean> {
  const replaced = await sql`update workspaces set ${sql.set(state)} where id = ${workspaceId}
    and (stripe_event_at is null or stripe_event_at <= ${state.stripe_event_at})`.run(db)
  return replaced > 0
}
