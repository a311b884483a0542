import { refuse } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import type { Spent } from '../../runtime/rate-limit.ts'

/** Tells what is left of a caller's buckets, or refuses where one of them is empty. */
export function setRateHeaders(reply: FastifyReply, { limit, remaining, reset, refused }: NonNullable<Spent>): void {
  reply.header('X-RateLimit-Limit', limit)
  reply.header('X-RateLimit-Remaining', remaining)
  reply.header('X-RateLimit-Reset', reset)
  if (!refused) return
  const { bucket, retry_after } = refused
  const message = `Too many requests: the limit of ${limit} ${bucket} per minute is reached. Retry in ${retry_after} s.`
  refuse({ kind: 'rate_limited', message, retry_after })
}
