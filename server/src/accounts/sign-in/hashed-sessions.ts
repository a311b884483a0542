import type { BetterAuthPlugin } from 'better-auth'
import type { DBAdapter, DBTransactionAdapter, Where } from 'better-auth/adapters'
import { hashToken } from '../token-format.ts'

/**
 * Stores the SHA-256 of session tokens instead of the tokens. better-auth reads and writes sessions through one
 * adapter, which hashes tokens on the way to the database and restores them in rows that were found by token.
 */
export function hashedSessions() {
  return {
    id: 'kith-hashed-sessions',
    init: ({ adapter }) => ({ context: { adapter: hashingAdapter(adapter) } }),
  } satisfies BetterAuthPlugin
}

function hashingAdapter(inner: DBAdapter): DBAdapter {
  return {
    ...hashing(inner),
    transaction: (work) => inner.transaction((transaction) => work(hashing(transaction))),
  }
}

/** better-auth uses the first name, and accepts the name of the table as well. */
const MODELS = new Set(['session', 'sessions'])

function hashing(inner: DBTransactionAdapter): DBTransactionAdapter {
  return {
    ...inner,
    async create(asked) {
      const { values, restore } = hashedValues(asked.model, asked.data)
      return restore(await inner.create({ ...asked, data: values }))
    },
    async findOne(asked) {
      const { where, restore } = hashedWhere(asked.model, asked.where)
      return restore(await inner.findOne({ ...asked, where }))
    },
    async findMany(asked) {
      const { where, restore } = hashedWhere(asked.model, asked.where ?? [])
      return (await inner.findMany<never>({ ...asked, where })).map(restore)
    },
    count: (asked) => inner.count({ ...asked, where: hashedWhere(asked.model, asked.where ?? []).where }),
    async update(asked) {
      const { where, restore } = hashedWhere(asked.model, asked.where)
      const { values } = hashedValues(asked.model, asked.update)
      return restore(await inner.update({ ...asked, where, update: values }))
    },
    updateMany: (asked) =>
      inner.updateMany({
        ...asked,
        where: hashedWhere(asked.model, asked.where).where,
        update: hashedValues(asked.model, asked.update).values,
      }),
    delete: (asked) => inner.delete({ ...asked, where: hashedWhere(asked.model, asked.where).where }),
    deleteMany: (asked) => inner.deleteMany({ ...asked, where: hashedWhere(asked.model, asked.where).where }),
    async consumeOne(asked) {
      const { where, restore } = hashedWhere(asked.model, asked.where)
      return restore(await inner.consumeOne({ ...asked, where }))
    },
    async incrementOne(asked) {
      const { where, restore } = hashedWhere(asked.model, asked.where)
      return restore(await inner.incrementOne({ ...asked, where }))
    },
  }
}

/** Restores the token in a row, if the caller passed that token. */
type Restore = <Row>(row: Row) => Row

function hashedValues<Values extends object>(model: string, values: Values): { values: Values; restore: Restore } {
  const { token }: { token?: unknown } = values
  if (!MODELS.has(model) || typeof token !== 'string') return { values, restore: (row) => row }
  const hash = hashToken(token)
  return { values: { ...values, token: hash }, restore: restoring(new Map([[hash, token]])) }
}

function hashedWhere(model: string, where: Where[]): { where: Where[]; restore: Restore } {
  if (!MODELS.has(model)) return { where, restore: (row) => row }
  const tokens = new Map<string, string>()
  const hashed = (token: string) => {
    const hash = hashToken(token)
    tokens.set(hash, token)
    return hash
  }
  const replaced = where.map((condition) => {
    const { field, value } = condition
    if (field !== 'token') return condition
    if (typeof value === 'string') return { ...condition, value: hashed(value) }
    return Array.isArray(value) ? { ...condition, value: value.map((one) => hashed(String(one))) } : condition
  })
  return { where: replaced, restore: restoring(tokens) }
}

function restoring(tokens: ReadonlyMap<string, string>): Restore {
  return (row) => {
    if (typeof row !== 'object' || row === null || !('token' in row) || typeof row.token !== 'string') return row
    const token = tokens.get(row.token)
    return token === undefined ? row : { ...row, token }
  }
}
