import type { DeliveryObject } from '@kith/sdk'
import { type Answer, type Context, defineCommand, type Group } from './command.ts'
import { BadUsage } from './failure.ts'
import { printTable } from './table.ts'
import { accessOptions, type Webhooks, withWebhooks } from './webhook-access.ts'

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
        ...(values.thin ? { payload: 'thin' as const } : {}),
        ...(values['exclude-own'] ? { exclude_own: true } : {}),
        ...(values.from === undefined ? {} : { from: values.from }),
      })
      context.tell('Keep this secret, it is not shown again.')
      return { text: `${data.id}\n${data.attributes.secret}`, json: data }
    }),
})

type OnWebhook = (webhooks: Webhooks, id: string, context: Context) => Promise<Answer>

/** A command that takes nothing but a webhook. */
const onWebhook = (about: string, work: OnWebhook) =>
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
      if ((values.event === undefined) === !values.failed) throw new BadUsage('Send --event ID or --failed.')
      const wanted = values.event === undefined ? { only: 'failed' as const } : { event_id: values.event }
      const meta = await webhooks.replay(values.id, wanted)
      return { text: `${meta.count} to send again.`, json: meta }
    }),
})

export const webhook: Group = { verbs: { list, create, test, replay, pause, resume, rotate, delete: remove } }
