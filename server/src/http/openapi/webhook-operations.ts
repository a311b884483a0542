import { DELIVERY_DAYS, FAILED_DELIVERY_DAYS, WEBHOOKS_MAX } from '@kith/contract/limits'
import { noContent, success, written } from './answers.ts'
import type { Described } from './described.ts'
import { examplesNamed } from './examples.ts'
import { ref, refTo, type Schema } from './schema.ts'

const KEYED = { 409: 'KeyBusy', 413: 'TooLarge', 503: 'UnavailableOrUnknown' }
const MISSING = { 404: 'WebhookNotFound' }
const tag = { name: 'Webhooks', description: 'Endpoints that receive changes, and the log of their deliveries.' }
const shown = examplesNamed('WebhookDocument')
const document = ref('WebhookDocument')
const withSecret = ref('WebhookSecretDocument')
const secretShown = examplesNamed('WebhookSecretDocument')
const common = { tag, parameters: ['WebhookId', 'IdempotencyKey'] }
const SAME = 'What is absent from the body is kept. PUT and PATCH are the same partial update.'

function placed(): Schema {
  const answer = written('The new webhook, with its secret.', withSecret, secretShown)
  return { ...answer, headers: { ...Object(answer.headers), Location: refTo('headers', 'Location') } }
}

export const webhookOperations = {
  webhooks: {
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    says: "The webhooks of the token's user, latest first; owners and admins see all. Secrets are not shown.",
    tag,
    parameters: ['PerPage', 'Page'],
    answers: { 200: success('A page of webhooks.', ref('WebhookList'), examplesNamed('WebhookList')) },
  },
  'create-webhook': {
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    says: `Changes are sent to \`url\`, signed as Standard Webhooks describes, at least once, and in order for each record. A workspace can have ${WEBHOOKS_MAX}.`,
    tag,
    parameters: ['IdempotencyKey'],
    body: 'WebhookCreate',
    answers: { 201: placed() },
    refusals: KEYED,
  },
  webhook: {
    operationId: 'readWebhook',
    summary: 'Read a webhook',
    says: 'Its settings, its state, and how far it is behind.',
    tag,
    parameters: ['WebhookId'],
    answers: { 200: success('The webhook.', document, shown) },
    refusals: MISSING,
  },
  'update-webhook': {
    ...common,
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    says: SAME,
    body: 'WebhookUpdate',
    answers: { 200: written('The webhook.', document, shown) },
    refusals: { ...MISSING, ...KEYED },
  },
  'delete-webhook': {
    ...common,
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    says: 'Deliveries stop.',
    answers: { 204: noContent('It is deleted.') },
    refusals: { ...MISSING, ...KEYED },
  },
  'rotate-webhook': {
    ...common,
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    says: 'A new secret, which is shown this once. For `keep_hours` deliveries carry the signatures of both secrets.',
    body: 'WebhookRotate',
    answers: { 200: written('The webhook, with its new secret.', withSecret, secretShown) },
    refusals: { ...MISSING, ...KEYED },
  },
  'test-webhook': {
    ...common,
    operationId: 'testWebhook',
    summary: 'Send a test event',
    says: 'Sends `webhook.test` now, once, and returns its delivery, whatever the receiver returned. It does not move the position.',
    answers: { 200: written('The delivery.', ref('DeliveryDocument'), examplesNamed('DeliveryDocument')) },
    refusals: { ...MISSING, ...KEYED },
  },
  'replay-webhook': {
    ...common,
    operationId: 'replayWebhook',
    summary: 'Replay events',
    says: 'Sends events again, next to the ordinary ones, with `kith-replay: true`. Replays of one record keep their order, and the position does not move.',
    body: 'WebhookReplay',
    answers: {
      202: written('How many events are sent again.', ref('ReplayDocument'), examplesNamed('ReplayDocument')),
    },
    refusals: { ...MISSING, ...KEYED },
  },
  deliveries: {
    operationId: 'listDeliveries',
    summary: 'List deliveries',
    says: `The log of a webhook, latest first. It is kept for ${DELIVERY_DAYS} days, and for ${FAILED_DELIVERY_DAYS} days what was given up.`,
    tag,
    parameters: ['WebhookId', 'DeliveryState', 'DeliveryRecord', 'PerPage', 'Page'],
    answers: { 200: success('A page of deliveries.', ref('DeliveryList'), examplesNamed('DeliveryList')) },
    refusals: MISSING,
  },
  delivery: {
    operationId: 'readDelivery',
    summary: 'Read a delivery',
    says: 'One delivery with its attempts.',
    tag,
    parameters: ['WebhookId', 'DeliveryId'],
    answers: { 200: success('The delivery.', ref('DeliveryDocument'), examplesNamed('DeliveryDocument')) },
    refusals: { 404: 'DeliveryNotFound' },
  },
} satisfies Record<string, Described>
