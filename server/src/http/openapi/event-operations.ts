import { DELIVERY_SECONDS } from '@kith/contract/limits'
import type { Schema as Resources } from '@kith/contract/resource'
import { named, type Schema } from '@kith/contract/shape'
import { changeEventTypesOf } from '@kith/contract/webhooks/event'
import { capital, constant, is, refTo } from './schema.ts'

/** The kinds of changes, in words. */
const KINDS: Readonly<Record<string, string>> = {
  created: 'was created',
  updated: 'was updated',
  deleted: 'was deleted',
  restored: 'was restored',
  merged: 'was merged into another',
  left: "no longer matches the webhook's filter",
}

/** The requests that Kith sends to the URL of a webhook, by the type of the event. */
export function webhookEvents(resources: Resources): Record<string, { post: Schema }> {
  return {
    ...Object.fromEntries(changeEventTypesOf(resources).map((type) => [type, changeEvent(type)])),
    'feed.reset': received('feed.reset', {
      summary: 'Changes are missing',
      description:
        'Some changes were deleted before they could be sent, or the database was restored. Read everything again at `data.resync`. The webhook continues at `data.cursor`. All webhooks receive this event, also if their `types` do not name it.',
      body: 'FeedResetEvent',
    }),
    'webhook.test': received('webhook.test', {
      summary: 'A test',
      description: 'Sent by `POST /v1/webhooks/{id}/test`. It is not retried.',
      body: 'WebhookTestEvent',
    }),
  }
}

function changeEvent(type: string): { post: Schema } {
  const [resource = '', kind = ''] = type.split('.')
  return received(type, {
    summary: `A record of ${resource} ${KINDS[kind]}`,
    description:
      'Sent at least once, and in order for each record. Drop what you have already (`webhook-id`), and what is older than what you have (`data.sequence`).',
    body: 'ChangeEvent',
  })
}

function received(type: string, { body, ...said }: { summary: string; description: string; body: string }) {
  const post = {
    operationId: `receive${type.split(/[._]/).map(capital).join('')}`,
    ...said,
    tags: ['Webhooks'],
    // The signature replaces a token.
    security: [],
    parameters: Object.keys(eventParameters).map((name) => refTo('parameters', name)),
    requestBody: refTo('requestBodies', body),
    responses: {
      '2XX': {
        description: `It is received. Everything else, and no response within ${DELIVERY_SECONDS} seconds, is a failure.`,
      },
      410: { description: 'It is no longer wanted: the webhook is disabled at once.' },
    },
  }
  return { post }
}

const digits: Schema = { type: 'string', pattern: '^\\d+$' }

/** The headers of the requests. */
export const eventParameters: Record<string, Schema> = {
  EventId: header('webhook-id', 'The ID of the event, the same in each attempt.', named('Id')),
  EventTimestamp: header('webhook-timestamp', 'The time of the attempt, in seconds since 1970.', digits),
  EventSignature: header(
    'webhook-signature',
    'As Standard Webhooks 1.0.0 says: `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. During a rotation there are two, separated by a space, the new one first.',
    is.text,
  ),
  EventEndpoint: header('kith-endpoint', 'The ID of the webhook.', is.text),
  EventAttempt: header('kith-attempt', '1 for the first attempt.', digits),
  EventReplay: { ...header('kith-replay', 'Only on replays.', constant('true')), required: false },
}

function header(name: string, description: string, schema: Schema): Schema {
  return { name, in: 'header', required: true, description, schema }
}
