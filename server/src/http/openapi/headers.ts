import { constant, is, refTo, type Schema } from './schema.ts'

const LIMITS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** Of every response to a token that is known. The limits are missing where they are off. */
export const KNOWN = ['X-Schema-Version', ...LIMITS]

/** Of a failure, which can come before the token is known. */
export const FAILED = ['X-Schema-Version-If-Known', ...LIMITS]

/** Descriptions of a header where it means something else, or can be missing. */
const variants: Readonly<Record<string, string>> = {
  'X-Schema-Version-If-Known': 'X-Schema-Version',
  'Retry-After-Unless-Unknown': 'Retry-After',
  'Retry-After-Unless-Slow': 'Retry-After',
}

export function headersNamed(names: readonly string[]): Schema {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [variants[name] ?? name, refTo('headers', name)]))
}

const seconds: Schema = { type: 'integer', minimum: 1 }

/** Every header that answers carry. */
export const headerParts: Record<string, Schema> = {
  'X-Request-Id': always(is.text, 'Identifies the request in the logs. One that was sent is kept.'),
  'X-RateLimit-Limit': header(is.whole, 'How many requests a minute the narrowest limit allows.'),
  'X-RateLimit-Remaining': header(is.whole, 'How many of them are left.'),
  'X-Changes-Cursor': header(
    is.text,
    'Of an export, or of a list that is paged by `cursor`: the position in the changes feed before its first page, the same on all pages. Reading on from there with `GET /v1/changes?cursor=…` misses nothing.',
  ),
  'X-RateLimit-Reset': header(seconds, 'In how many seconds all of them are available again.'),
  'X-Schema-Version': always(
    is.whole,
    'The version of the custom fields. It grows by one with each change of their definitions.',
  ),
  'X-Records-Changed': always(is.whole, 'How many live records had the option, and were cleared.'),
  'X-Schema-Version-If-Known': header(
    is.whole,
    'As elsewhere. Missing where the request failed before its token was known.',
  ),
  'Retry-After': always(seconds, 'How many seconds to wait.'),
  ETag: header(
    is.text,
    'The version of what was read or written. Send the one of a record back in `If-Match` to write only if it has not changed since, and any of them in `If-None-Match` to read only what has changed.',
  ),
  Location: always(is.text, 'The address of what was created.'),
  'Idempotent-Replayed': header(
    constant('true'),
    '`true` if an earlier request with this `Idempotency-Key` did it, and this is its response.',
  ),
  'Retry-After-Unless-Unknown': header(
    seconds,
    'How many seconds to wait. Missing where the write may have taken place.',
  ),
  'Retry-After-Unless-Slow': header(
    seconds,
    'How many seconds to wait. Missing where it does not help to repeat the request, such as a query that takes too long.',
  ),
}

function header(schema: Schema, description: string): Schema {
  return { description, schema }
}

function always(schema: Schema, description: string): Schema {
  return { description, required: true, schema }
}
