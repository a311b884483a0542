import { refuseIfAny } from '@kith/contract/refusal'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import type { Scope } from '../../scope/scope.ts'
import { createWebhook } from '../../webhooks/create-webhook.ts'
import { listDeliveries, readDelivery } from '../../webhooks/list-deliveries.ts'
import { listWebhooks, readWebhook } from '../../webhooks/list-webhooks.ts'
import { replayEvents } from '../../webhooks/replay.ts'
import { rotateSecret } from '../../webhooks/rotate-secret.ts'
import type { UrlRules } from '../../webhooks/send/allowed-url.ts'
import { expectTest, storeTest } from '../../webhooks/test-webhook.ts'
import { removeWebhook, updateWebhook } from '../../webhooks/update-webhook.ts'
import { jsonIn, optionalJsonIn } from '../wire/body.ts'
import { answerDocument, answerPage } from './json-api.ts'
import { askedInQuery, nothingIn } from './requests.ts'

/** Endpoints that receive changes, and the log of their deliveries. */
export const webhookHandlers = {
  webhooks: async (scope: Scope, request: V1Request): Promise<Answer> => {
    const asked = askedInQuery(request)
    return answerPage(await listWebhooks(scope, asked), { path: request.path, parameters: asked.raw })
  },
  'create-webhook': async (scope, request) => {
    refuseParameters(request)
    const data = await createWebhook(scope, { body: jsonIn(request.body), rules: rulesOf(request) })
    const base = request.path.slice(0, request.path.lastIndexOf('/webhooks'))
    const answer = answerDocument(201, { data })
    return changed({ ...answer, headers: { Location: `${base}/webhooks/${data.id}` } })
  },
  webhook: async (scope, request) => {
    refuseParameters(request)
    return answerDocument(200, { data: await readWebhook(scope, request.id ?? '') })
  },
  'update-webhook': async (scope, request) => {
    refuseParameters(request)
    const sent = { id: request.id ?? '', body: optionalJsonIn(request.body), rules: rulesOf(request) }
    return changed(answerDocument(200, { data: await updateWebhook(scope, sent) }))
  },
  'delete-webhook': async (scope, request) => {
    refuseParameters(request)
    await removeWebhook(scope, request.id ?? '')
    return changed({ status: 204, body: null })
  },
  'rotate-webhook': async (scope, request) => {
    refuseParameters(request)
    const data = await rotateSecret(scope, request.id ?? '', optionalJsonIn(request.body))
    return changed(answerDocument(200, { data }))
  },
  'test-webhook': async (scope, request) => {
    refuseIfAny(nothingIn(request))
    const id = request.id ?? ''
    // The event is sent between two calls of this handler, so that no transaction waits for a receiver.
    if (!request.test) return { status: 425, body: null, aside: { test: await expectTest(scope, id) } }
    return answerDocument(200, { data: await storeTest(scope, id, request.test) })
  },
  'replay-webhook': async (scope, request) => {
    refuseParameters(request)
    const count = await replayEvents(scope, request.id ?? '', jsonIn(request.body))
    return changed(answerDocument(202, { meta: { count } }))
  },
  deliveries: async (scope, request) => {
    const asked = askedInQuery(request)
    const listed = await listDeliveries(scope, { id: request.id ?? '', asked })
    return answerPage(listed, { path: request.path, parameters: asked.raw })
  },
  delivery: async (scope, request) => {
    refuseParameters(request)
    const { delivery_id = '' } = request.params
    return answerDocument(200, { data: await readDelivery(scope, { id: request.id ?? '', delivery_id }) })
  },
} satisfies Record<string, (scope: Scope, request: V1Request) => Promise<Answer>>

function refuseParameters(request: V1Request): void {
  refuseIfAny([...askedInQuery(request, true).issues])
}

function rulesOf({ url_rules }: V1Request): UrlRules {
  if (!url_rules) throw new Error('The request has no rules for URLs.')
  return url_rules
}

/** Lets this process notice at once. */
function changed(answer: Answer): Answer {
  return { ...answer, aside: { webhooks: true } }
}
