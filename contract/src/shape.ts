import { excerpt } from './excerpt.ts'
import { lengthOf } from './fold.ts'
import type { Report } from './issue.ts'
import { PER_PAGE_MAX } from './limits.ts'
import { suggestion } from './nearest.ts'
import { isObject, unstorable } from './raw-input.ts'

/** A JSON Schema as plain data. */
export type Schema = { readonly [keyword: string]: unknown }

/** A kind of value on the wire: its type, its JSON Schema, and how it is read. */
export type Shape<T> = {
  readonly schema: Schema
  /** Reads a value that is not null. Reports a problem and returns undefined if it is not of this shape. */
  readonly parse: (raw: unknown, path: string, report: Report) => T | undefined
  /** A harmless value, for parsers that go on after a problem was reported. */
  readonly blank: T
}

/** `or`: what a caller means who does not send the key, or null. `absent`: the key is not always sent. */
export type Shapes = { readonly [key: string]: Shape<unknown> & { readonly or?: unknown; readonly absent?: true } }

export type TypeOf<S> = S extends Shape<infer T> ? T : never

type Or = { readonly or: unknown }
type Absent = { readonly absent: true }
type KeysWith<S, Mark> = { [K in keyof S]: S[K] extends Mark ? K : never }[keyof S]
type Flat<T> = { readonly [K in keyof T]: T[K] }

/** An object of these shapes as the service sends it. */
export type Shown<S> = Flat<
  { [K in Exclude<keyof S, KeysWith<S, Absent>>]: TypeOf<S[K]> } & { [K in KeysWith<S, Absent>]?: TypeOf<S[K]> }
>

/** An object of these shapes as a caller sends it. */
export type Sent<S> = Flat<
  { [K in Exclude<keyof S, KeysWith<S, Or | Absent>>]: TypeOf<S[K]> } & {
    [K in KeysWith<S, Absent>]?: TypeOf<S[K]> | undefined
  } & {
    [K in KeysWith<S, Or>]?: TypeOf<S[K]> | null | undefined
  }
>

/** An object of these shapes as it was read, with its defaults. */
type Read<S> = { [K in keyof S]: TypeOf<S[K]> }

/** JSON Schema keywords in addition to those of the shape. `says` is the description. */
type More = Schema & { says?: string }

export function withMore(schema: Schema, { says, ...more }: More = {}): Schema {
  return { ...schema, ...more, ...(says === undefined ? {} : { description: says }) }
}

/** A shape with a rule of its own: `read` returns undefined for what breaks it, and the problem says what it is. */
export function checked<T>(
  schema: Schema,
  read: (raw: unknown) => T | undefined,
  problem: string | ((raw: unknown) => string),
  blank: T,
): Shape<T> {
  const parse: Shape<T>['parse'] = (raw, path, report) => {
    const value = read(raw)
    if (value === undefined) report(path, `The ${path} ${typeof problem === 'string' ? problem : problem(raw)}`)
    return value
  }
  return { schema, parse, blank }
}

type TextRules = More & { maxLength?: number }

/** Any text. */
export function text(rules: TextRules = {}): Shape<string> {
  const problemOf = (raw: unknown) => textProblem(raw, rules.maxLength)
  const read = (raw: unknown) => (typeof raw === 'string' && problemOf(raw) === undefined ? raw : undefined)
  return checked(withMore({ type: 'string' }, rules), read, (raw) => `${problemOf(raw)}.`, '')
}

function textProblem(raw: unknown, max = Infinity): string | undefined {
  if (typeof raw !== 'string') return 'must be a string'
  return lengthOf(raw) > max ? `must not be longer than ${max} characters` : unstorable(raw)
}

/** A text that is trimmed and must not be empty. */
export function line(rules: TextRules = {}): Shape<string> {
  const any = text({ minLength: 1, ...rules })
  const filled = checked(any.schema, (raw) => (raw === '' ? undefined : raw), 'must not be empty.', undefined)
  const parse: Shape<string>['parse'] = (raw, path, report) => {
    const trimmed = filled.parse(typeof raw === 'string' ? raw.trim() : raw, path, report)
    return trimmed === undefined ? undefined : any.parse(trimmed, path, report)
  }
  return { ...any, parse }
}

/** A whole number within bounds. */
export function whole({ from = 0, to, ...more }: { from?: number; to?: number } & More = {}): Shape<number> {
  const isWithin = (raw: unknown): raw is number => Number.isSafeInteger(raw) && Number(raw) >= from
  const read = (raw: unknown) => (isWithin(raw) && raw <= (to ?? raw) ? raw : undefined)
  const bounds = to === undefined ? { minimum: from } : { minimum: from, maximum: to }
  const problem = `must be a whole number from ${from}${to === undefined ? '' : ` to ${to}`}.`
  return checked(withMore({ type: 'integer', ...bounds }, more), read, problem, from)
}

export function flag(says?: string): Shape<boolean> {
  const read = (raw: unknown) => (typeof raw === 'boolean' ? raw : undefined)
  return checked(withMore({ type: 'boolean' }, { says }), read, 'must be true or false.', false)
}

/** One of several words. */
export function word<const W extends string>(words: readonly W[], says?: string): Shape<W> {
  const [only] = words
  const schema = { type: 'string', ...(words.length === 1 ? { const: only } : { enum: words }) }
  const near = (raw: unknown) => (typeof raw === 'string' ? suggestion(raw, words) : '')
  const problem = (raw: unknown) => `must be one of: ${words.join(', ')}.${near(raw)}`
  // Every list of words has a first one.
  return checked(withMore(schema, { says }), (raw) => words.find((one) => one === raw), problem, only as W)
}

export function list<T>(of: Shape<T>, rules: More & { maxItems?: number } = {}): Shape<readonly T[]> {
  const schema = withMore({ type: 'array', items: of.schema }, rules)
  const any = checked(schema, (raw) => (Array.isArray(raw) ? raw : undefined), 'must be a list.', [])
  const parse: Shape<readonly T[]>['parse'] = (raw, path, report) =>
    any.parse(raw, path, report)?.flatMap((item, index) => {
      const parsed = of.parse(item, `${path}.${index}`, report)
      return parsed === undefined ? [] : [parsed]
    })
  return { schema, parse, blank: [] }
}

/** A line that may be left empty. Null for an empty text. */
export function remark(rules: { maxLength: number; says: string }): Shape<string | null> {
  const filled = line({ maxLength: rules.maxLength })
  const isBlank = (raw: unknown) => typeof raw === 'string' && raw.trim() === ''
  return { ...text(rules), blank: null, parse: (raw, ...at) => (isBlank(raw) ? null : filled.parse(raw, ...at)) }
}

/** An object with keys that are not known in advance. */
export function mapOf<T>(of: Shape<T>, says?: string): Shape<Readonly<Record<string, T>>> {
  return given(withMore({ type: 'object', additionalProperties: of.schema }, { says }), {})
}

/** An object inside of another one. */
export function object<const S extends Shapes>(shapes: S, says?: string): Shape<Shown<S>> {
  // Only for parsers that go on after a problem.
  return given(shownSchema(shapes, { says }), {} as Shown<S>)
}

/** The id of something. Where it is sent, the operation looks for what it names. */
export function id(says?: string): Shape<string> {
  return given(named('Id', says), '')
}

export function time(says?: string): Shape<string> {
  return given(named('Timestamp', says), '')
}

/** Any value, which the operation that takes it reads, because that needs more than the value. */
export function given<T = unknown>(schema: Schema, blank?: T): Shape<T> {
  // Without a type, it is unknown.
  return { schema, parse: (raw) => raw as T, blank: blank as T }
}

/** The same shape, which the operation that takes it reads. */
export function unread<T>({ schema, blank }: Shape<T>): Shape<T> {
  return given(schema, blank)
}

/** The same shape, by the name of its schema in the OpenAPI document. */
export function component<T>(name: string, shape: Shape<T>, says?: string): Shape<T> {
  return { ...shape, schema: named(name, says) }
}

export function named(name: string, says?: string): Schema {
  return withMore({ $ref: `#/components/schemas/${name}` }, { says })
}

/** With a default. */
export function or<T>(value: NoInfer<T>, shape: Shape<T>): Shape<T> & { readonly or: T } {
  return { ...shape, blank: value, or: value }
}

/** The value or null, which is also the default. */
export function orNull<T>(shape: Shape<T>, says?: string): Shape<T | null> & { readonly or: null } {
  return { schema: withMore(nullable(shape.schema), { says }), parse: shape.parse, blank: null, or: null }
}

/** Not always sent, but not null. */
export function maybe<T>(shape: Shape<T>): Shape<T> & { readonly absent: true } {
  return { ...shape, absent: true }
}

function nullable(schema: Schema): Schema {
  const { type, description, ...rest } = schema
  if (Array.isArray(type) ? type.includes('null') : 'anyOf' in schema) return schema
  const said = description === undefined ? {} : { description }
  if (typeof type === 'string' && !['enum', 'const', 'required'].some((key) => key in rest))
    return { ...schema, type: [type, 'null'] }
  return { anyOf: [type === undefined ? rest : { type, ...rest }, { type: 'null' }], ...said }
}

/** The schema of an object without unknown keys. */
export function closed(
  properties: Readonly<Record<string, Schema>>,
  { required = Object.keys(properties), ...more }: { required?: readonly string[] } & More = {},
): Schema {
  const needed = required.length > 0 ? { required } : {}
  return { ...withMore({ type: 'object' }, more), properties, ...needed, additionalProperties: false }
}

/** The schema of an object as the service sends it. */
export function shownSchema(shapes: Shapes, more: More = {}): Schema {
  const required = Object.keys(shapes).filter((key) => !shapes[key]?.absent)
  return closed(
    schemasOf(shapes, ({ schema }) => schema),
    { required, ...more },
  )
}

/** The schema of an object as a caller sends it. */
export function sentSchema(shapes: Shapes, more: More = {}): Schema {
  const properties = schemasOf(shapes, (shape) => ('or' in shape ? nullable(shape.schema) : shape.schema))
  return closed(properties, { required: requiredOf(shapes), ...more })
}

/** An object of JSON:API. */
export function objectSchema(type: string, attributes: Schema, ids: Schema = named('Id')): Schema {
  return closed({ id: ids, type: word([type]).schema, attributes })
}

type Noun = { shown?: Shapes; attributes?: Schema; ids?: Schema; also?: readonly ('Document' | 'List')[] }

/** The component of a noun, and those of a document with one and of a page of them. */
export function noun(name: string, type: string, { shown = {}, also = [], ...given }: Noun): Record<string, Schema> {
  const { attributes = shownSchema(shown), ids } = given
  const around = { Document: documentOf, List: pageOf }
  const others = also.map((suffix) => [name + suffix, around[suffix](name)])
  return { [name]: objectSchema(type, attributes, ids), ...Object.fromEntries(others) }
}

export function documentOf(name: string): Schema {
  return closed({ data: named(name) })
}

/** A page of a list that has no cursor. */
export function pageOf(name: string): Schema {
  return closed({ data: listSchema(name, PER_PAGE_MAX), links: named('PageLinks'), meta: named('PageMeta') })
}

export function listSchema(name: string, maxItems: number): Schema {
  return { type: 'array', items: named(name), maxItems }
}

/** The schema of the arguments of a tool: what can be left out is not null, because some models reject two types. */
export function argumentSchema(shapes: Shapes) {
  const properties = schemasOf(shapes, ({ schema }) => withoutNull(schema))
  return { type: 'object', properties, required: requiredOf(shapes), additionalProperties: false } as const
}

function withoutNull({ anyOf, ...schema }: Schema): Schema {
  if (Array.isArray(schema.type)) return { ...schema, type: schema.type[0] }
  const [one, other] = Array.isArray(anyOf) ? anyOf : []
  return other?.type === 'null' ? { ...one, ...schema } : { ...schema, ...(anyOf ? { anyOf } : {}) }
}

function schemasOf(shapes: Shapes, schemaOf: (shape: Shape<unknown>) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, schemaOf(shape)]))
}

function requiredOf(shapes: Shapes): string[] {
  return Object.keys(shapes).filter((key) => !('or' in (shapes[key] ?? {})) && !shapes[key]?.absent)
}

/** Only the declared values, in their order. */
export function shownOf<S extends Shapes>(shapes: S, values: Shown<S>): Shown<S> {
  const all: Readonly<Record<string, unknown>> = values
  const entries = Object.keys(shapes).flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]]))
  // The same keys as in the declaration.
  return Object.fromEntries(entries) as Shown<S>
}

/**
 * `path`: where the object is. `ignored`: read-only keys, accepted so that what was read can be sent back. `whole`:
 * whether missing keys are reported that are required.
 */
type Place = { path?: string; ignored?: readonly string[]; whole?: boolean }

/** Reads an object. Absent keys have their default. */
export function readObject<S extends Shapes>(raw: unknown, shapes: S, report: Report, place: Place = {}): Read<S> {
  const sent: Record<string, unknown> = readSent(raw, shapes, report, { ...place, whole: true })
  const values = Object.entries(shapes).map(([key, { blank }]) => [key, key in sent ? sent[key] : blank])
  // Every shape has a value of its type.
  return Object.fromEntries(values) as Read<S>
}

/** Reads the keys of an object that were sent. Reports unknown keys first. A value that is not valid is left out. */
export function readSent<S extends Shapes>(
  raw: unknown,
  shapes: S,
  report: Report,
  { path = '', ignored = [], whole = false }: Place = {},
): Partial<Read<S>> {
  if (!isObject(raw)) {
    report(path || 'body', path ? `The ${path} must be an object.` : 'The request body must be a JSON object.')
  }
  const sent = isObject(raw) ? raw : {}
  const accepted = Object.keys(shapes)
  for (const key of Object.keys(sent)) {
    if (sent[key] === undefined || accepted.includes(key) || ignored.includes(key)) continue
    report(below(path, excerpt(key)), unknownKey(path, key, accepted))
  }
  const values: Record<string, unknown> = {}
  for (const [key, shape] of Object.entries(shapes)) {
    const value = Object.hasOwn(sent, key) ? sent[key] : undefined
    const isOptional = 'or' in shape || shape.absent
    if (value === undefined && (isOptional || !whole)) continue
    if ((value ?? null) === null && !isOptional) reportMissing(below(path, key), shape.schema, report)
    else {
      const parsed = value === null && 'or' in shape ? shape.or : shape.parse(value, below(path, key), report)
      if (parsed !== undefined) values[key] = parsed
    }
  }
  // Each value is what its shape has read.
  return values as Partial<Read<S>>
}

function below(path: string | undefined, key: string): string {
  return path ? `${path}.${key}` : key
}

function reportMissing(path: string, schema: Schema | undefined, report: Report): void {
  const words = schema?.enum ?? (schema?.const === undefined ? undefined : [schema.const])
  report(path, `The ${path} is required${Array.isArray(words) ? ` and must be one of: ${words.join(', ')}` : ''}.`)
}

export function unknownKey(path: string, key: string, accepted: readonly string[]): string {
  const known = accepted.length === 0 ? 'Nothing is accepted there.' : `Accepted: ${accepted.join(', ')}.`
  return `The ${below(path, excerpt(key))} key is not known here. ${known}${suggestion(key, accepted)}`
}
