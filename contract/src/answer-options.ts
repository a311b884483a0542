import { comment } from './comment.ts'
import { excerpt } from './excerpt.ts'
import { customField } from './field-definition.ts'
import { file } from './file.ts'
import { type BoundedReport, boundedReport, type Report } from './issue.ts'
import { meantName } from './meant-name.ts'
import { suggestion } from './nearest.ts'
import { isObject, isUnsent, listItems, listNames } from './raw-input.ts'
import {
  attributeNames,
  includedAttributeNames,
  includeNames,
  type RelatedType,
  type Resource,
  resourceIn,
  type Schema,
} from './resource.ts'
import { resourceSchema } from './schema.ts'

/** The parameters for the records of an answer, on every endpoint that answers with records. */
export type AnswerOptions = { include: readonly string[]; fields: FieldSelection }

/** `loose` is set for query strings, where everything arrives as text. */
export type QueryContext = { resource: Resource; loose: boolean }

export const answerParameters = ['include', 'fields'] as const

/** Reads the parameters of read, create, update and upsert. */
export function parseAnswerOptions(raw: Record<string, unknown>, context: QueryContext, report: Report): AnswerOptions {
  const bounded = boundedReport(report)
  reportUnknown(raw, answerParameters, bounded)
  return parseAnswer(raw, context, bounded)
}

export function parseAnswer(
  raw: Record<string, unknown>,
  context: QueryContext,
  bounded: BoundedReport,
): AnswerOptions {
  return { include: parseInclude(raw.include, context, bounded), fields: parseFields(raw.fields, context, bounded) }
}

/** Nothing unknown is ignored: reports every parameter that is not accepted. */
export function reportUnknown(
  raw: Record<string, unknown>,
  accepted: readonly string[],
  { report, full }: BoundedReport,
): void {
  for (const name of Object.keys(raw)) {
    if (accepted.includes(name)) continue
    const sent = excerpt(name)
    const near = suggestion(name, accepted)
    report(sent, `The parameter ${sent} is not known. Accepted: ${accepted.join(', ')}.${near}`)
    if (full()) return
  }
}

function parseInclude(raw: unknown, { resource, loose }: QueryContext, bounded: BoundedReport): readonly string[] {
  const { report, full } = bounded
  if (isUnsent(raw)) return []
  const names = listNames(raw, loose)
  if (names === undefined) {
    report('include', 'The include must be names joined by commas or a list of names.')
    return []
  }
  const accepted = includeNames(resource)
  const include = new Set<string>()
  for (const name of names) {
    if (full()) break
    if (accepted.includes(name)) include.add(name)
    else {
      const near = suggestion(name, accepted)
      report(
        'include',
        `The ${resource.type} cannot include ${excerpt(name)}. Accepted: ${accepted.join(', ')}.${near}`,
      )
    }
  }
  return [...include]
}

/** The attributes to show for each type; other types show all. Only the feed shows `custom_fields` and `schemas`. */
export type FieldSelection = ReadonlyMap<RelatedType, TypeSelection>

export type TypeSelection = {
  /** The attributes to show, `custom_fields` aside. */
  attributes: ReadonlySet<string>
  /** The codes to show. When it is empty, `custom_fields` is not shown at all. */
  custom: ReadonlySet<string> | 'all'
}

const PREFIX = 'custom_fields.'

/** Reads `fields`: names of the listed type, or an object of names by type. */
function parseFields(raw: unknown, context: QueryContext, bounded: BoundedReport): FieldSelection {
  const selection = new Map<RelatedType, TypeSelection>()
  if (isUnsent(raw)) return selection
  const { resource, loose } = context
  const { type, schema } = resource
  if (isObject(raw) && listItems(raw, loose) === undefined) {
    return parseByType(raw, { loose, schema, types: shownTypes(resource) }, bounded)
  }
  const names = listNames(raw, loose)
  if (names === undefined) bounded.report('fields', FORMS)
  else if (names.length > 0) selection.set(type, parseNames(names, { type, path: 'fields', schema }, bounded))
  return selection
}

/** Every name that `fields` takes for a type. */
function fieldNames(type: RelatedType, schema: Schema): readonly string[] {
  if (type === 'custom_fields') return Object.keys(customField)
  if (type === 'schemas') return Object.keys(resourceSchema)
  if (type === 'users') return ['name', 'email']
  if (type === 'files') return Object.keys(file)
  if (type === 'comments') return Object.keys(comment)
  const resource = resourceIn(schema, type)
  const codes = resource.fields.list.map((field) => PREFIX + field.code)
  return [...attributeNames(resource), ...includedAttributeNames(resource), ...codes]
}

const FORMS = 'The fields must be names joined by commas, a list of names, or an object of names by type.'

/** Reads `fields` where records of several types are listed: only an object of names by type. */
export function parseFieldsByType(raw: unknown, context: TypesContext, bounded: BoundedReport): FieldSelection {
  if (isUnsent(raw)) return new Map()
  if (isObject(raw) && listItems(raw, context.loose) === undefined) return parseByType(raw, context, bounded)
  bounded.report('fields', 'The fields must be an object of names by type, such as fields[people]=name.')
  return new Map()
}

type TypesContext = { types: readonly RelatedType[]; schema: Schema; loose: boolean }

function parseByType(raw: Record<string, unknown>, context: TypesContext, bounded: BoundedReport): FieldSelection {
  const selection = new Map<RelatedType, TypeSelection>()
  const { types } = context
  for (const key of Object.keys(raw)) {
    if (bounded.full()) break
    const path = `fields.${excerpt(key)}`
    const type = types.find((candidate) => candidate === key)
    if (type === undefined) {
      const near = suggestion(key, types)
      bounded.report(path, `No record of type ${excerpt(key)} can appear here. Accepted: ${types.join(', ')}.${near}`)
      continue
    }
    const value = raw[key]
    if (value === undefined || value === null) continue
    const names = listNames(value, context.loose)
    if (names === undefined)
      bounded.report(path, `The fields of ${type} must be names joined by commas or a list of names.`)
    else selection.set(type, parseNames(names, { type, path, schema: context.schema }, bounded))
  }
  return selection
}

/** The listed type and those that its relations can include. */
function shownTypes(resource: Resource): RelatedType[] {
  return [...new Set([resource.type, ...Object.values(resource.relations).map((relation) => relation.to)])]
}

function parseNames(
  names: readonly string[],
  { type, path, schema }: { type: RelatedType; path: string; schema: Schema },
  { report, full }: BoundedReport,
): TypeSelection {
  const accepted = new Set(fieldNames(type, schema))
  const attributes = new Set<string>()
  const codes = new Set<string>()
  let all = false
  for (const name of names) {
    if (full()) break
    if (!accepted.has(name)) report(path, unknownName(name, { type, schema }, accepted))
    else if (name === 'custom_fields' && type !== 'schemas') all = true
    else if (name.startsWith(PREFIX)) codes.add(name.slice(PREFIX.length))
    else attributes.add(name)
  }
  return { attributes, custom: all ? 'all' : codes }
}

function unknownName(
  name: string,
  { type, schema }: { type: RelatedType; schema: Schema },
  accepted: ReadonlySet<string>,
): string {
  const resource = schema.get(type)
  const hint = resource ? meantName(name, resource, [...accepted]) : suggestion(name, accepted)
  return `The type ${type} has no field ${excerpt(name)}. Accepted: ${[...accepted].join(', ')}.${hint}`
}
