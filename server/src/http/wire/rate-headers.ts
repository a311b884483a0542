import { refuse } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import type { Spent } from '../../runtime/rate-limit.ts'

/** Tells what is left of a caller's buckets, or refuses where one of them is empty. */
export function refuseSpent(reply: FastifyReply, spent: Spent): void {
  if (!spent) return
  showRate(reply, spent)
  if (!spent.refused) return
  refuse({ kind: 'rate_limited', message: rateMessage(spent), retry_after: spent.refused.retry_after })
}

/** The bucket with the least left is shown, also if another one was spent before. */
export function showRate(reply: FastifyReply, { limit, remaining, reset, refused }: NonNullable<Spent>): void {
  const shown = reply.getHeader('X-RateLimit-Remaining')
  if (typeof shown === 'number' && shown < remaining && !refused) return
  reply.header('X-RateLimit-Limit', limit)
  reply.header('X-RateLimit-Remaining', remaining)
  reply.header('X-RateLimit-Reset', reset)
}

export function rateMessage({ limit, refused }: NonNullable<Spent>): string {
  const wait = `Retry in ${refused?.retry_after ?? 1} s.`
  return `Too many requests: the limit of ${limit} ${refused?.bucket} per minute is reached. ${wait}`
}
