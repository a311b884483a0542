import type { Ability } from '@kith/contract/abilities'
import { excerpt } from '@kith/contract/excerpt'
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_MAX, PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { type Permission, roleMay } from '@kith/contract/permissions'
import { isDeep, isObject, NESTING_MAX } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import type { Schema } from '@kith/contract/resource'
import { RESOURCE_CODE, resourceCode } from '@kith/contract/resource-code'
import * as is from '@kith/contract/shape'
import type { RawParameters } from '../records/expected.ts'
import { hashOf, type KeyedRequest, once } from '../records/once.ts'
import { parseResource } from '../scope/read-input.ts'
import type { Actor, Runtime, Scope } from '../scope/scope.ts'

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
  /** The argument whose length is the number of items that a call costs. */
  counted?: 'operations' | 'ids'
  /** An additional permission of the role. */
  permission?: Permission
  takes: is.Shapes
  /** The schema of what it takes. */
  input: ReturnType<typeof is.argumentSchema>
  /** Only if clients need it: the model reads every schema in each conversation. */
  output?: is.Schema | undefined
  run(scope: Scope, input: ToolInput, installation: Installation): Promise<ToolOutput>
}

/** The arguments of a call, with all required keys and no unknown ones. */
export type ToolInput = Readonly<Record<string, unknown>>

/** The answer of a tool, as in its output schema. */
type ToolOutput = Readonly<Record<string, unknown>>

/** The facts about the installation that tools use. */
export type Installation = { app_url: string; openContent?: Runtime['openContent'] }

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

/** A tool as it is declared. Only the types of its arguments are checked here; the operation checks the rest. */
export function tool<const R extends is.Shapes, const O extends is.Shapes = Record<never, never>>({
  takes,
  may,
  output,
  ...declared
}: Omit<Tool, 'input' | 'output' | 'run' | 'takes'> & {
  /** The required arguments, and those that can be left out. */
  takes: R
  may?: O
  output?: is.Shapes
  run(scope: Scope, input: Arguments<R, O>, installation: Installation): Promise<ToolOutput>
}): Tool {
  const optional = Object.entries(may ?? {}).map(([key, shape]) => [key, 'or' in shape ? shape : is.maybe(shape)])
  const shapes: is.Shapes = { ...takes, ...Object.fromEntries(optional) }
  const input = briefly(is.argumentSchema(shapes))
  return { ...declared, takes: shapes, input, output: output && briefly(is.shownSchema(output)) }
}

const DETAILS: readonly string[] = ['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems']

/** A schema for a model, which reads all of them in every conversation: a refusal says what is accepted. */
function briefly<S extends object>(schema: S): S {
  const isDetail = (key: string, value: unknown) => DETAILS.includes(key) && typeof value !== 'object'
  return JSON.parse(JSON.stringify(schema, (key, value) => (isDetail(key, value) ? undefined : value)))
}

type Arguments<R, O> = is.Sent<R> & { readonly [K in keyof O]?: is.TypeOf<O[K]> | null }

export function text(says: string) {
  return is.text({ says })
}

/** An object with keys that depend on the workspace. */
export function anyObject(description: string): is.Shape<Readonly<Record<string, unknown>>> {
  const schema = { type: 'object', description, additionalProperties: true }
  return is.checked(schema, (raw) => (isObject(raw) ? raw : undefined), 'must be an object.', {})
}

/** An idempotency key. `does` describes the effect of the repeated call. */
export function keySchema(does: string) {
  const says = `Your own text. Repeating the call with it within ${IDEMPOTENCY_HOURS} hours ${does}.`
  return is.text({ minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX, says })
}

/** The arguments for the size and number of a page. The operations take texts of digits, too. */
export function pageArguments(perPage = PER_PAGE_DEFAULT) {
  return {
    page: is.given(is.whole({ from: 1, to: PAGE_MAX, says: 'From 1.' }).schema),
    per_page: is.given(is.whole({ from: 1, to: PER_PAGE_MAX, default: perPage, says: 'How many.' }).schema),
  }
}

export const resourceSchema = resourceCode('The kind of record.')

/** Checks the arguments of a call: unknown keys, required keys, types, and that the workspace has the resource. */
export function parseToolInput({ schema }: Scope, { takes }: Tool, raw: unknown): ToolInput {
  return parseOrRefuse([], (report) => {
    const sent = isObject(raw) ? raw : {}
    if (raw !== undefined && !isObject(raw)) report('arguments', 'The arguments must be a JSON object.')
    if (isDeep(raw)) report('arguments', `The arguments must not be nested deeper than ${NESTING_MAX} levels.`)
    const accepted = Object.keys(takes)
    for (const key of Object.keys(sent)) if (!accepted.includes(key)) report(excerpt(key), unknown(key, accepted))
    // Null means that an argument is left out, unless it has a meaning of its own.
    const known = Object.entries(sent).filter(([key, value]) => {
      const shape = Object.hasOwn(takes, key) ? takes[key] : undefined
      return shape && (value !== null || 'or' in shape)
    })
    return is.readSent(Object.fromEntries(known), among(schema, takes), report, { whole: true })
  })
}

/** What a tool takes, with the resources of the workspace. */
function among(schema: Schema, takes: is.Shapes): is.Shapes {
  const { resource } = takes
  if (resource?.schema.pattern !== RESOURCE_CODE) return takes
  return {
    ...takes,
    resource: { ...resource, parse: (raw, at, report) => parseResource(schema, raw, report, at).type },
  }
}

function unknown(key: string, accepted: readonly string[]): string {
  const known = accepted.length === 0 ? 'This tool takes no arguments.' : `Accepted: ${accepted.join(', ')}.`
  return `The argument ${excerpt(key)} is not known. ${known}${suggestion(key, accepted)}`
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
