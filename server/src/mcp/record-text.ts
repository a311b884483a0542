import { creationSources } from '@kith/contract/creation-source'
import type { ExternalIds } from '@kith/contract/external-ids'
import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import { ME } from '@kith/contract/filter'
import { NAME_MAX } from '@kith/contract/limits'
import { sortNames } from '@kith/contract/list-query'
import { Refusal } from '@kith/contract/refusal'
import { EXTERNAL_IDS, INCLUDE_EXTERNAL_IDS, isToMany, type Resource, resourceIn } from '@kith/contract/resource'
import { camelCase } from '@kith/contract/resource-code'
import type { AttributeSchema, RelationSchema } from '@kith/contract/schema'
import { listLatestComments } from '../records/comments/comments.ts'
import { listRecords } from '../records/list.ts'
import type { PresentedRecords, ResourceObject } from '../records/present.ts'
import { readRecord } from '../records/read.ts'
import { sizeOf, TOOL_ANSWER_MAX_BYTES } from '../records/write-records.ts'
import { describeSchema } from '../schema/read-schema.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'

const ABOUT_MAX = 20

const NAMES_MAX = 50

type RecordText = { record: ResourceObject; title: string; text: string }

/** A record as text: its values by name, its relations, and the latest notes, tasks and comments about it. */
export function writeRecord(scope: Scope, resource: Resource, id: string): Promise<RecordText> {
  return inSnapshot(scope, (inside) => writeRecordIn(inside, resource, id))
}

async function writeRecordIn(scope: Scope, resource: Resource, id: string): Promise<RecordText> {
  const include = [...Object.keys(resource.relations), INCLUDE_EXTERNAL_IDS]
  const raw = { include, fields: namesOfRelated(resource) }
  const presented = await readRecord(scope, resource, { id, asked: { raw, loose: false, issues: [] } })
  const [record] = presented.data()
  if (!record) throw new Error('The record was read but not presented.')
  const title = labelOf(record)
  const text = [
    `# ${title} (${resource.one})`,
    ...valueLines(record, resource.fields),
    ...relationLines(resource, record, presented),
    ...externalIdLines(record),
    `- Created: ${record.attributes.created_at}, last changed: ${record.attributes.updated_at}`,
    ...(await aboutLines(scope, record, resourceIn(scope.schema, 'notes').fields)),
    ...(await commentLines(scope, record.id)),
  ].join('\n')
  return { record, title, text }
}

/** Loads only the names of related records. */
function namesOfRelated({ type, relations, schema }: Resource): Record<string, string[]> {
  const types = Object.values(relations).flatMap(({ to }) => (to === type ? [] : to))
  return Object.fromEntries(types.map((to) => [to, [to === 'users' ? 'name' : resourceIn(schema, to).label]]))
}

function labelOf({ attributes }: ResourceObject): string {
  return String(attributes.name ?? attributes.title ?? '')
}

function valueLines({ attributes }: ResourceObject, fields: FieldSet): string[] {
  // A complete record has its values by code.
  const values = (attributes.custom_fields ?? {}) as Readonly<Record<string, unknown>>
  return fields.list.flatMap(({ code, name, type }) => {
    const shown = valueText(values[code])
    if (shown === '') return []
    return fieldTypes[type].multiline ? ['', `## ${name}`, shown, ''] : [`- ${name}: ${shown}`]
  })
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  if (typeof value === 'object' && 'label' in value) return String(value.label)
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}

function relationLines(resource: Resource, record: ResourceObject, { included = [] }: PresentedRecords): string[] {
  const names = new Map(included.map((one) => [one.id, labelOf(one)]))
  return Object.entries(resource.relations).flatMap(([name, relation]) => {
    const linked = record.relationships?.[name]?.data ?? []
    const related = Array.isArray(linked) ? linked : [linked]
    if (related.length === 0) return []
    const shown = related.slice(0, NAMES_MAX).map(({ id, type }) => `${names.get(id)} [${type}/${id}]`)
    const more = related.length > NAMES_MAX ? ` and ${related.length - NAMES_MAX} more` : ''
    return [`- ${isToMany(relation) ? name : wordsOf(name)}: ${shown.join(', ')}${more}`]
  })
}

function externalIdLines({ attributes }: ResourceObject): string[] {
  // Read with externalIds.
  const ids = (attributes.external_ids ?? {}) as ExternalIds
  return Object.entries(ids).map(([namespace, own]) => `- ID in ${namespace}: ${own.slice(0, NAMES_MAX).join(', ')}`)
}

/** `accountOwner` as people read it. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** The latest comments on the record, in their order. */
async function commentLines(scope: Scope, record_id: string): Promise<string[]> {
  const comments = await listLatestComments(scope, { record_id, limit: ABOUT_MAX })
  if (comments.length === 0) return []
  const lines = comments.map(({ id, author, attributes: { body, created_at, reply_to } }) => {
    const answered = reply_to === null ? '' : `, reply to ${reply_to}`
    return `- ${author} [comments/${id}], ${created_at}${answered}: ${body.replaceAll('\n', '\n  ')}`
  })
  return ['', '## Latest comments', ...lines]
}

/** The latest notes and tasks that are linked to the record. */
async function aboutLines(scope: Scope, { type, id }: ResourceObject, fields: FieldSet): Promise<string[]> {
  const relation = camelCase(type)
  const about = ['notes', 'tasks']
    .map((name) => resourceIn(scope.schema, name))
    .filter((one) => relation in one.relations)
  const lines: string[] = []
  for (const one of about) {
    const raw = { filter: { [relation]: { $in: [id] } }, per_page: ABOUT_MAX }
    const { data, count } = await listWholeOrNamed(scope, one, raw)
    if (count > 0) lines.push('', `## Latest ${one.type}`)
    for (const record of data()) {
      lines.push(`- ${labelOf(record)} [${one.type}/${record.id}], ${record.attributes.created_at}`)
      if (one.type === 'notes') lines.push(...valueLines(record, fields).map((line) => `  ${line}`))
    }
  }
  return lines
}

/** The complete records, or only their names if the records are too large for an answer. */
async function listWholeOrNamed(
  scope: Scope,
  resource: Resource,
  raw: Record<string, unknown>,
): Promise<PresentedRecords> {
  try {
    const listed = await listRecords(scope, resource, { raw, loose: false, issues: [] })
    if (sizeOf(listed.text()) <= TOOL_ANSWER_MAX_BYTES / 2) return listed
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  const named = { ...raw, fields: [resource.label, 'created_at'] }
  return listRecords(scope, resource, { raw: named, loose: false, issues: [] })
}

/** Which resources the workspace has, in a few words each. */
export async function listResources(scope: Scope): Promise<{ resources: object[] }> {
  requireAbilities(scope, ['read'])
  return { resources: [...scope.schema.values()].map(mentioned) }
}

/** The JSON of one has at most 240 characters. */
const MENTION_MAX = 240

function mentioned({ type, row, about, fields }: Resource): object {
  const short = { resource: type, name: row.name, about: row.description ?? about, custom_fields: fields.list.length }
  const over = JSON.stringify(short).length - MENTION_MAX
  return over <= 0 ? short : { ...short, about: `${cutText(short.about, 0, short.about.length - over - 1)}…` }
}

/** The description of a resource in this workspace: how to read, filter and write its records. */
export async function describeResource(scope: Scope, resource: Resource): Promise<ReturnType<typeof described>> {
  requireAbilities(scope, ['read'])
  return described(scope, resource)
}

function described(scope: Scope, resource: Resource) {
  const fields = resource.fields
  const schema = describeSchema(resource, 0)
  const matching = Object.entries(schema.custom_fields).filter(([, { matchable }]) => matchable)
  return {
    resource: resource.type,
    one: resource.one,
    attributes: Object.entries(schema.attributes).map(describeAttribute),
    relations: Object.entries(schema.relations).map(describeRelation),
    counts: Object.keys(resource.counts),
    custom_fields: fields.list.map((field) => describeField(scope, field)),
    sort: sortNames(resource),
    upsert_match: [...matching.map(([code]) => code), `${EXTERNAL_IDS}.<namespace>`],
    examples: examplesFor(scope, resource),
  }
}

const SOURCES = `how the record was created: ${creationSources.slice(0, -1).join(', ')} or ${creationSources.at(-1)}`

const IDS =
  'ids of other systems: an object of lists by namespace, such as {"salesforce": ["001A"]}. Sent: one id or a list ' +
  'for each namespace; an absent one stays, null clears. Read with include: externalIds. Filters name the namespace: ' +
  '{"external_ids": {"salesforce": {"$has_any": ["001A"]}}}'

/** The values of an attribute, in words. */
const types: Readonly<Record<AttributeSchema['type'], (attribute: AttributeSchema) => string>> = {
  id: () => 'ID, set by the service',
  text: () => `text of 1 to ${NAME_MAX} characters, required`,
  reference: ({ to }) => `ID of one of ${to}, or null`,
  references: ({ to, relation }) => `list of IDs of ${to}; read it as the relation ${relation}`,
  external_ids: () => IDS,
  choice: () => SOURCES,
  time: () => 'UTC time, ISO 8601',
  boolean: () => 'true or false, in filters only',
}

function describeAttribute([name, attribute]: [string, AttributeSchema]) {
  const { type, writable: written, readable: read, operators } = attribute
  return { name, type: types[type](attribute), written, read, operators }
}

function describeRelation([name, relation]: [string, RelationSchema]) {
  const { type: to, many, operators, nested_conditions, includable: included } = relation
  return { name, to, many, operators, nested_conditions, included }
}

/** A value and a filter that work as they are. */
function exampleOf({ schema, actor }: Scope, field: FieldDefinition) {
  const { refersTo, example } = fieldTypes[field.type]
  if (refersTo === 'members') return { value: actor.user_id, filter: { $in: [ME] } }
  const target = refersTo && schema.get(targetOf(field))
  if (!target) return example(field)
  const match = { field: `${EXTERNAL_IDS}.crm`, value: 'A-1' }
  return {
    value: { match, create: { [target.label]: 'Example' } },
    filter: { [target.label]: { $contains: 'example' } },
  }
}

function describeField(scope: Scope, field: FieldDefinition) {
  const { operators, hosts, sortable } = fieldTypes[field.type]
  const { value, filter } = exampleOf(scope, field)
  return {
    code: field.code,
    name: field.name,
    type: field.type,
    description: field.description,
    required: field.required,
    unique: field.unique,
    multiple: field.multiple,
    max_values: field.max_values,
    options: field.options.map(({ id, label }) => ({ id, label })),
    settings: field.settings,
    operators: hosts ? [...operators, 'domain ($in, $not_in)'] : [...operators],
    sortable,
    example_value: value,
    example_filter: { custom_fields: { [field.code]: filter } },
  }
}

function examplesFor(scope: Scope, resource: Resource) {
  const few = resource.fields.list.slice(0, 3)
  const custom_fields = Object.fromEntries(few.map((field) => [field.code, exampleOf(scope, field).value]))
  const [first] = few
  const about = first ? { custom_fields: { [first.code]: exampleOf(scope, first).filter } } : {}
  return {
    create_record: { resource: resource.type, attributes: { [resource.label]: 'Acme', custom_fields } },
    list_records: {
      resource: resource.type,
      filter: { [resource.label]: { $contains: 'acme' }, ...about },
      sort: '-updated_at',
      include: Object.keys(resource.relations).slice(1, 2),
    },
  }
}

/** The maximum length of a tool's answer that common clients accept, in tokens of a model. */
export const TOKENS_MAX = 25_000

/** Estimates the tokens of a text: one for four letters of English or JSON, more for other scripts. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4 + (Buffer.byteLength(text) - text.length) * 0.4)
}

/** A part of a text. Never ends inside a character. */
export function cutText(text: string, from: number, length: number): string {
  const part = text.slice(from, from + length)
  const isSplit = from + length < text.length && /[\ud800-\udbff]$/.test(part)
  return isSplit ? part.slice(0, -1) : part
}

/** As much of a text as fits into an answer. */
export function partOfText(text: string, from: number): string {
  let part = cutText(text, from, PART_LENGTH)
  while (estimateTokens(JSON.stringify(part)) > PART_TOKENS) part = cutText(part, 0, Math.floor(part.length / 2))
  return part
}

export const PART_LENGTH = 60_000

const PART_TOKENS = 20_000
