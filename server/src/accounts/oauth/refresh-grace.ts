import type { BetterAuthPlugin } from 'better-auth'
import type { DBAdapter, DBTransactionAdapter } from 'better-auth/adapters'

/** How long a refresh token that was just exchanged can be exchanged once more. */
const GRACE_MS = 10_000

const MODEL = 'oauthRefreshToken'

/**
 * Lets two refreshes with the same token succeed that are sent at about the same time, as clients with several windows do. Each gets
 * tokens of its own. After the grace period the same request is a replay, for which the library ends the whole family.
 */
export function refreshGrace() {
  return {
    id: 'kith-refresh-grace',
    init: ({ adapter }) => ({ context: { adapter: withGrace(adapter) } }),
  } satisfies BetterAuthPlugin
}

function withGrace(inner: DBAdapter): DBAdapter {
  return { ...graceful(inner), transaction: (work) => inner.transaction((inside) => work(graceful(inside))) }
}

function graceful(inner: DBTransactionAdapter): DBTransactionAdapter {
  return {
    ...inner,
    async findOne<T>(asked: Parameters<DBAdapter['findOne']>[0]) {
      const row = await inner.findOne<T>(asked)
      return asked.model === MODEL && isInGrace(row) ? { ...row, revoked: null } : row
    },
    /** The library marks a token as spent with this, and takes "no row" for a replay. */
    async incrementOne<T>(asked: Parameters<DBAdapter['incrementOne']>[0]) {
      const marked = await inner.incrementOne<T>(asked)
      if (marked !== null || asked.model !== MODEL) return marked
      const where = asked.where.filter(({ field }) => field !== 'revoked')
      const row = await inner.findOne<T>({ model: MODEL, where })
      return isInGrace(row) ? row : null
    },
  }
}

function isInGrace(row: unknown): row is object & { revoked: Date } {
  if (typeof row !== 'object' || row === null || !('revoked' in row) || !(row.revoked instanceof Date)) return false
  return Date.now() - row.revoked.getTime() < GRACE_MS
}
