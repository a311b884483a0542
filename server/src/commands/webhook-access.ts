import type { Client, CreateWebhookInput, DeliveryObject, WebhookObject } from '@kith/sdk'
import { urlRulesOf } from '../runtime/url-rules.ts'
import type { Scope } from '../scope/scope.ts'
import { createWebhook } from '../webhooks/create-webhook.ts'
import { listWebhooks } from '../webhooks/list-webhooks.ts'
import { replayEvents } from '../webhooks/replay.ts'
import type { UrlRules } from '../webhooks/send/allowed-url.ts'
import { attempt } from '../webhooks/send/attempt.ts'
import { openSender } from '../webhooks/send/sender.ts'
import { expectTest, storeTest } from '../webhooks/test-webhook.ts'
import { removeWebhook, rotateSecret, updateWebhook } from '../webhooks/update-webhook.ts'
import type { Context } from './command.ts'
import { BadUsage } from './failure.ts'
import { remoteOptions, withClient } from './remote.ts'
import { withWorkspace } from './with-database.ts'

/** The options of commands that work over HTTP, or directly on the database. */
export const accessOptions = {
  workspace: { value: 'S', about: 'The slug of the workspace, to work directly on the database as its owner.' },
  ...remoteOptions,
} as const

type Access = { workspace: string | undefined; url: string | undefined; token: string | undefined }
type WithSecret = WebhookObject & { readonly attributes: { readonly secret: string } }

/** What the commands do with webhooks. */
export type Webhooks = {
  list(): Promise<WebhookObject[]>
  create(input: CreateWebhookInput): Promise<WithSecret>
  setState(id: string, state: 'active' | 'paused'): Promise<WebhookObject>
  remove(id: string): Promise<void>
  rotate(id: string): Promise<WithSecret>
  test(id: string): Promise<DeliveryObject>
  replay(id: string, wanted: { only: 'failed' } | { event_id: string }): Promise<{ count: number }>
}

export function withWebhooks<T>(values: Access, context: Context, work: (webhooks: Webhooks) => Promise<T>) {
  const { workspace, url, token } = values
  if (workspace === undefined) return withClient(values, context, (client) => work(overClient(client)))
  if (url !== undefined || token !== undefined) throw new BadUsage('Send --workspace, or --url and --token, not both.')
  const rules = urlRulesOf(context.config, context.config.PORT)
  return withWorkspace(context, workspace, (scope) => work(onDatabase(scope, rules)))
}

const PER_PAGE = 100

function overClient({ webhooks }: Client): Webhooks {
  return {
    list: async () => [...(await webhooks.list({ per_page: PER_PAGE })).data],
    create: async (input) => (await webhooks.create(input)).data,
    setState: async (id, state) => (await webhooks.update(id, { state })).data,
    remove: (id) => webhooks.delete(id),
    rotate: async (id) => (await webhooks.rotate(id)).data,
    test: async (id) => (await webhooks.test(id)).data,
    replay: async (id, wanted) => (await webhooks.replay(id, wanted)).meta,
  }
}

/** The service sends what these operations return, which is what the client declares. */
const asSent = <T>(shown: { id: string; type: string; attributes: object }): T => shown as T

function onDatabase(scope: Scope, rules: UrlRules): Webhooks {
  return {
    async list() {
      const asked = { raw: { per_page: String(PER_PAGE) }, loose: false, issues: [] }
      return (await listWebhooks(scope, asked)).data.map((one) => asSent<WebhookObject>(one))
    },
    create: async (body) => asSent(await createWebhook(scope, { body, rules })),
    setState: async (id, state) => asSent(await updateWebhook(scope, { id, body: { state }, rules })),
    remove: (id) => removeWebhook(scope, id),
    rotate: async (id) => asSent(await rotateSecret(scope, id, {})),
    test: async (id) => asSent(await sendTest(scope, id, rules)),
    replay: async (id, wanted) => ({ count: await replayEvents(scope, id, wanted) }),
  }
}

async function sendTest(scope: Scope, id: string, rules: UrlRules) {
  const sender = openSender({ rules: () => rules })
  try {
    const { webhook, event } = await expectTest(scope, id)
    const parts = { sender, secret: scope.secret, now: scope.now }
    const sent = await attempt(parts, { webhook, event, number: 1, replay: false })
    return await storeTest(scope, id, { event, attempt: sent })
  } finally {
    await sender.close()
  }
}
