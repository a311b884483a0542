import { answerParameters } from '@kith/contract/answer-options'
import { excerpt } from '@kith/contract/excerpt'
import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { isObject, isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse, Refusal, refuseValue } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { INCLUDE_EXTERNAL_IDS, type Resource, resourceNames } from '@kith/contract/resource'
import { given } from '@kith/contract/shape'
import { definitionsOf } from '../fields/definitions.ts'
import { keysOf } from '../records/check-input.ts'
import type { RawParameters, WriteRequest } from '../records/expected.ts'
import type { PresentedRecords, ResourceObject } from '../records/present.ts'
import { readRecord } from '../records/read.ts'
import { updateRecord } from '../records/write.ts'
import type { Scope } from '../scope/scope.ts'
import { anyObject, type Installation, parametersIn, type ToolInput, text } from './tool.ts'

export const idSchema = text('The ID of the record.')

/** How an answer shows its records. */
export const answerArguments = {
  include: given({
    type: 'array',
    items: { type: 'string' },
    description: 'Relations, counts or externalIds to add, such as ["company"]; describe_resource lists them.',
  }),
  fields: given({
    anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'object' }],
    description:
      'Only these attributes, such as ["name", "custom_fields.stage"]; for included records an object of lists by type.',
  }),
} as const

/** The attributes of a write. The keys depend on the resource; the values of custom fields on the workspace. */
export const attributesSchema = anyObject(
  'Attributes by name, and custom_fields by code; describe_resource lists both. Choices by label. A record by its ID or ' +
    '{"match": {"field": …, "value": …}}, a member also by {"email": …}.',
)

/** A write of `attributes`, in the form of the operations. */
export function sentIn(input: ToolInput, others: Readonly<Record<string, unknown>> = {}): WriteRequest {
  const attributes = typeof input.attributes === 'object' ? input.attributes : {}
  const asked = parametersIn(input, answerParameters)
  const body: Record<string, unknown> = { ...attributes, ...others }
  return { body, asked: body.external_ids === undefined ? asked : withExternalIds(asked) }
}

/** Runs a write, and reports problems of its body below `attributes`, as the tool names it. */
export async function underAttributes<T>(write: Promise<T>, others: readonly string[] = []): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason.kind !== 'invalid') throw error
    const issues = error.reason.issues.map(({ path, message }) => ({ path: placed(path, others), message }))
    throw new Refusal({ kind: 'invalid', issues })
  }
}

function placed(path: string, others: readonly string[]): string {
  const [first = ''] = path.split('.', 1)
  return [...answerParameters, ...others].includes(first) ? path : `attributes.${path}`
}

/**
 * Parameters that also show the external ids. A value that is not a list of names is not changed, and is refused later.
 */
export function withExternalIds({ raw, ...asked }: RawParameters): RawParameters {
  const { include } = raw
  const names = isUnsent(include) ? [] : typeof include === 'string' ? [include] : include
  return { ...asked, raw: { ...raw, include: Array.isArray(names) ? [...names, INCLUDE_EXTERNAL_IDS] : names } }
}

/** A single record, in the same form on every surface. */
type RecordDocument = {
  data: ResourceObject | undefined
  included: readonly ResourceObject[] | undefined
  meta: { truncated: string[] } | undefined
}

export function recordDocument({ data, included, truncated }: PresentedRecords): RecordDocument {
  return { data: data()[0], included, meta: truncated.length > 0 ? { truncated } : undefined }
}

/** The id of a record of any resource, for tools that take a single id. */
export function documentId(resource: string, id: string): string {
  return `${resource}/${id}`
}

/** The URL of the record in the application. */
export function pageOf(scope: Scope, { app_url }: Installation, documentId: string): string {
  return `${app_url}/${scope.workspace.slug}/${documentId}`
}

export function parseDocumentId(text: string): { resource: Resource; id: string } {
  const [name, id, ...more] = text.split('/')
  const known = resourceNames.find((candidate) => candidate === name)
  if (known !== undefined && id !== undefined && more.length === 0) return { resource: registry[known], id }
  const example = 'companies/01kb8x2m4n6p8q0r2s4t6v8w0x'
  const message =
    `The id ${excerpt(text)} must be one that search gave: a resource, a slash and an ID, ` +
    `such as ${example}. Resources: ${resourceNames.join(', ')}.`
  return refuseValue('id', message)
}

/** The items to add to lists and to remove from them, as sent: `{company_ids, custom_fields: {tags}}`. */
type ListEdits = { add: unknown; remove: unknown }

const ATTEMPTS = 10

/**
 * Updates a record and edits its lists. The lists are read first. If the record has changed before the write, they are
 * read again.
 */
export async function updateWithEdits(
  scope: Scope,
  resource: Resource,
  update: { id: string; sent: WriteRequest; edits: ListEdits },
): Promise<PresentedRecords> {
  const { id, sent, edits } = update
  const definitions = await definitionsOf(scope)
  const fields = definitions[resource.type].list.filter(({ type }) => fieldTypes[type].list)
  for (let attempt = 1; ; attempt++) {
    const links = Object.entries(resource.links).filter(([key]) => isSent(edits.add, key) || isSent(edits.remove, key))
    const include = links.map(([, { relation }]) => relation)
    const presented = await readRecord(scope, resource, { id, asked: { raw: { include }, loose: false, issues: [] } })
    const body = editedBody({ resource, fields, presented, body: objectIn(sent.body), edits })
    try {
      const expected = [String(presented.data()[0]?.attributes.updated_at)]
      return await updateRecord(scope, resource, { id, ...sent, body, expected })
    } catch (error) {
      const changed = error instanceof Refusal && error.reason.kind === 'precondition_failed'
      if (!changed || attempt === ATTEMPTS) throw error
    }
  }
}

function isSent(edit: unknown, key: string): boolean {
  return isObject(edit) && edit[key] !== undefined
}

type Values = Readonly<Record<string, unknown>>

/** The body of a write with the edited lists. */
function editedBody({
  resource,
  fields,
  presented,
  body,
  edits,
}: {
  resource: Resource
  fields: readonly FieldDefinition[]
  presented: PresentedRecords
  body: Values
  edits: ListEdits
}): Values {
  return parseOrRefuse([], (report) => {
    const { custom_fields: addValues, ...add } = objectIn(edits.add)
    const { custom_fields: removeValues, ...remove } = objectIn(edits.remove)
    const links = linkLists(resource, presented, report)
    const edited = { ...body, ...editedLists({ path: '', lists: links, replaced: body, add, remove }, report) }
    const replaced = objectIn(body.custom_fields)
    const inFields = { add: objectIn(addValues), remove: objectIn(removeValues), replaced }
    const lists = fieldLists(fields, presented, report)
    const values = { ...replaced, ...editedLists({ path: 'custom_fields.', lists, ...inFields }, report) }
    return Object.keys(values).length > 0 ? { ...edited, custom_fields: values } : edited
  })
}

/** A list before the edits. Two values with the same key are the same. A problem of a value is reported at `path`. */
type List = { current: readonly unknown[]; keyOf(value: unknown, path?: string): unknown }

type Lists = Readonly<Record<string, List>>

function linkLists({ links }: Resource, { data, truncated }: PresentedRecords, report: Report): Lists {
  const [record] = data()
  const lists = Object.entries(links).map(([key, { relation }]): [string, List] => {
    if (truncated.includes(relation)) report(key, `${key} has more IDs than can be edited this way.`)
    const linked = record?.relationships?.[relation]?.data ?? []
    const current = (Array.isArray(linked) ? linked : [linked]).map((one) => one.id)
    return [key, { current, keyOf: (id) => String(id).toLowerCase() }]
  })
  return Object.fromEntries(lists)
}

/** Values have the same key as in the index: letter case and the format of phone numbers do not matter. */
function fieldLists(fields: readonly FieldDefinition[], { data }: PresentedRecords, report: Report): Lists {
  const [record] = data()
  const shown = objectIn(record?.attributes.custom_fields)
  const lists = fields.map((field): [string, List] => {
    // Options are read with their label and written by id.
    const current = listIn(shown[field.code]).map((value) => (isObject(value) ? value.id : value))
    const keyOf: List['keyOf'] = (value, path) => {
      const place = { field, path: path ?? '', report: path === undefined ? () => {} : report }
      return keysOf(field, fieldTypes[field.type].parse([value], place))[0] ?? value
    }
    return [field.code, { current, keyOf }]
  })
  return Object.fromEntries(lists)
}

/** The edited lists. Reports values that are not lists, and lists that are also replaced. */
function editedLists(
  { path, lists, replaced, add, remove }: { path: string; lists: Lists; replaced: Values; add: Values; remove: Values },
  report: Report,
): Values {
  for (const [name, edit] of Object.entries({ add, remove })) {
    for (const key of Object.keys(edit)) {
      const place = `${name}.${path}${excerpt(key)}`
      if (!Object.hasOwn(lists, key)) report(place, `${excerpt(key)} is not a list. Lists: ${namesIn(lists, path)}.`)
      else if (replaced[key] !== undefined) report(place, `${key} is in attributes as well.`)
    }
  }
  const edited = Object.entries(lists).flatMap(([key, { current, keyOf }]) => {
    if (add[key] === undefined && remove[key] === undefined) return []
    const removed = new Set(listIn(remove[key]).map((value) => keyOf(value, `remove.${path}${key}`)))
    const left = current.filter((value) => !removed.has(keyOf(value)))
    const held = new Set(left.map((value) => keyOf(value)))
    return [[key, [...left, ...listIn(add[key]).filter((value) => !held.has(keyOf(value)))]]]
  })
  return Object.fromEntries(edited)
}

function namesIn(lists: Lists, path: string): string {
  return [...Object.keys(lists), ...(path === '' ? ['custom_fields'] : [])].join(', ')
}

function objectIn(raw: unknown): Values {
  return isObject(raw) ? raw : {}
}

function listIn(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? raw : raw === undefined || raw === null ? [] : [raw]
}
