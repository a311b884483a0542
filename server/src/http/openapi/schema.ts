import type { ValueKind } from '@kith/contract/field-type'
import { type FieldTypeName, fieldTypeNames } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { generalSchema } from '@kith/contract/registry'
import {
  isOwn,
  type RelatedType,
  type Resource,
  type ResourceName,
  type Schema as Resources,
  resourceIn,
} from '@kith/contract/resource'
import { named, type Schema } from '@kith/contract/shape'
import { startingFieldsOf } from '../../fields/definitions.ts'

/** For reads that can take too long. */
export const SLOW = { 503: 'UnavailableOrSlow' }

export const JSON_API = 'application/vnd.api+json'

export const JSON_ONLY = 'application/json'

/** A successful answer, by the name of its schema. Its example has the same name unless others are named. */
export const success = documentWith([])

/** A successful answer with an ETag. */
export const tagged = documentWith(['ETag'])

/** The answer to a write. */
export const written = documentWith(['ETag', 'Idempotent-Replayed'])

/** The answer to a write that created something, with its address. */
export const placed = documentWith(['ETag', 'Idempotent-Replayed', 'Location'])

/** A list with an ETag. Paged by cursor, it also has the position in the changes feed before its first page. */
export const listOf = documentWith(['ETag', 'X-Changes-Cursor'])

/** The schemas of plain values. */
export const is = {
  text: { type: 'string' },
  textOrNull: { type: ['string', 'null'] },
  flag: { type: 'boolean' },
  flagOrNull: { type: ['boolean', 'null'] },
  whole: { type: 'integer', minimum: 0 },
} satisfies Record<string, Schema>

export function enumOf(words: readonly string[]): Schema {
  return { type: 'string', enum: words }
}

export function constant(word: string): Schema {
  return { type: 'string', const: word }
}

export function refTo(
  part: 'headers' | 'parameters' | 'requestBodies' | 'responses' | 'examples',
  name: string,
): Schema {
  return { $ref: `#/components/${part}/${name}` }
}

/** A schema of `components`, and the examples of the same name or of these names. */
export function shown(name: string, examples: readonly string[] = [name]): Schema {
  return { schema: named(name), examples: mapped(examples, (example) => refTo('examples', example)) }
}

export function says(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

/** A list in a write, or an edit of it. */
export function orEdit({ description, examples, ...list }: Schema): Schema {
  const told = { ...(description ? { description } : {}), ...(examples ? { examples } : {}) }
  return { ...told, anyOf: [list, named('ListEdit')] }
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

export function mapped<T>(names: readonly string[], make: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)]))
}

/** Whether the document is the general one. Workspaces have further resources and fields. */
export function isGeneral(resources: Resources): boolean {
  return resources === generalSchema
}

/** The schema of one record: `Company`. */
export function oneOf(resource: Resource): string {
  return isOwn(resource) ? ownName(resource.row.singular_code) : capital(resource.one)
}

/** `Companies`, for parameters and operation ids. */
export function manyOf(resource: Resource): string {
  return isOwn(resource) ? ownName(resource.type) : capital(resource.type)
}

/** The schema of one of what a relation leads to. */
export function relatedOne(resources: Resources, to: RelatedType): string {
  return to === 'users' ? 'User' : oneOf(resourceIn(resources, to))
}

/**
 * `sales_order` → `OwnSales_Order`. No other name begins with `Own`, and none has a `_`: whatever follows, such as
 * `List`, the name of an own resource is never that of something else.
 */
function ownName(code: string): string {
  return `Own${code.split('_').map(capital).join('_')}`
}

/** "a company", "an opportunity". */
export function anyOne({ one }: Resource): string {
  return `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** "name, title or created_at", each as code. */
export function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

/** The types of one kind: their values share the schemas for reading, writing and filtering. */
export function typesOf(kind: ValueKind): readonly FieldTypeName[] {
  return fieldTypeNames.filter((name) => fieldTypes[name].kind === kind)
}

/** The fields that a resource has in every workspace, so that the document can name them, by code. */
export function systemFields(resource: ResourceName): Map<string, ValueKind> {
  const system = startingFieldsOf(resource).filter((field) => field.system)
  return new Map(system.map(({ code, type }) => [code, fieldTypes[type].kind]))
}

/** Further keys of a parameter besides its name and description. Its schema comes first; the default is text. */
type More = Schema & { readonly schema?: Schema }

export function inPath(name: string, description: string, more: More): Schema {
  return { name, in: 'path', required: true, description, schema: is.text, ...more }
}

export function inQuery(name: string, description: string, more: More = {}): Schema {
  return { name, in: 'query', description, schema: is.text, ...more }
}

export function inHeader(name: string, description: string, more: More = {}): Schema {
  return { name, in: 'header', description, schema: is.text, ...more }
}

/** Names joined by commas. */
export function joined(items: Schema, more: Schema = {}): Schema {
  return { schema: { type: 'array', items, ...more }, style: 'form', explode: false }
}

const LIMITS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** The headers of every response to a known token. The limits are missing if they are disabled. */
export const KNOWN = ['X-Schema-Version', ...LIMITS]

/** The headers of a failure, which can happen before the token is known. */
export const FAILED = ['X-Schema-Version-If-Known', ...LIMITS]

/** Descriptions of a header for cases where it has another meaning or can be missing. */
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
  'X-Change-Id': header(
    is.text,
    'The ID of the change that undid it. Missing if the record was in that state by other means.',
  ),
  'X-Schema-Version-If-Known': header(
    is.whole,
    'As elsewhere. Missing where the request failed before its token was known.',
  ),
  'Retry-After': always(seconds, 'How many seconds to wait.'),
  ETag: header(
    is.text,
    'The version of what was read or written. Send the one of a record back in `If-Match` to write only if it has not changed since, and any of them in `If-None-Match` to read only what has changed.',
  ),
  'Content-Range': always(is.text, 'Which bytes these are, and how many there are in all.'),
  'Content-Disposition': always(is.text, 'The name of the file. It is never shown as a page.'),
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

/** The description of an endpoint, in addition to its route. */
export type OperationText = {
  operationId: string
  summary: string
  says: string
  /** The names of its parameters and of its body, without those in the path and the idempotency key of all writes. */
  parameters?: readonly string[]
  body?: string
  /** The answers that succeed, by status. */
  answers: Readonly<Record<number, Schema>>
  /** The refusals that neither the route nor a parameter implies. */
  refusals?: Readonly<Record<number, string>>
  /** Which abilities it needs, if `says` has it. */
  needs?: ''
}

function documentWith(headers: readonly string[]) {
  return (description: string, name: string, examples?: readonly string[], more: readonly string[] = []): Schema =>
    answerOf(description, { [JSON_API]: shown(name, examples) }, [...headers, ...more])
}

export function answerOf(description: string, content: Schema, headers: readonly string[] = []): Schema {
  return { description, headers: headersNamed([...KNOWN, ...headers]), content }
}

/** The answer to a write that returns nothing. */
export function noContent(description: string, headers: readonly string[] = []): Schema {
  return { description, headers: headersNamed([...KNOWN, 'Idempotent-Replayed', ...headers]) }
}

export const bytesBody: Schema = { schema: {}, example: 'bytes' }

export function textBody(example: string): Schema {
  return { schema: is.text, example }
}
