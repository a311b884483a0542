import { excerpt } from './excerpt.ts'
import { parseExternalIds } from './external-ids.ts'
import type { FieldDefinition } from './field-definition.ts'
import type { Place, ReadName, StoredValue } from './field-type.ts'
import { targetOf } from './field-types/reference.ts'
import { valuesOf } from './field-types/value-list.ts'
import { fieldTypes, isList } from './field-types.ts'
import { lengthOf } from './fold.ts'
import { boundedReport, type Issue, type Report, reportInto } from './issue.ts'
import { FIELDS_PER_RESOURCE_MAX, IDS_IN_LIST_MAX, NAME_MAX, VALUES_MAX } from './limits.ts'
import { isListEdit, parseListEdit } from './list-edit.ts'
import { meantCode, meantName, outsideFields } from './meant-name.ts'
import { UNDER_CUSTOM_FIELDS } from './nearest.ts'
import './numbering-plans.ts'
import type { Lookup, Missing, RecordInput, RemovedItems } from './parsed-input.ts'
import { isObject, unstorable } from './raw-input.ts'
import { parseReference, type ReferenceContext } from './reference-input.ts'
import {
  countAttributeNames,
  EXTERNAL_IDS,
  type RelatedType,
  type Resource,
  resourceIn,
  stampNames,
} from './resource.ts'

type InputContext = Pick<ReferenceContext, 'readLid' | 'byName'> & {
  resource: Resource
  /** Whether a record that is missing can be created with this one. */
  createsMissing?: boolean
  /** Whether the label must be there, as on create. */
  creating: boolean
  /** Keys that are read elsewhere, such as `match` of an upsert. */
  besides?: readonly string[]
  /** Whether items can be added to lists and removed from them. */
  editsLists?: boolean
}

/** Reads the body of a create, update or upsert. Reports problems, except those of values: they are returned. */
export function parseRecordInput(raw: Record<string, unknown>, context: InputContext, report: Report): RecordInput {
  refuseUnknownKeys(raw, context, report)
  const { resource, editsLists } = context
  const lookups: Lookup[] = []
  const removed: RemovedItems = { links: new Map(), values: new Map(), external_ids: new Map() }
  const naming = { ...context, lookups }
  return {
    resource,
    label: parseLabel(raw, context, report),
    references: parseReferences(raw, naming, report),
    links: parseLinks(raw, { ...naming, removed: removed.links }, report),
    removed,
    lookups,
    external_ids: parseExternalIds(raw.external_ids, editsLists ? removed.external_ids : undefined, report),
    ...parseValues(raw.custom_fields, { ...naming, removed: removed.values }, report),
  }
}

/** The keys of a body that change the record. */
function writableKeys(resource: Resource): string[] {
  const { label, references, links } = resource
  return [label, ...Object.keys(references), ...Object.keys(links), EXTERNAL_IDS, 'custom_fields']
}

/** Read-only keys: accepted and ignored, so that a read record can be sent back. */
export function readOnlyKeys(resource: Resource): string[] {
  return [...stampNames(resource), ...countAttributeNames(resource)]
}

function refuseUnknownKeys(
  raw: Record<string, unknown>,
  { resource, besides = [] }: InputContext,
  report: Report,
): void {
  const isKnown = (key: string) =>
    key === 'custom_fields' ||
    key === EXTERNAL_IDS ||
    Object.hasOwn(resource.attributes, key) ||
    Object.hasOwn(resource.links, key) ||
    besides.includes(key)
  const unknown = Object.keys(raw).filter((key) => !isKnown(key))
  if (unknown.length === 0) return
  const writable = [...besides, ...writableKeys(resource)]
  const counts = countAttributeNames(resource)
  const bounded = boundedReport(report)
  for (const key of unknown) {
    if (counts.includes(key)) continue
    const sent = excerpt(key)
    const near = resource.fields.byCode.has(key) ? UNDER_CUSTOM_FIELDS : meantName(key, resource, writable)
    bounded.report(sent, `The ${sent} key is not known here. Accepted: ${writable.join(', ')}.${near}`)
    if (bounded.full()) return
  }
}

function parseLabel(raw: Record<string, unknown>, { resource, creating }: InputContext, report: Report) {
  const { label } = resource
  const value = Object.hasOwn(raw, label) ? raw[label] : undefined
  if (value === undefined && !creating) return undefined
  if (value === undefined || value === null) {
    report(label, `The ${label} field is required.`)
    return undefined
  }
  if (typeof value !== 'string') {
    report(label, `The ${label} must be a string.`)
    return undefined
  }
  const text = value.trim()
  const problem = unstorable(text)
  if (text === '') report(label, `The ${label} field is required.`)
  else if (lengthOf(text) > NAME_MAX) report(label, `The ${label} must not be greater than ${NAME_MAX} characters.`)
  else if (problem) report(label, `The ${label} ${problem}.`)
  else return text
  return undefined
}

/** A context, and the list that collects look-ups. `leaves`: what is named is removed from a list. */
type NamingContext = InputContext & { lookups: Lookup[]; leaves?: boolean }

function parseReferences(
  raw: Record<string, unknown>,
  context: NamingContext,
  report: Report,
): Map<string, string | null> {
  const references = new Map<string, string | null>()
  for (const [key, { to }] of Object.entries(context.resource.references)) {
    const value = raw[key]
    if (value === undefined) continue
    const put = (id: string) => references.set(key, id)
    const named = value === null ? null : readNamed(value, { ...context, to, path: key, put }, report)
    if (named !== undefined) references.set(key, named)
  }
  return references
}

type Named = Pick<Lookup, 'to' | 'path'> & {
  identifier?: boolean
  put(id: string): unknown
  /** Where problems with a record that is created go, if not where all others go. */
  reportMissing?: Report
}

/** The id of a record or member, or an empty text if it must be looked up. Undefined if a problem was reported. */
function readNamed(
  raw: unknown,
  {
    resource,
    readLid,
    byName,
    createsMissing,
    lookups,
    to,
    path,
    put,
    leaves = false,
    identifier = false,
    reportMissing,
  }: NamingContext & Named,
  report: Report,
): string | undefined {
  const readMissing = createsMissing && !leaves ? missingReader(resource, reportMissing ?? report) : undefined
  const named = parseReference(
    raw,
    { schema: resource.schema, readLid, byName, readMissing, to, path, identifier },
    report,
  )
  if (named === undefined || typeof named === 'string') return named
  lookups.push({ to, path, by: named, leaves, put })
  return ''
}

/** Reads the attributes of a record that is created with another one. Its own names are those of existing records. */
function missingReader({ schema }: Resource, report: Report): NonNullable<ReferenceContext['readMissing']> {
  return (raw, { to, path }): Missing | undefined => {
    if (!isObject(raw)) {
      report(path, `The ${path} must be an object with the attributes of the new record.`)
      return undefined
    }
    const below: Report = (at, message) => report(`${path}.${at}`, message)
    return {
      input: parseRecordInput(raw, { resource: resourceIn(schema, to), creating: true, editsLists: true }, below),
      report: below,
    }
  }
}

type LinkContext = NamingContext & { removed: RemovedItems['links'] }

function parseLinks(raw: Record<string, unknown>, context: LinkContext, report: Report): Map<string, string[]> {
  const links = new Map<string, string[]>()
  for (const key of Object.keys(context.resource.links)) {
    const value = raw[key]
    if (value === undefined) continue
    const ids =
      context.editsLists && isListEdit(value)
        ? parseEdit(value, { ...context, key }, report)
        : listOf(value, { ...context, key }, report)
    if (ids) links.set(key, ids)
  }
  return links
}

function listOf(value: unknown, context: LinkContext & { key: string }, report: Report): string[] | undefined {
  return value === null ? [] : parseIds(value, { ...context, path: context.key }, report)
}

function parseEdit(
  raw: Record<string, unknown>,
  context: LinkContext & { key: string },
  report: Report,
): string[] | undefined {
  const { key, removed } = context
  const edit = parseListEdit(raw, key, report)
  const lost = edit && parseIds(edit.remove, { ...context, leaves: true, path: `${key}.$remove` }, report)
  if (!edit || !lost) return undefined
  removed.set(key, lost)
  return parseIds(edit.add, { ...context, path: `${key}.$add` }, report)
}

function parseIds(
  value: unknown,
  context: NamingContext & { key: string; path: string },
  report: Report,
): string[] | undefined {
  const { key, path: list, resource } = context
  const to = resource.links[key]?.to
  if (to === undefined || !Array.isArray(value)) {
    report(list, `The ${list} must be a list of IDs.`)
    return undefined
  }
  if (value.length > IDS_IN_LIST_MAX) {
    report(list, `The ${list} must not have more than ${IDS_IN_LIST_MAX} items.`)
    return undefined
  }
  // An invalid item keeps its position, so that messages name the others by the index at which they were sent.
  const ids: string[] = []
  for (const [index, item] of value.entries()) {
    const put = (id: string) => {
      ids[index] = id
    }
    ids.push(readNamed(item, { ...context, to, path: `${list}.${index}`, put }, report) ?? '')
  }
  return ids
}

type ValuesContext = NamingContext & { removed: RemovedItems['values'] }

function parseValues(raw: unknown, context: ValuesContext, report: Report): Pick<RecordInput, 'values' | 'wrong'> {
  const { fields } = context.resource
  const values: RecordInput['values'] = new Map()
  const wrong: RecordInput['wrong'] = new Map()
  if (raw === undefined) return { values, wrong }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    report('custom_fields', 'The custom_fields must be an object keyed by field code.')
    return { values, wrong }
  }
  const unknown: string[] = []
  for (const [code, sent] of Object.entries(raw)) {
    const field = fields.byCode.get(code)
    if (!field) {
      unknown.push(code)
      continue
    }
    const issues: Issue[] = []
    const place = { field, path: `custom_fields.${code}`, report: reportInto(issues) }
    const naming = { ...context, reportMissing: report }
    const stored =
      context.editsLists && isList(field) && isListEdit(sent)
        ? parseValueEdit(sent, naming, place)
        : fieldTypes[field.type].parse(sent, { ...place, readName: nameReader(field, naming) })
    if (stored === undefined) wrong.set(field, { sent, issues })
    else values.set(field, stored)
  }
  if (unknown.length > 0) report('custom_fields', unknownCodes(unknown, context.resource))
  return { values, wrong }
}

/** Reads an edit of a list of values. Returns what it adds. Undefined if a problem was reported. */
function parseValueEdit(
  raw: Record<string, unknown>,
  context: ValuesContext & { reportMissing: Report },
  { field, path, report }: Place,
): StoredValue | null | undefined {
  const edit = parseListEdit(raw, path, report)
  if (!edit) return undefined
  const { parse } = fieldTypes[field.type]
  // More can be removed than the field takes now.
  const every = { ...field, multiple: true, max_values: VALUES_MAX }
  const leaving = nameReader(field, { ...context, leaves: true })
  const lost = parse(edit.remove, { field: every, path: `${path}.$remove`, report, readName: leaving })
  const added = parse(edit.add, { field, path: `${path}.$add`, report, readName: nameReader(field, context) })
  if (lost === undefined || added === undefined) return undefined
  // Ids that are not known yet are put into this list later.
  context.removed.set(field, valuesOf(lost ?? []))
  return added
}

/** For values that name records or members. A record may hold a wrong value, but no problem of one that is created. */
function nameReader(field: FieldDefinition, context: NamingContext & { reportMissing: Report }): ReadName | undefined {
  if (!fieldTypes[field.type].refersTo) return undefined
  const to: RelatedType = targetOf(field)
  return (raw, { path, report, put }) => readNamed(raw, { ...context, to, path, put, identifier: true }, report)
}

/** The most unknown codes that a message names, and those for which it suggests a similar code, which is slower. */
const NAMED_MAX = FIELDS_PER_RESOURCE_MAX
const NEAR_MAX = 20

function unknownCodes(unknown: readonly string[], resource: Resource): string {
  const codes = [...resource.fields.byCode.keys()]
  const named = unknown.slice(0, NAMED_MAX).map((code, index) => {
    const near = index < NEAR_MAX ? nearCode(code, resource) : undefined
    return near ? `${excerpt(code)} (did you mean ${near}?)` : excerpt(code)
  })
  const more = unknown.length > NAMED_MAX ? ` and ${unknown.length - NAMED_MAX} more` : ''
  const accepted = codes.length === 0 ? 'This resource has no custom fields.' : `Accepted: ${codes.join(', ')}.`
  return `Unknown custom field${unknown.length === 1 ? '' : 's'}: ${named.join(', ')}${more}. ${accepted}`
}

function nearCode(code: string, resource: Resource): string | undefined {
  const outside = outsideFields(code, resource)
  return meantCode(code, resource) ?? (outside && `${outside}, outside of custom_fields`)
}
