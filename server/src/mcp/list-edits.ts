import { excerpt } from '@kith/contract/excerpt'
import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { isObject } from '@kith/contract/raw-input'
import { Refusal, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { definitionsOf } from '../fields/definitions.ts'
import type { Sent } from '../records/ask.ts'
import { keysOf } from '../records/check-input.ts'
import type { Presented } from '../records/present.ts'
import { readRecord } from '../records/read.ts'
import { updateRecord } from '../records/update.ts'
import type { Scope } from '../scope/scope.ts'

/** What is added to lists and removed from them, as the caller sent it: `{company_ids, custom_fields: {tags}}`. */
type ListEdits = { add: unknown; remove: unknown }

type EditedUpdate = { id: string; sent: Sent; edits: ListEdits }

const ATTEMPTS = 10

/**
 * Updates a record and edits its lists. The lists are read first, and the write is refused if the record has changed
 * since: then they are read again.
 */
export async function updateWithEdits(scope: Scope, resource: Resource, update: EditedUpdate): Promise<Presented> {
  const { id, sent, edits } = update
  const definitions = await definitionsOf(scope)
  const fields = definitions[resource.type].list.filter(({ type }) => fieldTypes[type].list)
  for (let attempt = 1; ; attempt++) {
    const links = Object.entries(resource.links).filter(([key]) => isSent(edits.add, key) || isSent(edits.remove, key))
    const include = links.map(([, { relation }]) => relation)
    const presented = await readRecord(scope, resource, { id, asked: { raw: { include }, loose: false, issues: [] } })
    const attributes = objectIn(sent.body)
    const body = { ...attributes, ...editedLists({ resource, fields, presented, body: attributes, edits }) }
    try {
      const expected = [String(presented.data[0]?.attributes.updated_at)]
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

type Editing = {
  resource: Resource
  fields: readonly FieldDefinition[]
  presented: Presented
  body: Readonly<Record<string, unknown>>
  edits: ListEdits
}

/** The edited lists as a write takes them. */
function editedLists(editing: Editing): Record<string, unknown> {
  const issues: Issue[] = []
  const report = reportInto(issues)
  for (const name of ['add', 'remove'] as const) checkEdit(name, editing, report)
  const links = editedLinks(editing, report)
  const values = { ...objectIn(editing.body.custom_fields), ...editedFields(editing, report) }
  refuseIfAny(issues)
  return Object.keys(values).length > 0 ? { ...links, custom_fields: values } : links
}

/** Reports what is no list, and lists that are replaced as well. */
function checkEdit(name: keyof ListEdits, { resource, fields, body, edits }: Editing, report: Report): void {
  const edit = edits[name]
  if (edit !== undefined && !isObject(edit)) report(name, `The ${name} must be an object.`)
  const check = (parts: Parts) => {
    for (const key of Object.keys(parts.edit)) {
      const path = `${parts.path}.${excerpt(key)}`
      if (!parts.lists.includes(key)) report(path, `${excerpt(key)} is no list. Lists: ${parts.lists.join(', ')}.`)
      else if (key !== CUSTOM && parts.replaced[key] !== undefined) report(path, `${key} is in attributes as well.`)
    }
  }
  const all = objectIn(edit)
  check({ path: name, edit: all, replaced: body, lists: [...Object.keys(resource.links), CUSTOM] })
  const replaced = objectIn(body.custom_fields)
  check({
    path: `${name}.${CUSTOM}`,
    edit: objectIn(all.custom_fields),
    replaced,
    lists: fields.map(({ code }) => code),
  })
}

const CUSTOM = 'custom_fields'

type Parts = {
  path: string
  edit: Readonly<Record<string, unknown>>
  replaced: Readonly<Record<string, unknown>>
  lists: readonly string[]
}

function editedLinks({ resource, presented, edits }: Editing, report: Report): Record<string, unknown> {
  const [record] = presented.data
  const edited = Object.entries(resource.links).flatMap(([key, { relation }]) => {
    if (!isSent(edits.add, key) && !isSent(edits.remove, key)) return []
    if (presented.truncated.includes(relation)) report(key, `${key} has more IDs than can be edited this way.`)
    const linked = record?.relationships?.[relation]?.data ?? []
    const ids = (Array.isArray(linked) ? linked : [linked]).map((one) => one.id)
    const removed = listIn(objectIn(edits.remove)[key]).map((one) => String(one).toLowerCase())
    const added = listIn(objectIn(edits.add)[key]).filter((one) => !ids.includes(String(one).toLowerCase()))
    return [[key, [...ids.filter((id) => !removed.includes(id)), ...added]]]
  })
  return Object.fromEntries(edited)
}

function editedFields({ fields, presented, edits }: Editing, report: Report): Record<string, unknown> {
  const shown = objectIn(presented.data[0]?.attributes.custom_fields)
  const edited = fields.flatMap((field) => {
    const [add, remove] = [edits.add, edits.remove].map((edit) => objectIn(objectIn(edit).custom_fields)[field.code])
    if (add === undefined && remove === undefined) return []
    return [[field.code, editedValues(field, { current: listIn(shown[field.code]), add, remove }, report)]]
  })
  return Object.fromEntries(edited)
}

function objectIn(raw: unknown): Readonly<Record<string, unknown>> {
  return isObject(raw) ? raw : {}
}

function listIn(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? raw : raw === undefined || raw === null ? [] : [raw]
}

type ValueEdit = { current: readonly unknown[]; add: unknown; remove: unknown }

/** Values are the same if the index has them under the same key: in any letter case, phone numbers in any form. */
function editedValues(field: FieldDefinition, { current, add, remove }: ValueEdit, report: Report): unknown[] {
  const keyOf = (value: unknown, path?: string) => {
    const place = { field, path: path ?? '', report: path === undefined ? () => {} : report }
    return keysOf(field, fieldTypes[field.type].parse([value], place))[0] ?? value
  }
  // Options are read with their label and written by id.
  const kept = current.map((value) => (isObject(value) ? value.id : value))
  const removed = new Set(listIn(remove).map((value) => keyOf(value, `remove.custom_fields.${field.code}`)))
  const left = kept.filter((value) => !removed.has(keyOf(value)))
  const held = new Set(left.map((value) => keyOf(value)))
  return [...left, ...listIn(add).filter((value) => !held.has(keyOf(value)))]
}
