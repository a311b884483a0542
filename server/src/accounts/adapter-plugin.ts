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

/** The columns of better-auth's fields in our tables: `userId` is `user_id`. */
export function columnNames<const N extends string>(...fields: N[]): { [name in N]: string } {
  const columns = fields.map((field) => [field, field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])
  // Built from the names themselves.
  return Object.fromEntries(columns) as { [name in N]: string }
}
