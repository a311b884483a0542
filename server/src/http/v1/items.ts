import type { FastifyReply } from 'fastify'
import type { Bearer } from '../../accounts/tokens.ts'
import type { Answer } from '../../calls/answer.ts'
import type { Unpaid } from '../../calls/call.ts'
import type { Spent } from '../../runtime/rate-limit.ts'
import type { AppParts } from '../parts.ts'
import { rateMessage, refuseSpent, showRate } from '../wire/rate-headers.ts'
import type { V1Call } from './hold.ts'
import { isReplay } from './idempotency.ts'
import type { V1Route } from './routes.ts'

type Paying = { reply: FastifyReply; bearer: Bearer } & Pick<AppParts, 'limiter' | 'limits'>

/** What is left to pay for a request after its rate limits were spent. */
export type Due = { due: 'unknown' | Unpaid | undefined; items: number }

/** The limits of a request, before its body is read. Refuses, or returns what is due. */
export async function spendRequest(paying: Paying, route: V1Route): Promise<Due> {
  const { reply, bearer, limiter, limits } = paying
  const spender = { workspace_id: bearer.workspace_id, token_id: bearer.token_id, kind: route.kind }
  // The items of a batch are known once its body is read.
  const items = route.kind === 'write' && route.handler !== 'batch' ? 1 : 0
  const spent = await limiter({ ...spender, items })
  // A repeated request costs no items. Whether it is one is known later.
  if (spent?.refused?.only_items && reply.request.headers['idempotency-key'] !== undefined) {
    refuseSpent(reply, await limiter(spender))
    return { due: unpaid(spent), items: 0 }
  }
  refuseSpent(reply, spent)
  return { due: route.handler === 'batch' && limits.items > 0 ? 'unknown' : undefined, items }
}

/** Executes a call, which costs its items unless it repeats an earlier one. */
export async function executePaid(
  paying: Paying,
  { due, items: paid }: Due,
  { call, execute }: { call: V1Call; execute: (call: V1Call) => Promise<Answer> },
): Promise<Answer> {
  const { reply, bearer, limiter } = paying
  const spender = { workspace_id: bearer.workspace_id, token_id: bearer.token_id, kind: 'write' as const }
  let answer = await execute(due === undefined ? call : { ...call, request: { ...call.request, due } })
  let [left, items] = [due, paid]
  if (answer.aside?.items !== undefined) {
    const spent = await limiter({ ...spender, requests: 0, items: answer.aside.items })
    if (spent) showRate(reply, spent)
    left = spent?.refused ? unpaid(spent, answer.aside.items) : undefined
    items = left ? 0 : answer.aside.items
    answer = await execute({ ...call, request: { ...call.request, due: left } })
  }
  if (items > 0 && isReplay(answer)) await limiter({ ...spender, requests: 0, items: -items })
  // What does not fit costs nothing.
  if (left && answer.status === 429) await limiter({ ...spender, requests: -1 })
  return answer
}

function unpaid(spent: NonNullable<Spent>, operations?: number): Unpaid {
  const retry_after = spent.refused?.retry_after ?? 1
  if (operations === undefined) return { message: rateMessage(spent), retry_after }
  const left = `${spent.remaining} of the limit of ${spent.limit} items per workspace per minute are left`
  const message = `The batch has ${operations} operations, and ${left}. Retry in ${retry_after} s, or with fewer.`
  return { message, retry_after }
}
