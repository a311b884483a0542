import type { BetterAuthPlugin } from 'better-auth'
import type { DBTransactionAdapter } from 'better-auth/adapters'

/** A plugin of better-auth that changes how it reads and writes rows, in transactions as well. */
export function adapterPlugin(id: string, wrap: (inner: DBTransactionAdapter) => DBTransactionAdapter) {
  return {
    id,
    init: ({ adapter }) => {
      const transaction: typeof adapter.transaction = (work) => adapter.transaction((inside) => work(wrap(inside)))
      return { context: { adapter: { ...adapter, ...wrap(adapter), transaction } } }
    },
  } satisfies BetterAuthPlugin
}
