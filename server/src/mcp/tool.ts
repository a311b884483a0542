import type { Ability } from '@kith/contract/abilities'
import { excerpt } from '@kith/contract/excerpt'
import type { Report } from '@kith/contract/issue'
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_MAX, PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { type Permission, roleMay } from '@kith/contract/permissions'
import { isDeep, isObject, NESTING_MAX } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { type Resource, resourceNames } from '@kith/contract/resource'
import type { RawParameters } from '../records/expected.ts'
import { hashOf, type KeyedRequest, once } from '../records/once.ts'
import type { Actor, Scope } from '../scope/scope.ts'

/** A tool that a model can call. */
export type Tool = {
  name: string
  title: string
  /** Written for a model: the effect of the tool, and common mistakes. */
  description: string
  annotations: Annotations
  /** The abilities that the token and the role need. */
  abilities: readonly Ability[]
  /** Abilities of which one is enough: the rest depends on the input. */
  anyOf?: readonly Ability[]
  /** Whether a call costs as many items as it has operations. */
  takesOperations?: true
  /** An additional permission of the role. */
  permission?: Permission
  input: ObjectSchema
  /** Only if clients need it: the model reads every schema in each conversation. */
  output?: ObjectSchema
  run(scope: Scope, input: ToolInput, installation: Installation): Promise<ToolOutput>
}

/** The arguments of a call, with all required keys and no unknown ones. */
export type ToolInput = Readonly<Record<string, unknown>>

/** The answer of a tool, as in its output schema. */
type ToolOutput = Readonly<Record<string, unknown>>

/** The facts about the installation that tools use. */
export type Installation = { app_url: string }

/** Whether the tool is listed for the actor. The operation checks the permission again. */
export function isAllowed({ abilities, anyOf, permission }: Tool, { abilities: granted, role }: Actor): boolean {
  if (permission !== undefined && !roleMay(role, permission)) return false
  const has = (ability: Ability) => granted.includes(ability) && roleMay(role, ability)
  return abilities.every(has) && (anyOf === undefined || anyOf.some(has))
}

/** Hints of the protocol that clients show to users before a tool runs. */
type Annotations = {
  readOnlyHint: boolean
  /** Whether it may change or delete existing data. */
  destructiveHint: boolean
  /** Whether repeating the call has no further effect. */
  idempotentHint: boolean
  /** Whether it reaches beyond the workspace. */
  openWorldHint: false
}

/** A tool that reads. */
export const reads = {
  annotations: annotated({ readOnlyHint: true, idempotentHint: true }),
  abilities: ['read'],
} satisfies Partial<Tool>

export const adds: Annotations = annotated({})

export const overwrites: Annotations = annotated({ destructiveHint: true, idempotentHint: true })

export const restores: Annotations = annotated({ idempotentHint: true })

export const merges: Annotations = annotated({ destructiveHint: true })

function annotated(hints: Partial<Annotations>): Annotations {
  return { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false, ...hints }
}

/** A JSON Schema as plain data. */
export type Schema = { readonly [keyword: string]: unknown }

/** The schema of an object whose keys are all known. */
type ObjectSchema = {
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

/** An idempotency key. `does` describes the effect of the repeated call. */
export function keySchema(does: string): Schema {
  const description = `Your own text. Repeating the call with it within ${IDEMPOTENCY_HOURS} hours ${does}.`
  return { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX, description }
}

/** The arguments for the size and number of a page. */
export function pageArguments(perPage = PER_PAGE_DEFAULT) {
  return {
    page: { type: 'integer', minimum: 1, maximum: PAGE_MAX, description: 'From 1.' },
    per_page: { type: 'integer', minimum: 1, maximum: PER_PAGE_MAX, default: perPage, description: 'How many.' },
  }
}

export const resourceSchema: Schema = { type: 'string', enum: [...resourceNames], description: 'The kind of record.' }

/** Checks the arguments of a call against the schema of the tool: unknown keys, required keys and types. */
export function parseToolInput({ input: { properties, required } }: Tool, raw: unknown): ToolInput {
  return parseOrRefuse([], (report) => {
    const sent = isObject(raw) ? raw : {}
    if (raw !== undefined && !isObject(raw)) report('arguments', 'The arguments must be a JSON object.')
    if (isDeep(raw)) report('arguments', `The arguments must not be nested deeper than ${NESTING_MAX} levels.`)
    const accepted = Object.keys(properties)
    for (const key of Object.keys(sent)) if (!accepted.includes(key)) report(excerpt(key), unknown(key, accepted))
    for (const [key, schema] of Object.entries(properties))
      checkValue({ key, value: sent[key], required: required.includes(key) }, schema, report)
    return sent
  })
}

function unknown(key: string, accepted: readonly string[]): string {
  const known = accepted.length === 0 ? 'This tool takes no arguments.' : `Accepted: ${accepted.join(', ')}.`
  return `The argument ${excerpt(key)} is not known. ${known}${suggestion(key, accepted)}`
}

/** Checks only the type of the value; the operation checks the rest. */
function checkValue(
  { key, value, required }: { key: string; value: unknown; required: boolean },
  schema: Schema,
  report: Report,
): void {
  const names = Array.isArray(schema.enum) ? schema.enum.map(String) : undefined
  if (value === undefined || value === null) {
    if (required) report(key, `The ${key} is required.${names ? ` Accepted: ${names.join(', ')}.` : ''}`)
  } else if (names && !(typeof value === 'string' && names.includes(value))) {
    const near = typeof value === 'string' ? suggestion(value, names) : ''
    report(key, `The ${key} must be one of: ${names.join(', ')}.${near}`)
  } else if (schema.type === 'string' && typeof value !== 'string') report(key, `The ${key} must be a string.`)
  else if (schema.type === 'object' && !isObject(value)) report(key, `The ${key} must be an object.`)
}

export function resourceIn(input: ToolInput): Resource {
  const name = resourceNames.find((known) => known === input.resource)
  if (name === undefined) throw new Error('A tool ran without the resource that its schema requires.')
  return registry[name]
}

export function textIn(input: ToolInput, key: string): string {
  const value = input[key]
  if (typeof value !== 'string') throw new Error(`A tool ran without the ${key} that its schema requires.`)
  return value
}

/** The arguments that the operation takes as parameters of the same names. */
export function parametersIn(input: ToolInput, names: readonly string[]): RawParameters {
  const raw = Object.fromEntries(names.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]))
  return { raw, loose: false, issues: [] }
}

/**
 * Runs a tool that writes. With an `idempotency_key` it takes effect once: the answer is stored in the transaction of
 * the write, and a repeated call with the same key gets it.
 */
export function callOnce(
  scope: Scope,
  {
    tool,
    input: { idempotency_key: key, ...input },
    group,
  }: {
    tool: string
    input: ToolInput
    /** The kind of work that shares a transaction. */
    group?: string
  },
  work: (inside: Scope) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const request: KeyedRequest<ToolOutput> = {
    // A dry run uses no key.
    key: typeof key !== 'string' || input.dry_run === true ? undefined : key,
    parts: { method: 'tools/call', path: tool },
    body_hash: () => hashOf(input),
    store: (output) => ({ status: 200, headers: '{}', body: JSON.stringify(output) }),
    replay: ({ body }) => JSON.parse(body ?? '{}'),
    group,
  }
  return once(scope, request, work)
}
