import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_MAX, PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'

/** A JSON Schema as plain data. */
export type Schema = { readonly [keyword: string]: unknown }

/** The schema of an object whose keys are all known. */
export type ObjectSchema = {
  readonly type: 'object'
  readonly properties: { readonly [name: string]: Schema }
  readonly required: string[]
  readonly additionalProperties: false
}

type Properties = Readonly<Record<string, Schema>>

export function object(required: Properties, optional: Properties = {}): ObjectSchema {
  const properties = { ...required, ...optional }
  return { type: 'object', properties, required: Object.keys(required), additionalProperties: false }
}

/** An object with keys that depend on the workspace. */
export function anyObject(description: string): Schema {
  return { type: 'object', description, additionalProperties: true }
}

export function text(description: string): Schema {
  return { type: 'string', description }
}

export function flag(description: string): Schema {
  return { type: 'boolean', description }
}

export function listOf(items: Schema, description: string): Schema {
  return { type: 'array', items, description }
}

/** An idempotency key. `does` says what the repeated call does. */
export function keySchema(does: string): Schema {
  const description = `Your own text. Repeating the call with it within ${IDEMPOTENCY_HOURS} hours ${does}.`
  return { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX, description }
}

/** How many, and which page. */
export function pageArguments(perPage = PER_PAGE_DEFAULT) {
  return {
    page: { type: 'integer', minimum: 1, maximum: PAGE_MAX, description: 'From 1.' },
    per_page: { type: 'integer', minimum: 1, maximum: PER_PAGE_MAX, default: perPage, description: 'How many.' },
  }
}

export const resourceSchema: Schema = { type: 'string', enum: [...resourceNames], description: 'The kind of record.' }
