import { type Issue, reportInto } from '@kith/contract/issue'
import { parsePageQuery } from '@kith/contract/page-query'
import { refuseIfAny } from '@kith/contract/refusal'
import { definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadWebhooks } from '../storage/tables/webhooks.ts'
import { presentWebhooks, type WebhookObject } from './present-webhook.ts'
import { requireWebhook, seesAllWebhooks } from './webhook.ts'

type ListedWebhooks = { data: WebhookObject[]; page: number; per_page: number; total: number }

/** One page of the endpoints that the caller may see, the latest first. */
export async function listWebhooks(scope: Scope, asked: Asked): Promise<ListedWebhooks> {
  requireAbilities(scope, ['read'])
  const issues: Issue[] = [...asked.issues]
  const { page, per_page } = parsePageQuery(asked.raw, [], reportInto(issues))
  refuseIfAny(issues)
  const creator_id = seesAllWebhooks(scope.actor) ? undefined : scope.actor.user_id
  const definitions = await definitionsOf(scope)
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (inside) => {
    const limits = { limit: per_page, offset: (page - 1) * per_page }
    const { rows, total } = await loadWebhooks(inside, { creator_id, ...limits })
    return { data: await presentWebhooks(inside, rows, definitions), page, per_page, total }
  })
}

export async function readWebhook(scope: Scope, id: string): Promise<WebhookObject> {
  requireAbilities(scope, ['read'])
  const definitions = await definitionsOf(scope)
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (inside) => {
    const [shown] = await presentWebhooks(inside, [await requireWebhook(inside, id)], definitions)
    if (!shown) throw new Error('An endpoint was not presented.')
    return shown
  })
}
