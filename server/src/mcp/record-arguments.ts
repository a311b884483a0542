import { answerParameters } from '@kith/contract/answer-options'
import { excerpt } from '@kith/contract/excerpt'
import { isNamespace, NAMESPACE_RULE } from '@kith/contract/external-ids'
import { isList } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { isObject, isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse, Refusal, refuseValue } from '@kith/contract/refusal'
import { INCLUDE_EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import { given } from '@kith/contract/shape'
import type { RawParameters, WriteRequest } from '../records/expected.ts'
import type { PresentedRecords, ResourceObject } from '../records/present.ts'
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

const EDIT = /^(.+)\.\$(add|remove)(.*)$/

function placed(path: string, others: readonly string[]): string {
  const [, list, name = '', item] = EDIT.exec(path) ?? []
  if (others.includes(name)) return `${name}.${list}${item}`
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

export function parseDocumentId({ schema }: Scope, text: string): { resource: Resource; id: string } {
  const [name, id, ...more] = text.split('/')
  const resource = schema.get(name ?? '')
  if (resource && id !== undefined && more.length === 0) return { resource, id }
  const example = 'companies/01kb8x2m4n6p8q0r2s4t6v8w0x'
  const message =
    `The id ${excerpt(text)} must be one that search gave: a resource, a slash and an ID, ` +
    `such as ${example}. Resources: ${[...schema.keys()].join(', ')}.`
  return refuseValue('id', message)
}

type Values = Readonly<Record<string, unknown>>

/** The items to add to lists and to remove from them, as sent: `{company_ids, custom_fields: {tags}}`. */
type ListEdits = { add: unknown; remove: unknown }

/**
 * A write whose body also edits lists, in the form of the REST API: `{"$add": […], "$remove": […]}`. Refuses names that
 * are no lists, and lists that `attributes` replaces.
 */
export function withEdits(resource: Resource, { body, asked }: WriteRequest, edits: ListEdits): WriteRequest {
  const edited = parseOrRefuse([], (report) => {
    const whole: Record<string, unknown> = { ...objectIn(body) }
    for (const [name, edit] of Object.entries(edits)) {
      const { custom_fields, external_ids, ...links } = objectIn(edit)
      const codes = resource.fields.list.filter(isList).map(({ code }) => code)
      const own = { name, replaced: objectIn(body) }
      editLists(whole, { ...own, items: links, lists: Object.keys(resource.links) }, report)
      editPart(whole, { ...own, part: 'custom_fields', items: custom_fields, lists: codes }, report)
      editPart(whole, { ...own, part: 'external_ids', items: external_ids }, report)
    }
    return whole
  })
  return { body: edited, asked: edited.external_ids === undefined ? asked : withExternalIds(asked) }
}

/** `name`: add or remove. `lists`: the keys that have lists, if not all. `replaced`: what is set as a whole. */
type ListEdit = { name: string; replaced: Values; items: unknown; lists?: readonly string[]; part?: string }

function editPart(whole: Record<string, unknown>, edit: ListEdit & { part: string }, report: Report): void {
  const { part, items, replaced } = edit
  if (!isObject(items)) return
  const own = { ...objectIn(whole[part]) }
  editLists(own, { ...edit, replaced: objectIn(replaced[part]) }, report)
  whole[part] = own
}

function editLists(
  into: Record<string, unknown>,
  { name, replaced, items, lists, part }: ListEdit,
  report: Report,
): void {
  for (const [key, sent] of Object.entries(objectIn(items))) {
    const place = [name, part, excerpt(key)].filter((one) => one !== undefined).join('.')
    if (lists && !lists.includes(key)) {
      const known = part === undefined ? [...lists, 'custom_fields', 'external_ids'] : lists
      report(place, `${excerpt(key)} is not a list. Lists: ${known.join(', ')}.`)
    } else if (!lists && !isNamespace(key)) report(place, `${excerpt(key)} is no namespace. ${NAMESPACE_RULE}`)
    else if (replaced[key] !== undefined) report(place, `${key} is in attributes as well.`)
    else into[key] = { ...objectIn(into[key]), [`$${name}`]: listIn(sent) }
  }
}

function objectIn(raw: unknown): Values {
  return isObject(raw) ? raw : {}
}

function listIn(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? raw : raw === undefined || raw === null ? [] : [raw]
}
