import { headersNamed, KNOWN } from './headers.ts'
import { is, type Schema, shown } from './schema.ts'

/** Everything that the document says about an endpoint, besides what its route says. */
export type Described = {
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
}

/** Of reads that can take too long. */
export const SLOW = { 503: 'UnavailableOrSlow' }

export const JSON_API = 'application/vnd.api+json'
export const JSON_ONLY = 'application/json'

/** An answer that succeeds, by the name of its schema. Its example has the same name unless others are named. */
export const success = documentWith([])
/** One that has a tag. */
export const tagged = documentWith(['ETag'])
/** The answer to a write. */
export const written = documentWith(['ETag', 'Idempotent-Replayed'])
/** The answer to a write that made something, with its address. */
export const placed = documentWith(['ETag', 'Idempotent-Replayed', 'Location'])
/** A list that has a tag. Paged by cursor, it also has the place in the changes feed before its first page. */
export const listOf = documentWith(['ETag', 'X-Changes-Cursor'])

function documentWith(headers: readonly string[]) {
  return (description: string, name: string, examples?: readonly string[]): Schema =>
    answerOf(description, { [JSON_API]: shown(name, examples) }, headers)
}

export function answerOf(description: string, content: Schema, headers: readonly string[] = []): Schema {
  return { description, headers: headersNamed([...KNOWN, ...headers]), content }
}

/** The answer to a write that returns nothing. */
export function noContent(description: string, headers: readonly string[] = []): Schema {
  return { description, headers: headersNamed([...KNOWN, 'Idempotent-Replayed', ...headers]) }
}

/** A body of text. */
export function textBody(example: string): Schema {
  return { schema: is.text, example }
}
