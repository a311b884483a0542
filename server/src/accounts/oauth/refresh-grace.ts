import type { DBAdapter, DBTransactionAdapter } from 'better-auth/adapters'

/** How long a refresh token can be exchanged again. */
const GRACE_MS = 10_000

const MODEL = 'oauthRefreshToken'

/**
 * Clients with several windows may refresh the same token twice at about the same time. Both succeed and get their
 * own tokens. After the grace period it is a replay, and better-auth revokes all tokens of the family.
 */
export function withGrace(inner: DBTransactionAdapter): DBTransactionAdapter {
  return {
    ...inner,
    async findOne<T>(query: Parameters<DBAdapter['findOne']>[0]) {
      const row = await inner.findOne<T>(query)
      return query.model === MODEL && isInGrace(row) ? { ...row, revoked: null } : row
    },
    /** better-auth marks a token as used with this, and treats "no row" as a replay. */
    async incrementOne<T>(query: Parameters<DBAdapter['incrementOne']>[0]) {
      const marked = await inner.incrementOne<T>(query)
      if (marked !== null || query.model !== MODEL) return marked
      const where = query.where.filter(({ field }) => field !== 'revoked')
      const row = await inner.findOne<T>({ model: MODEL, where })
      return isInGrace(row) ? row : null
    },
  }
}

function isInGrace(row: unknown): row is object & { revoked: Date } {
  if (typeof row !== 'object' || row === null || !('revoked' in row) || !(row.revoked instanceof Date)) return false
  return Date.now() - row.revoked.getTime() < GRACE_MS
}
