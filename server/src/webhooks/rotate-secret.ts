import { HOUR_MS, KEEP_HOURS_DEFAULT, KEEP_HOURS_MAX } from '@kith/contract/limits'
import { noteWrite } from '../audit/write.ts'
import { definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import { type Fields, readInput } from '../scope/read-input.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { replaceWebhook } from '../storage/tables/webhooks.ts'
import { presentWebhooks, type WebhookObject } from './present-webhook.ts'
import { newWebhookSecret, sealSecret } from './secrets.ts'
import { requireLockedWebhook } from './webhook.ts'

/** Gives an endpoint a new secret, which is shown this once. For a time the old one signs as well. */
export async function rotateSecret(scope: Scope, id: string, body: unknown): Promise<WebhookObject> {
  requireAbilities(scope, ['update'])
  const definitions = await definitionsOf(scope)
  return inTransaction(scope, async (inside) => {
    const before = await requireLockedWebhook(inside, id)
    const hours = readInput(body ?? {}, parseHours)
    const shown = newWebhookSecret()
    const now = inside.now()
    const kept = hours === 0 ? null : new Date(now.getTime() + hours * HOUR_MS).toISOString()
    const changes = {
      secret: sealSecret(inside.secret, before, shown),
      old_secret: kept === null ? null : before.secret,
      old_secret_until: kept,
      revision: before.revision + 1,
      updated_at: now.toISOString(),
    }
    await replaceWebhook(inside, before.id, changes)
    const entry = { action: 'update', resource: 'webhooks', record_id: before.id, name: before.url } as const
    await noteWrite(inside, [{ ...entry, changes: [['secret', null, 'rotated']] }])
    const [rotated] = await presentWebhooks(inside, [{ ...before, ...changes }], definitions)
    if (!rotated) throw new Error('An endpoint was not presented.')
    return { ...rotated, attributes: { ...rotated.attributes, secret: shown } }
  })
}

function parseHours({ raw, report }: Fields): number {
  const hours = raw('keep_hours') ?? KEEP_HOURS_DEFAULT
  if (typeof hours === 'number' && Number.isInteger(hours) && hours >= 0 && hours <= KEEP_HOURS_MAX) return hours
  report('keep_hours', `The keep_hours must be a whole number from 0 to ${KEEP_HOURS_MAX}.`)
  return KEEP_HOURS_DEFAULT
}
