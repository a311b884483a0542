import type { Db } from '../engines/engine.ts'

export type SubscriptionState = {
  subscription_status: string | null
  stripe_customer_id: string
  stripe_subscription_id: string | null
  stripe_event_at: number
}

/** The workspace of a Stripe customer. */
export async function findWorkspaceOfCustomer(db: Db, customerId: string): Promise<string | undefined> {
  const query = db.query.selectFrom('workspaces').select('id').where('stripe_customer_id', '=', customerId)
  return (await query.executeTakeFirst())?.id
}

/** Stores a newer state of the subscription; false when there is no such workspace or it knows a later one. */
export async function replaceSubscription(db: Db, workspaceId: string, state: SubscriptionState): Promise<boolean> {
  const { numUpdatedRows } = await db.query
    .updateTable('workspaces')
    .set(state)
    .where('id', '=', workspaceId)
    .where((where) =>
      where.or([where('stripe_event_at', 'is', null), where('stripe_event_at', '<=', state.stripe_event_at)]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
