import { refuseIfAny } from '@kith/contract/refusal'
import type { Answer } from '../../calls/answer.ts'
import { jsonIn, optionalJsonIn, type V1Handler, type V1Request } from '../../calls/call.ts'
import { keyedRequest } from '../../calls/idempotency.ts'
import type { UrlRules } from '../../outbound/allowed-url.ts'
import { onceInSteps } from '../../records/once.ts'
import type { Scope } from '../../scope/scope.ts'
import { sendTest, storeTest } from '../../webhooks/attempt.ts'
import { type DeliveryObject, listDeliveries, readDelivery, replayEvents } from '../../webhooks/list-deliveries.ts'
import { createWebhook, removeWebhook, rotateSecret, updateWebhook } from '../../webhooks/update-webhook.ts'
import { listWebhooks, readWebhook } from '../../webhooks/webhook.ts'
import { answerDocument, answerPage, askedInQuery, byPage, nothingIn, refuseParameters } from './requests.ts'

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
    return onceInSteps(scope, keyedRequest(scope, request), async (runStep) => {
      refuseIfAny(nothingIn(request))
      const sent = await sendTest(scope, request.id, rulesOf(request))
      const work = (inside: Scope) => storeTest(inside, request.id, sent)
      return answerTest(await runStep({ number: 0, work, end: answerTest }))
    })
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

function answerTest(delivery: DeliveryObject): Answer {
  return answerDocument(200, { data: delivery })
}

function rulesOf({ url_rules }: V1Request): UrlRules {
  if (!url_rules) throw new Error('The request has no rules for URLs.')
  return url_rules
}

/** Marks an answer, so that this process notices the change at once. */
function changing(change: V1Handler): V1Handler {
  return async (scope, request) => {
    refuseParameters(request)
    return { ...(await change(scope, request)), effects: [{ kind: 'webhook_changed' }] }
  }
}
