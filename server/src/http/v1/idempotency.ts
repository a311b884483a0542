import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_MAX } from '@kith/contract/limits'
import { isDeep, parseJson } from '@kith/contract/raw-input'
import { refuse } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { Answer } from '../../calls/answer.ts'
import type { SentBody, V1Request } from '../../calls/call.ts'
import { hashOf, type KeyedRequest, once, refuseKey } from '../../records/once.ts'
import { upsertTurn } from '../../records/upsert.ts'
import type { Scope } from '../../scope/scope.ts'
import { seal, unseal } from '../../scope/sealed.ts'
import { jsonIn } from '../wire/body.ts'
import type { V1Handler } from './requests.ts'

/** Answers a write. One with an Idempotency-Key takes effect once, and its repetitions get the first response. */
export function answerOnce(scope: Scope, request: V1Request, handler: V1Handler): Promise<Answer> {
  // What is wrong with the body of a batch comes before its key.
  return request.handler === 'batch' ? handler(scope, request) : answerWithKey(scope, request, handler)
}

/** The same for a request that writes in one transaction, once all is checked that comes before its key. */
export async function answerWithKey(scope: Scope, request: V1Request, handler: V1Handler): Promise<Answer> {
  const found = keyOf(scope, request)
  if (!found) return handler(scope, request)
  return once<Answer>(scope, {
    ...found,
    ...transactionOf(scope, request),
    async work(inside) {
      requirePaid(request)
      const answer = await handler(inside, request)
      return { value: answer, response: answer.status < 300 ? sealed(scope, request, responseOf(answer)) : undefined }
    },
    replay: (_inside, stored) => found.replay(stored),
  })
}

type FoundKey = {
  keyed: KeyedRequest
  /** The response as it was sent. */
  replay(stored: StoredResponse): Answer
  refuseOther(stored: { request: string }): never
}

type StoredResponse = { status: number; headers: string; body: string | null }

/** The key of a request, and what to do if it was used before. Undefined without a key. */
export function keyOf(scope: Scope, request: V1Request): FoundKey | undefined {
  const key = keyIn(request)
  if (key === undefined) return undefined
  const parts = partsOf(request)
  return {
    keyed: { owner: ownerOf(scope), key, request: JSON.stringify(parts), body_hash: hashOfBody(request.body) },
    replay: ({ status, headers, body }) => {
      return { status, body: unsealed(scope, request, body), headers: { ...JSON.parse(headers), [REPLAYED]: 'true' } }
    },
    refuseOther: ({ request: before }) => refuseOther(parts, JSON.parse(before)),
  }
}

/** The handlers whose responses show a secret. Those are stored encrypted. */
const SECRET: ReadonlySet<string> = new Set(['create-webhook', 'rotate-webhook'])

function sealed(scope: Scope, { handler }: V1Request, response: StoredResponse): StoredResponse {
  if (!SECRET.has(handler) || response.body === null) return response
  return { ...response, body: seal(sealingOf(scope), response.body) }
}

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
export function requirePaid({ due }: V1Request): void {
  if (due !== undefined && due !== 'unknown') refuse({ kind: 'rate_limited', ...due })
}

/** Writes with a key share transactions and take turns as those without one. */
function transactionOf(scope: Scope, { handler, resource, body }: V1Request): { group?: string; turn?: string } {
  if (resource === null || !GROUPED.has(handler)) return {}
  const turn = handler === 'upsert' ? { turn: upsertTurn(scope, registry[resource], { body: jsonIn(body) }) } : {}
  return { group: resource, ...turn }
}

/** The handlers whose operations write a single record and share a transaction with others. */
const GROUPED: ReadonlySet<string> = new Set(['create', 'update', 'upsert'])

const PRINTABLE = /^[ -~]+$/

/** The key itself. Refuses one that is malformed. */
export function keyIn({ headers: { idempotency_key: raw } }: V1Request): string | undefined {
  if (raw === null) return undefined
  if (typeof raw !== 'string') refuseKey('The Idempotency-Key header must be sent once.')
  const key = raw.length > 1 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw
  if (PRINTABLE.test(key) && key.length <= IDEMPOTENCY_KEY_MAX) return key
  return refuseKey(`The Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_MAX} printable ASCII characters.`)
}

/** A key belongs to the token or connection; in the application, to the user. */
function ownerOf({ actor }: Scope): string {
  return actor.token_id === null ? `user ${actor.user_id}` : `token ${actor.token_id}`
}

type RequestParts = { method: string; path: string; query: string; 'If-Match': string; 'If-None-Match': string }

/** What must be the same in a repeated request, besides its body. */
function partsOf({ method, path, query, headers }: V1Request): RequestParts {
  return {
    method,
    path: path.slice(path.indexOf('/', path.indexOf('//') + 2)),
    query: query.split('&').sort().join('&'),
    'If-Match': headers.if_match ?? '',
    'If-None-Match': headers.if_none_match ?? '',
  }
}

/** The order of the keys of JSON does not matter. Other bodies are compared as they are. */
function hashOfBody({ text, readable }: SentBody): string {
  const json = text === null ? undefined : parseJson(text)
  return hashOf(json === undefined || isDeep(json) ? { readable, text } : [json])
}

export function responseOf({ status, headers = {}, body }: Answer) {
  const { ETag, Location, 'X-Records-Changed': changed } = headers
  return { status, headers: JSON.stringify({ ETag, Location, 'X-Records-Changed': changed }), body }
}

function refuseOther(parts: RequestParts, before: RequestParts): never {
  // The keys of an object of known keys are those keys.
  const names = (Object.keys(parts) as (keyof RequestParts)[]).filter((name) => parts[name] !== before[name])
  const differs = names.length === 0 ? 'the body' : `the ${names.join(', ')}`
  refuseKey(
    `The Idempotency-Key was used for another request in the last ${IDEMPOTENCY_HOURS} hours: ${before.method} ` +
      `${before.path.slice(0, 200)}. This one differs in ${differs}. Nothing was done: use a new key for a new request.`,
  )
}
