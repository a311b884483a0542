import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_MAX } from '@kith/contract/limits'
import { isDeep, parseJson } from '@kith/contract/raw-input'
import { registry } from '@kith/contract/registry'
import type { Answer } from '../../calls/answer.ts'
import type { Call, SentBody, V1Request } from '../../calls/call.ts'
import { hashOf, once, refuseKey } from '../../records/once.ts'
import { upsertTurn } from '../../records/upsert.ts'
import type { Scope } from '../../scope/scope.ts'
import { jsonIn } from '../wire/body.ts'

type Handler = (scope: Scope, request: V1Request) => Promise<Answer>
type V1Call = { lane: Call['lane']; request: V1Request }

/** Answers a request. A write with an Idempotency-Key takes effect once, and its repetitions get the first response. */
export async function answerOnce(scope: Scope, { lane, request }: V1Call, handler: Handler): Promise<Answer> {
  const raw = request.headers.idempotency_key
  if (raw === null || lane !== 'write') return handler(scope, request)
  const key = parseKey(raw)
  const parts = partsOf(request)
  return once<Answer>(scope, {
    keyed: { owner: ownerOf(scope), key, request: JSON.stringify(parts), body_hash: hashOfBody(request.body) },
    ...transactionOf(scope, request),
    async work(inside) {
      const answer = await handler(inside, request)
      return { value: answer, response: answer.status < 300 ? responseOf(answer) : undefined }
    },
    replay: (_inside, { status, headers, body }) => {
      return { status, body, headers: { ...JSON.parse(headers), 'Idempotent-Replayed': 'true' } }
    },
    refuseOther: ({ request: before }) => refuseOther(parts, JSON.parse(before)),
  })
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

function parseKey(raw: string | readonly string[]): string {
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

function responseOf({ status, headers = {}, body }: Answer) {
  const { ETag, Location } = headers
  return { status, headers: JSON.stringify({ ETag, Location }), body }
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
