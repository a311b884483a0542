import { DELIVERY_DAYS, FAILED_DELIVERY_DAYS, WEBHOOKS_MAX } from '@kith/contract/limits'
import { type Described, noContent, placed, success, written } from './answers.ts'

export const webhookOperations = {
  webhooks: {
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    says: "The webhooks of the token's user, latest first; owners and admins see all. Secrets are not shown.",
    parameters: ['PerPage', 'Page'],
    answers: { 200: success('A page of webhooks.', 'WebhookList') },
  },
  'create-webhook': {
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    says: `Changes are sent to \`url\`, signed as Standard Webhooks describes, at least once, and in order for each record. A workspace can have ${WEBHOOKS_MAX}.`,
    body: 'WebhookCreate',
    answers: { 201: placed('The new webhook, with its secret.', 'WebhookSecretDocument') },
  },
  webhook: {
    operationId: 'readWebhook',
    summary: 'Read a webhook',
    says: 'Its settings, its state, and how far it is behind.',
    answers: { 200: success('The webhook.', 'WebhookDocument') },
  },
  'update-webhook': {
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    says: 'What is absent from the body is kept. PUT and PATCH are the same partial update.',
    body: 'WebhookUpdate',
    answers: { 200: written('The webhook.', 'WebhookDocument') },
  },
  'delete-webhook': {
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    says: 'Deliveries stop.',
    answers: { 204: noContent('It is deleted.') },
  },
  'rotate-webhook': {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    says: 'A new secret, which is shown this once. For `keep_hours` deliveries carry the signatures of both secrets.',
    body: 'WebhookRotate',
    answers: { 200: written('The webhook, with its new secret.', 'WebhookSecretDocument') },
  },
  'test-webhook': {
    operationId: 'testWebhook',
    summary: 'Send a test event',
    says: 'Sends `webhook.test` now, once, and returns its delivery, whatever the receiver returned. It does not move the position.',
    answers: { 200: written('The delivery.', 'DeliveryDocument') },
  },
  'replay-webhook': {
    operationId: 'replayWebhook',
    summary: 'Replay events',
    says: 'Sends events again, next to the ordinary ones, with `kith-replay: true`. Replays of one record keep their order, and the position does not move.',
    body: 'WebhookReplay',
    answers: { 202: written('How many events are sent again.', 'ReplayDocument') },
  },
  deliveries: {
    operationId: 'listDeliveries',
    summary: 'List deliveries',
    says: `The log of a webhook, latest first. It is kept for ${DELIVERY_DAYS} days, and for ${FAILED_DELIVERY_DAYS} days what was given up.`,
    parameters: ['DeliveryState', 'DeliveryRecord', 'PerPage', 'Page'],
    answers: { 200: success('A page of deliveries.', 'DeliveryList') },
  },
  delivery: {
    operationId: 'readDelivery',
    summary: 'Read a delivery',
    says: 'One delivery with its attempts.',
    answers: { 200: success('The delivery.', 'DeliveryDocument') },
  },
} satisfies Record<string, Described>
