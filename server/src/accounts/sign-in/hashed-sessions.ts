import type { DBTransactionAdapter, Where } from 'better-auth/adapters'
import { hashToken } from '../token-format.ts'

/** better-auth uses the first name, and accepts the name of the table as well. */
const MODELS = new Set(['session', 'sessions'])

const METHODS = [
  ...(['create', 'findOne', 'findMany', 'count', 'update', 'updateMany', 'delete', 'deleteMany'] as const),
  ...(['consumeOne', 'incrementOne'] as const),
]

type Query = { model: string; where?: Where[]; data?: object; update?: object }

/**
 * Stores the SHA-256 of session tokens instead of the tokens: hashes them on the way to the database, and restores them
 * in rows that were found by token.
 */
export function hashingTokens(inner: DBTransactionAdapter): DBTransactionAdapter {
  const hashing = METHODS.map((name) => {
    // The methods differ in their results only, which pass through.
    const method = inner[name] as (query: Query) => Promise<unknown>
    return [name, (query: Query) => (MODELS.has(query.model) ? runHashed(method, query) : method(query))]
  })
  return { ...inner, ...Object.fromEntries(hashing) }
}

async function runHashed(method: (query: Query) => Promise<unknown>, query: Query): Promise<unknown> {
  const tokens = new Map<string, string>()
  function hashed(token: unknown): unknown {
    if (Array.isArray(token)) return token.map(hashed)
    if (typeof token !== 'string') return token
    const hash = hashToken(token)
    tokens.set(hash, token)
    return hash
  }
  function hashedIn<T extends object>(values: T): T {
    return 'token' in values ? { ...values, token: hashed(values.token) } : values
  }
  function restored(row: unknown): unknown {
    if (typeof row !== 'object' || row === null || !('token' in row) || typeof row.token !== 'string') return row
    return { ...row, token: tokens.get(row.token) ?? row.token }
  }
  const { where, data, update } = query
  const found = await method({
    ...query,
    ...(where && {
      where: where.map((one) => (one.field === 'token' ? { ...one, value: hashed(one.value) } : one)) as Where[],
    }),
    ...(data && { data: hashedIn(data) }),
    ...(update && { update: hashedIn(update) }),
  })
  return Array.isArray(found) ? found.map(restored) : restored(found)
}
