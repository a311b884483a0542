import { isDeep, parseJson } from '@kith/contract/raw-input'
import { refuse } from '@kith/contract/refusal'
import { hashOf, type KeyedRequest, once, refuseKey } from '../records/once.ts'
import { upsertTurn } from '../records/write.ts'
import { settleFields } from '../schema/settle.ts'
import type { Scope } from '../scope/scope.ts'
import { seal, unseal } from '../scope/sealed.ts'
import { type Answer, hasEffect } from './answer.ts'
import { jsonIn, type RateRefusal, type SentBody, type V1Handler, type V1Request } from './call.ts'

/** Answers a write. With an Idempotency-Key it takes effect once, and repeated requests get the first response. */
export async function answerOnce(scope: Scope, request: V1Request, handler: V1Handler): Promise<Answer> {
  if (OWN_KEYS.has(request.handler)) return handler(scope, request)
  const answer = await once(scope, keyedRequest(scope, request), (inside) => handler(inside, request))
  // The response is stored with the new definition. The records are updated afterwards, even after a crash.
  if (hasEffect(answer, 'fields_changed') || isReplay(answer)) await settleFields(scope)
  return answer
}

/** The handlers that use the key themselves: their work is more than one transaction, or comes after other checks. */
const OWN_KEYS: ReadonlySet<string> = new Set(['batch', 'test-webhook', 'undo-change', 'undo-changes'])

/** A request of the REST API, and how its response is stored and replayed. */
export function keyedRequest(scope: Scope, request: V1Request): KeyedRequest<Answer> {
  const key = keyIn(request)
  return {
    key,
    parts: partsOf(request),
    body_hash: () => hashOfBody(request.body),
    requirePaid: () => requirePaid(request),
    store: (answer) => (answer.status < 300 ? storedResponse(scope, request, answer) : undefined),
    replay: ({ status, headers, body }) => {
      return { status, body: unsealed(scope, request, body), headers: { ...JSON.parse(headers), [REPLAYED]: 'true' } }
    },
    ...(key === undefined ? {} : transactionOf(scope, request)),
  }
}

function storedResponse(scope: Scope, { handler }: V1Request, { status, headers = {}, body }: Answer) {
  const { ETag, Location, 'X-Records-Changed': changed, 'X-Change-Id': change } = headers
  const isSecret = SECRET.has(handler) && body !== null
  return {
    status,
    headers: JSON.stringify({ ETag, Location, 'X-Records-Changed': changed, 'X-Change-Id': change }),
    body: isSecret ? seal(sealingOf(scope), body) : body,
  }
}

/** The handlers whose responses contain a secret. These responses are stored encrypted. */
const SECRET: ReadonlySet<string> = new Set(['create-webhook', 'rotate-webhook'])

function unsealed(scope: Scope, { handler }: V1Request, body: string | null): string | null {
  if (!SECRET.has(handler) || body === null) return body
  return unseal(sealingOf(scope), body) ?? refuseKey('The response was stored under another SECRET. Use a new key.')
}

function sealingOf({ secret, workspace }: Scope) {
  return { secret, use: `response ${workspace.id}` }
}

const REPLAYED = 'Idempotent-Replayed'

export function isReplay({ headers }: Answer): boolean {
  return headers?.[REPLAYED] !== undefined
}

/** Refuses a request that is not a repetition, if there are not enough items left for it. */
export function requirePaid({ unpaid }: { unpaid?: RateRefusal | undefined }): void {
  if (unpaid) refuse({ kind: 'rate_limited', ...unpaid })
}

/** Writes with a key share transactions and take turns like writes without a key. */
function transactionOf(scope: Scope, { handler, resource, body }: V1Request): { group?: string; turn?: string } {
  if (resource === null || !GROUPED.has(handler)) return {}
  const turn = handler === 'upsert' ? { turn: upsertTurn(scope, resource, { body: jsonIn(body) }) } : {}
  return { group: resource, ...turn }
}

/** The handlers whose operations write a single record and share a transaction with others. */
const GROUPED: ReadonlySet<string> = new Set(['create', 'update', 'upsert'])

/** The key without its quotes. */
export function keyIn({ headers: { idempotency_key: raw } }: V1Request): string | undefined {
  if (raw === null) return undefined
  if (typeof raw !== 'string') refuseKey('The Idempotency-Key header must be sent once.')
  return raw.length > 1 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw
}

/** The parts that must be equal in a repeated request, in addition to the body. */
function partsOf({ method, path, query, headers }: V1Request) {
  return {
    method,
    path: path.slice(path.indexOf('/', path.indexOf('//') + 2)),
    query: query.split('&').sort().join('&'),
    'If-Match': headers.if_match ?? '',
    'If-None-Match': headers.if_none_match ?? '',
  }
}

/** The order of keys in JSON does not matter. Other bodies are compared as bytes. */
function hashOfBody({ text, readable }: SentBody): string {
  const json = text === null ? undefined : parseJson(text)
  return hashOf(json === undefined || isDeep(json) ? { readable, text } : [json])
}
