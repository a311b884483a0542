import type { Client, CreateWebhookInput, DeliveryObject, WebhookObject } from '@kith/sdk'
import { urlRulesOf } from '../config.ts'
import type { UrlRules } from '../outbound/allowed-url.ts'
import type { Scope } from '../scope/scope.ts'
import { sendTest, storeTest } from '../webhooks/attempt.ts'
import { replayEvents } from '../webhooks/list-deliveries.ts'
import { createWebhook, removeWebhook, rotateSecret, updateWebhook } from '../webhooks/update-webhook.ts'
import { listWebhooks } from '../webhooks/webhook.ts'
import { type Answer, BadUsage, type Context, defineCommand, type Group } from './command.ts'
import { remoteOptions, withClient } from './remote.ts'
import { printTable } from './table.ts'
import { withWorkspace } from './with-database.ts'

/** The options of commands that work over HTTP, or directly on the database. */
const accessOptions = {
  workspace: { value: 'S', about: 'The slug of the workspace, to work directly on the database as its owner.' },
  ...remoteOptions,
} as const

const PER_PAGE = 100

/** The service sends the results of these operations, so they have the type that the client declares. */
const asSent = <T>(shown: { id: string; type: string; attributes: object }): T => shown as T

const idOption = { value: 'ID', about: 'The ID of the webhook.', required: true, operand: true } as const

const list = defineCommand({
  about: 'List the webhooks, with their state and how far they are behind.',
  options: accessOptions,
  run: (values, context) =>
    withWebhooks(values, context, async (webhooks) => {
      const data = await webhooks.list()
      const rows = data.map(({ id, attributes: { url, types, state, reason, position } }) => {
        return [id, state, reason ?? '', String(position.behind), String(position.blocked), types.join(','), url]
      })
      const columns = ['id', 'state', 'reason', 'behind', 'blocked', 'types', 'url']
      return { text: rows.length === 0 ? 'No webhooks.' : printTable(columns, rows), json: data }
    }),
})

const create = defineCommand({
  about: 'Create a webhook. Its secret is shown once.',
  options: {
    endpoint: { value: 'ENDPOINT', about: 'The https address of the receiver.', required: true, operand: true },
    types: { value: 'TYPES', about: 'Which events, joined by commas: companies.created, people.*, *. Default: *.' },
    description: { value: 'TEXT', about: 'What it is for.' },
    thin: { about: 'Leave the record out.' },
    diff: { about: 'Add the values before and after.' },
    'exclude-own': {
      about: 'Leave out what this token changes; with --workspace, what the owner changes in the application.',
    },
    from: { value: 'CURSOR', about: 'A cursor of the changes feed to begin at. Default: now.' },
    ...accessOptions,
  },
  run: (values, context) =>
    withWebhooks(values, context, async (webhooks) => {
      const data = await webhooks.create({
        url: values.endpoint,
        types: (values.types ?? '*').split(',').map((type) => type.trim()),
        ...(values.description === undefined ? {} : { description: values.description }),
        ...(values.thin || values.diff ? { payload: values.diff ? 'diff' : 'thin' } : {}),
        ...(values['exclude-own'] ? { exclude_own: true } : {}),
        ...(values.from === undefined ? {} : { from: values.from }),
      })
      context.tell('Keep this secret, it is not shown again.')
      return { text: `${data.id}\n${data.attributes.secret}`, json: data }
    }),
})

/** A command whose only argument is a webhook. */
const onWebhook = (about: string, work: (webhooks: Webhooks, id: string, context: Context) => Promise<Answer>) =>
  defineCommand({
    about,
    options: { id: idOption, ...accessOptions },
    run: (values, context) => withWebhooks(values, context, (webhooks) => work(webhooks, values.id, context)),
  })

const remove = onWebhook('Delete a webhook. Deliveries stop.', async (webhooks, id) => {
  await webhooks.remove(id)
  return { text: 'Deleted.', json: { id } }
})

const setState = async (webhooks: Webhooks, id: string, state: 'active' | 'paused') => {
  const data = await webhooks.setState(id, state)
  return { text: data.attributes.state, json: data }
}

const pause = onWebhook('Pause a webhook. It keeps its position.', (webhooks, id) => setState(webhooks, id, 'paused'))

const resume = onWebhook('Let a paused or disabled webhook continue at its position.', (webhooks, id) =>
  setState(webhooks, id, 'active'),
)

const rotate = onWebhook(
  'Make a new secret, which is shown once. The old one also signs for a day.',
  async (webhooks, id, context) => {
    const data = await webhooks.rotate(id)
    context.tell('Keep this secret, it is not shown again.')
    return { text: data.attributes.secret, json: data }
  },
)

const test = onWebhook('Send a test event now, and show what the receiver answered.', async (webhooks, id) => {
  const data = await webhooks.test(id)
  return { text: outcomeOf(data), json: data }
})

function outcomeOf({ attributes: { state, attempts } }: DeliveryObject): string {
  const [attempt] = attempts
  const answer = attempt?.status ? `HTTP ${attempt.status}` : `no response (${attempt?.error})`
  return `${state}: ${answer} after ${attempt?.ms} ms`
}

const replay = defineCommand({
  about: 'Send events again: one by its ID, or all that were given up.',
  options: {
    id: idOption,
    event: { value: 'ID', about: 'The ID of the event, as webhook-id shows it.' },
    failed: { about: 'All events that were given up.' },
    ...accessOptions,
  },
  run: (values, context) =>
    withWebhooks(values, context, async (webhooks) => {
      if ((values.event === undefined) === !values.failed) throw new BadUsage('Use --event ID or --failed.')
      const wanted = values.event === undefined ? { only: 'failed' as const } : { event_id: values.event }
      const meta = await webhooks.replay(values.id, wanted)
      return { text: `Events that are sent again: ${meta.count}.`, json: meta }
    }),
})

export const webhook: Group = { verbs: { list, create, test, replay, pause, resume, rotate, delete: remove } }

type WithSecret = WebhookObject & { readonly attributes: { readonly secret: string } }

/** The operations on webhooks that the commands use. */
type Webhooks = {
  list(): Promise<WebhookObject[]>
  create(input: CreateWebhookInput): Promise<WithSecret>
  setState(id: string, state: 'active' | 'paused'): Promise<WebhookObject>
  remove(id: string): Promise<void>
  rotate(id: string): Promise<WithSecret>
  test(id: string): Promise<DeliveryObject>
  replay(id: string, wanted: { only: 'failed' } | { event_id: string }): Promise<{ count: number }>
}

function withWebhooks<T>(
  values: { workspace: string | undefined; url: string | undefined; token: string | undefined },
  context: Context,
  work: (webhooks: Webhooks) => Promise<T>,
) {
  const { workspace, url, token } = values
  if (workspace === undefined) return withClient(values, context, (client) => work(overClient(client)))
  if (url !== undefined || token !== undefined) throw new BadUsage('Use --workspace, or --url and --token, not both.')
  const rules = urlRulesOf(context.config, context.config.PORT)
  return withWorkspace(context, workspace, (scope) => work(onDatabase(scope, rules)))
}

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
    test: async (id) => asSent(await storeTest(scope, id, await sendTest(scope, id, rules))),
    replay: async (id, wanted) => ({ count: await replayEvents(scope, id, wanted) }),
  }
}
