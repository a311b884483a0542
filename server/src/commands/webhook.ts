import type { DeliveryObject } from '@kith/sdk'
import { defineCommand, type Group } from './command.ts'
import { BadUsage } from './failure.ts'
import { printTable } from './table.ts'
import { accessOptions, withWebhooks } from './webhook-access.ts'

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

const remove = defineCommand({
  about: 'Delete a webhook. Deliveries stop.',
  options: { id: idOption, ...accessOptions },
  run: (values, context) =>
    withWebhooks(values, context, async (webhooks) => {
      await webhooks.remove(values.id)
      return { text: 'Deleted.', json: { id: values.id } }
    }),
})

const stateCommand = (state: 'active' | 'paused', about: string) =>
  defineCommand({
    about,
    options: { id: idOption, ...accessOptions },
    run: (values, context) =>
      withWebhooks(values, context, async (webhooks) => {
        const data = await webhooks.setState(values.id, state)
        return { text: data.attributes.state, json: data }
      }),
  })

const rotate = defineCommand({
  about: 'Make a new secret, which is shown once. The old one also signs for a day.',
  options: { id: idOption, ...accessOptions },
  run: (values, context) =>
    withWebhooks(values, context, async (webhooks) => {
      const data = await webhooks.rotate(values.id)
      context.tell('Keep this secret, it is not shown again.')
      return { text: data.attributes.secret, json: data }
    }),
})

const test = defineCommand({
  about: 'Send a test event now, and show what the receiver answered.',
  options: { id: idOption, ...accessOptions },
  run: (values, context) =>
    withWebhooks(values, context, async (webhooks) => {
      const data = await webhooks.test(values.id)
      return { text: outcomeOf(data), json: data }
    }),
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

const pause = stateCommand('paused', 'Pause a webhook. It keeps its position.')
const resume = stateCommand('active', 'Let a paused or disabled webhook continue at its position.')

export const webhook: Group = { verbs: { list, create, test, replay, pause, resume, rotate, delete: remove } }
