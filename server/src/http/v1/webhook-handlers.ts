import { refuseIfAny } from '@kith/contract/refusal'
import type { V1Request } from '../../calls/call.ts'
import { createWebhook } from '../../webhooks/create-webhook.ts'
import { listDeliveries, readDelivery } from '../../webhooks/list-deliveries.ts'
import { listWebhooks, readWebhook } from '../../webhooks/list-webhooks.ts'
import { replayEvents } from '../../webhooks/replay.ts'
import type { UrlRules } from '../../webhooks/send/allowed-url.ts'
import { expectTest, storeTest } from '../../webhooks/test-webhook.ts'
import { removeWebhook, rotateSecret, updateWebhook } from '../../webhooks/update-webhook.ts'
import { jsonIn, optionalJsonIn } from '../wire/body.ts'
import { answerDocument, answerPage } from './json-api.ts'
import { askedInQuery, byPage, nothingIn, refuseParameters, type V1Handler } from './requests.ts'

/** Endpoints that receive changes, and the log of their deliveries. */
export const webhookHandlers = {
  webhooks: byPage(listWebhooks),
  'create-webhook': changing(async (scope, request) => {
    const data = await createWebhook(scope, { body: jsonIn(request.body), rules: rulesOf(request) })
    const base = request.path.slice(0, request.path.lastIndexOf('/webhooks'))
    return { ...answerDocument(201, { data }), headers: { Location: `${base}/webhooks/${data.id}` } }
  }),
  webhook: async (scope, request) => {
    refuseParameters(request)
    return answerDocument(200, { data: await readWebhook(scope, request.id) })
  },
  'update-webhook': changing(async (scope, request) => {
    const sent = { id: request.id, body: optionalJsonIn(request.body), rules: rulesOf(request) }
    return answerDocument(200, { data: await updateWebhook(scope, sent) })
  }),
  'delete-webhook': changing(async (scope, request) => {
    await removeWebhook(scope, request.id)
    return { status: 204, body: null }
  }),
  'rotate-webhook': changing(async (scope, request) => {
    return answerDocument(200, { data: await rotateSecret(scope, request.id, optionalJsonIn(request.body)) })
  }),
  'test-webhook': async (scope, request) => {
    refuseIfAny(nothingIn(request))
    const id = request.id
    // The event is sent between two calls of this handler, so that no transaction waits for a receiver.
    if (!request.test) return { status: 425, body: null, aside: { test: await expectTest(scope, id) } }
    return answerDocument(200, { data: await storeTest(scope, id, request.test) })
  },
  'replay-webhook': changing(async (scope, request) => {
    return answerDocument(202, { meta: { count: await replayEvents(scope, request.id, jsonIn(request.body)) } })
  }),
  deliveries: async (scope, request) => {
    const asked = askedInQuery(request)
    const listed = await listDeliveries(scope, { id: request.id, asked })
    return answerPage(listed, { path: request.path, parameters: asked.raw })
  },
  delivery: async (scope, request) => {
    refuseParameters(request)
    const { delivery_id = '' } = request.params
    return answerDocument(200, { data: await readDelivery(scope, { id: request.id, delivery_id }) })
  },
} satisfies Record<string, V1Handler>

function rulesOf({ url_rules }: V1Request): UrlRules {
  if (!url_rules) throw new Error('The request has no rules for URLs.')
  return url_rules
}

/** A change that this process notices at once. */
function changing(change: V1Handler): V1Handler {
  return async (scope, request) => {
    refuseParameters(request)
    return { ...(await change(scope, request)), aside: { webhooks: true } }
  }
}
