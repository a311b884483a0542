import { refuse } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import type { Bearer } from '../accounts/tokens.ts'
import type { Answer } from '../calls/answer.ts'
import type { RateRefusal } from '../calls/call.ts'
import { isReplay } from '../calls/idempotency.ts'
import type { BucketState, Spender } from '../limits/rate-limit.ts'
import type { AppParts } from './parts.ts'

/** The items that a request has paid for, and the refusal that it gets unless it repeats an earlier one. */
export type Payment = { payer: Payer; kind: Spender['kind']; items: number; refusal?: RateRefusal | undefined }

/** The caller whose limits a request uses up. */
type Payer = { reply: FastifyReply; bearer: Bearer } & Pick<AppParts, 'limiter'>

/** Pays for a request and its items, or refuses. */
export async function payRequest(
  payer: Payer,
  { kind, items, isKeyed }: { kind: Spender['kind']; items: number; isKeyed: boolean },
): Promise<Payment> {
  const { reply, limiter } = payer
  const spender = spenderOf(payer, kind)
  const spent = await limiter({ ...spender, items })
  // A repeated request costs no items, but it is not known yet whether this is one.
  if (spent?.refused?.only_items && isKeyed) {
    refuseSpent(reply, await limiter(spender))
    const refusal = { message: rateMessage(spent), retry_after: spent.refused.retry_after }
    return { payer, kind, items: 0, refusal }
  }
  refuseSpent(reply, spent)
  return { payer, kind, items }
}

/** Pays an item for each operation of a batch, whose request is paid for. */
export async function payBatch(payer: Payer, items: number): Promise<Payment> {
  const kind = 'write'
  if (items === 0) return { payer, kind, items }
  const spent = await payer.limiter({ ...spenderOf(payer, kind), requests: 0, items })
  if (spent) showRate(payer.reply, spent)
  if (!spent?.refused) return { payer, kind, items }
  const { retry_after } = spent.refused
  const left = `${spent.remaining} of the limit of ${spent.limit} items per workspace per minute are left`
  const message = `The batch has ${items} operations, and ${left}. Retry in ${retry_after} s, or with fewer.`
  return { payer, kind, items: 0, refusal: { message, retry_after } }
}

/**
 * Gives the items of a repeated request back, and pays items that were not known. A batch that does not fit costs
 * nothing.
 */
export async function refund({ payer, kind, items, refusal }: Payment, answer: Answer): Promise<void> {
  const spender = spenderOf(payer, kind)
  if (items > 0 && isReplay(answer)) await payer.limiter({ ...spender, requests: 0, items: -items })
  else if (answer.items !== undefined && answer.items > items) {
    await payer.limiter({ ...spender, requests: 0, items: answer.items - items })
  }
  if (refusal && answer.status === 429) await payer.limiter({ ...spender, requests: -1 })
}

function spenderOf({ bearer: { workspace_id, token_id } }: Payer, kind: Spender['kind']): Spender {
  return { workspace_id, token_id, kind }
}

/** Sets the headers of the rate limit, or refuses if a bucket is empty. */
export function refuseSpent(reply: FastifyReply, spent: BucketState): void {
  if (!spent) return
  showRate(reply, spent)
  if (!spent.refused) return
  refuse({ kind: 'rate_limited', message: rateMessage(spent), retry_after: spent.refused.retry_after })
}

/** Shows the bucket with the least left, even if another one was charged before. */
function showRate(reply: FastifyReply, { limit, remaining, reset, refused }: NonNullable<BucketState>): void {
  const shown = reply.getHeader('X-RateLimit-Remaining')
  if (typeof shown === 'number' && shown < remaining && !refused) return
  reply.header('X-RateLimit-Limit', limit)
  reply.header('X-RateLimit-Remaining', remaining)
  reply.header('X-RateLimit-Reset', reset)
}

function rateMessage({ limit, refused }: NonNullable<BucketState>): string {
  const wait = `Retry in ${refused?.retry_after ?? 1} s.`
  return `Too many requests: the limit of ${limit} ${refused?.bucket} per minute is reached. ${wait}`
}
