import { newId } from '@kith/contract/id'
import { WEBHOOKS_MAX } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../audit/write.ts'
import { findBeginning } from '../changes/position.ts'
import { definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { countWebhooks, insertWebhook, type WebhookRow } from '../storage/tables/webhooks.ts'
import { parseNewWebhook } from './parse-webhook.ts'
import { presentOne, type WebhookObject } from './present-webhook.ts'
import { newWebhookSecret, sealSecret } from './secrets.ts'
import type { UrlRules } from './send/allowed-url.ts'

/** Creates an endpoint. Its secret is shown this once. */
export async function createWebhook(
  scope: Scope,
  { body, rules }: { body: unknown; rules: UrlRules },
): Promise<WebhookObject> {
  requireAbilities(scope, ['create', 'read'])
  const definitions = await definitionsOf(scope)
  const { columns, from } = parseNewWebhook(body, { definitions, rules })
  return inTransaction(scope, async (inside) => {
    const { workspace, actor, engine, db } = inside
    const { epoch, sequence } = await findBeginning(inside, from, 'from')
    // The lock makes concurrent requests count each other's endpoints.
    await engine.lock(db, [`webhooks ${workspace.id}`])
    if ((await countWebhooks(inside)) >= WEBHOOKS_MAX) {
      refuseValue('url', `The workspace has ${WEBHOOKS_MAX} webhooks already, and cannot have more. Delete one first.`)
    }
    const now = inside.now()
    const owner = { workspace_id: workspace.id, id: newId(now.getTime()) }
    const shown = newWebhookSecret()
    const at = now.toISOString()
    const webhook: WebhookRow = {
      ...owner,
      ...columns,
      ...{ state: 'active', reason: null, epoch, sequence },
      secret: sealSecret(inside.secret, owner, shown),
      ...{ old_secret: null, old_secret_until: null, failures: 0, failed_since: null, noticed: 0, notice: null },
      ...{ last_success_at: null, last_failure_at: null, last_failure_id: null, created_at: at, updated_at: at },
      ...{ creator_id: actor.user_id, token_id: actor.token_id, revision: 1, leased_by: null, leased_until: null },
    }
    await insertWebhook(inside, webhook)
    await noteWrite(inside, [{ action: 'create', resource: 'webhooks', record_id: webhook.id, name: webhook.url }])
    const created = await presentOne(inside, webhook, definitions)
    return { ...created, attributes: { ...created.attributes, secret: shown } }
  })
}
