import { parsePageQuery } from '@kith/contract/list-query'
import { parseOrRefuse } from '@kith/contract/refusal'
import { definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import type { PageOf } from '../records/trash/trash.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadWebhooks } from '../storage/tables/webhooks.ts'
import { presentOne, presentWebhooks, type WebhookObject } from './present-webhook.ts'
import { requireWebhook, seesAllWebhooks } from './webhook.ts'

/** One page of the endpoints that the caller may see, the latest first. */
export async function listWebhooks(scope: Scope, asked: Asked): Promise<PageOf<WebhookObject>> {
  requireAbilities(scope, ['read'])
  const { page, per_page } = parseOrRefuse(asked.issues, (report) => parsePageQuery(asked.raw, [], report))
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
  return inSnapshot(scope, async (inside) => presentOne(inside, await requireWebhook(inside, id), definitions))
}
