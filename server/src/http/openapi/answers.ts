import { BATCH_BODY_MAX_BYTES, BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import { resources } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { errorExamples } from './error-examples.ts'
import { oneOf } from './names.ts'
import { sampleOf } from './sample-records.ts'
import { mapped, ref, refTo, type Schema } from './schema.ts'

export const JSON_API = 'application/vnd.api+json'
export const JSON_ONLY = 'application/json'

/** Every header that answers carry. */
export function headerParts(): Record<string, Schema> {
  const whole = { type: 'integer', minimum: 0 }
  return {
    'X-Request-Id': {
      description: 'Identifies the request in the logs. One that was sent is kept.',
      required: true,
      schema: { type: 'string' },
    },
    'X-RateLimit-Limit': { description: 'How many requests a minute the narrowest limit allows.', schema: whole },
    'X-RateLimit-Remaining': { description: 'How many of them are left.', schema: whole },
    'X-Changes-Cursor': {
      description:
        'Of an export, or of a list that is paged by `cursor`: the position in the changes feed before its first page, the same on all pages. Reading on from there with `GET /v1/changes?cursor=…` misses nothing.',
      schema: { type: 'string' },
    },
    'X-RateLimit-Reset': {
      description: 'In how many seconds all of them are available again.',
      schema: { type: 'integer', minimum: 1 },
    },
    'X-Schema-Version': {
      description: 'The version of the custom fields. It grows by one with each change of their definitions.',
      required: true,
      schema: whole,
    },
    'X-Records-Changed': {
      description: 'How many live records had the option, and were cleared.',
      required: true,
      schema: whole,
    },
    [SCHEMA_VERSION_IF_KNOWN]: {
      description: 'As elsewhere. Missing where the request failed before its token was known.',
      schema: whole,
    },
    'Retry-After': {
      description: 'How many seconds to wait.',
      required: true,
      schema: { type: 'integer', minimum: 1 },
    },
    ETag: {
      description:
        'The version of what was read or written. Send the one of a record back in `If-Match` to write only if it has not changed since, and any of them in `If-None-Match` to read only what has changed.',
      schema: { type: 'string' },
    },
    Location: { description: 'The address of what was created.', required: true, schema: { type: 'string' } },
    'Idempotent-Replayed': {
      description: '`true` if an earlier request with this `Idempotency-Key` did it, and this is its response.',
      schema: { type: 'string', const: 'true' },
    },
    [RETRY_AFTER_UNLESS_UNKNOWN]: {
      description: 'How many seconds to wait. Missing where the write may have taken place.',
      schema: { type: 'integer', minimum: 1 },
    },
    [RETRY_AFTER_UNLESS_SLOW]: {
      description:
        'How many seconds to wait. Missing where it does not help to repeat the request, such as a query that takes too long.',
      schema: { type: 'integer', minimum: 1 },
    },
  }
}

const RETRY_AFTER_UNLESS_SLOW = 'Retry-After-Unless-Slow'
const RETRY_AFTER_UNLESS_UNKNOWN = 'Retry-After-Unless-Unknown'
const SCHEMA_VERSION_IF_KNOWN = 'X-Schema-Version-If-Known'

/** The answers that do not depend on the resource, and each resource's "not found". */
export function answerParts(): Record<string, Schema> {
  return {
    Unauthenticated: refusal('The token is missing, wrong, expired or revoked.', 'Unauthenticated', { named: [] }),
    Paused: refusal('Hosted service only: the workspace is paused until it has an active subscription.', 'Paused', {
      schema: 'PausedError',
    }),
    Forbidden: refusal(
      "The token lacks an ability, its user's role does not allow this, or the user is no longer in the workspace.",
      'Forbidden',
    ),
    KeyBusy: refusal(KEY_BUSY, 'KeyBusy', { named: [...KNOWN, 'Retry-After'] }),
    AmbiguousOrKeyBusy: {
      ...refusal(`More than one record holds the value (with \`matches\`). Or: ${KEY_BUSY}`, 'Ambiguous', {
        schema: 'ConflictError',
      }),
      headers: { ...headers(KNOWN), 'Retry-After': refTo('headers', RETRY_AFTER_UNLESS_SLOW) },
    },
    NotModified: {
      description: 'Nothing has changed since the version that `If-None-Match` names.',
      headers: headers([...KNOWN, 'ETag']),
    },
    PreconditionFailed: refusal(
      'The record is not in the state that `If-Match` or `If-None-Match` demands. Nothing was written.',
      'PreconditionFailed',
      { schema: 'PreconditionError', named: [...KNOWN, 'ETag'] },
    ),
    Gone: refusal('Changes after the cursor are no longer there. Begin again at `resync`.', 'Gone', {
      schema: 'GoneError',
    }),
    TooLarge: refusal(`The body is larger than ${BODY_MAX_BYTES / 1024 / 1024} MiB.`, 'TooLarge'),
    BatchTooLarge: refusal(`The body is larger than ${BATCH_BODY_MAX_BYTES / 1024 / 1024} MiB.`, 'TooLarge'),
    QueryTooLarge: refusal(`The body is larger than ${QUERY_BODY_MAX_BYTES / 1024} KB.`, 'TooLarge'),
    Invalid: refusal('The request is invalid. The response lists all problems, and nothing was written.', 'Invalid', {
      schema: 'ValidationError',
    }),
    RateLimited: refusal('Too many requests.', 'RateLimited', { named: [...KNOWN, 'Retry-After'] }),
    ServerError: failure(refusal('Something failed inside.', 'ServerError', { schema: 'ServerError' })),
    Unavailable: failure(
      refusal('The database is away or overloaded.', 'Unavailable', { named: [...KNOWN, 'Retry-After'] }),
    ),
    UnavailableOrSlow: failure(
      refusal('The query took too long, or the database is away or overloaded.', 'TooSlow', { schema: 'SlowError' }),
      { 'Retry-After': refTo('headers', RETRY_AFTER_UNLESS_SLOW) },
    ),
    UnavailableOrUnknown: failure(
      refusal(
        'The database is away or overloaded. Without `Retry-After`, whether the write took place is not known: ' +
          'the same request with the same `Idempotency-Key` settles it.',
        'Unavailable',
      ),
      { 'Retry-After': refTo('headers', RETRY_AFTER_UNLESS_UNKNOWN) },
    ),
    FieldNotFound: refusal('The resource has no such field, or the field no such option.', 'FieldNotFound'),
    FieldChanged: refusal('The field was changed since `If-Match`. Nothing was written.', 'PreconditionFailed', {
      schema: 'PreconditionError',
      named: [...KNOWN, 'ETag'],
    }),
    JobNotFound: refusal('No job that the caller may see has that ID.', 'JobNotFound'),
    WebhookNotFound: refusal('No webhook that the caller may see has that ID.', 'WebhookNotFound'),
    DeliveryNotFound: refusal('No such webhook or delivery.', 'DeliveryNotFound'),
    FileTooLarge: refusal('The file is larger than the installation allows.', 'FileTooLarge'),
    MergeNotFound: refusal('No merge has that ID in the workspace.', 'MergeNotFound'),
    ...Object.fromEntries(resources.map((resource) => [`${oneOf(resource.type)}NotFound`, notFound(resource)])),
  }
}

const KEY_BUSY =
  'A request with this `Idempotency-Key` was still being carried out after ten seconds. Nothing was done.'

/** Of every response to a token that is known. The limits are missing where they are off. */
const KNOWN = ['X-Schema-Version', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

function headers(names: readonly string[]): Schema {
  return mapped(['X-Request-Id', ...names], (name) => refTo('headers', name))
}

function refusal(
  description: string,
  example: keyof typeof errorExamples,
  { schema = 'Error', named = KNOWN } = {},
): Schema {
  const content = { [JSON_ONLY]: { schema: ref(schema), example: errorExamples[example] } }
  return { description, headers: headers(named), content }
}

/** A failure can come before the token is known. */
function failure({ headers, ...rest }: Schema, more: Schema = {}): Schema {
  const known = { 'X-Schema-Version': refTo('headers', SCHEMA_VERSION_IF_KNOWN) }
  return { ...rest, headers: { ...Object(headers), ...known, ...more } }
}

function notFound(resource: Resource): Schema {
  const message = `No ${resource.one} with the ID ${sampleOf(resource).id} exists in this workspace.`
  const merged_into = { id: sampleOf(resource).id, type: resource.type }
  const content = { [JSON_ONLY]: { schema: ref('NotFoundError'), example: { message, merged_into } } }
  return { description: `No ${resource.one} has that ID in the workspace.`, headers: headers(KNOWN), content }
}

export function noContent(description: string): Schema {
  return { description, headers: headers([...KNOWN, REPLAYED]) }
}

const REPLAYED = 'Idempotent-Replayed'

/** An answer that succeeds and has a tag. */
export function tagged(description: string, schema: Schema, shown: Schema): Schema {
  return { ...success(description, schema, shown), headers: headers([...KNOWN, 'ETag']) }
}

/** The same for the answer to a write. */
export function written(description: string, schema: Schema, shown: Schema): Schema {
  return { ...success(description, schema, shown), headers: headers([...KNOWN, 'ETag', REPLAYED]) }
}

/** A list that has a tag. Paged by cursor, it also has the place in the changes feed before its first page. */
export function listOf(description: string, schema: Schema, shown: Schema): Schema {
  return { ...success(description, schema, shown), headers: headers([...KNOWN, 'ETag', 'X-Changes-Cursor']) }
}

/** A response of server-sent events. */
export function eventStream(description: string): Schema {
  const example = 'retry: 3000\n\nid: WyIiLDQyXQ\nevent: change\ndata: {"id":"…","type":"changes","attributes":{}}\n\n'
  return {
    description,
    headers: headers(KNOWN),
    content: { 'text/event-stream': { schema: { type: 'string' }, example } },
  }
}

/** The records of an export. */
export function fileStream(description: string): Schema {
  const lines = [
    '{"id":"01kb8w4d5e6f7g8h9j0k1m2n3p","type":"companies","attributes":{"name":"Acme","external_ids":{}}}',
    '{"type":"end","meta":{"count":1,"changes_cursor":"WyIiLDQyXQ"}}',
  ]
  const rows = ['id,name', '01kb8w4d5e6f7g8h9j0k1m2n3p,Acme']
  const file = (example: string) => ({ schema: { type: 'string' }, example })
  return {
    description,
    headers: headers([...KNOWN, 'X-Changes-Cursor']),
    content: {
      'application/x-ndjson': file(`${lines.join('\n')}\n`),
      'text/csv; charset=utf-8': file(`${rows.join('\r\n')}\r\n`),
    },
  }
}

/** An answer that succeeds. `shown` is `{ example }`, or examples by name. */
export function success(description: string, schema: Schema, shown: Schema): Schema {
  return { description, headers: headers(KNOWN), content: { [JSON_API]: { schema, ...shown } } }
}
