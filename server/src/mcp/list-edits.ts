import { excerpt } from '@kith/contract/excerpt'
import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { isObject } from '@kith/contract/raw-input'
import { parseOrRefuse, Refusal } from '@kith/contract/refusal'
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
    const body = editedBody({ resource, fields, presented, body: objectIn(sent.body), edits })
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

type Values = Readonly<Record<string, unknown>>

type Editing = {
  resource: Resource
  fields: readonly FieldDefinition[]
  presented: Presented
  body: Values
  edits: ListEdits
}

/** The body with the edited lists, as a write takes it. */
function editedBody({ resource, fields, presented, body, edits }: Editing): Values {
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

function linkLists({ links }: Resource, { data: [record], truncated }: Presented, report: Report): Lists {
  const lists = Object.entries(links).map(([key, { relation }]): [string, List] => {
    if (truncated.includes(relation)) report(key, `${key} has more IDs than can be edited this way.`)
    const linked = record?.relationships?.[relation]?.data ?? []
    const current = (Array.isArray(linked) ? linked : [linked]).map((one) => one.id)
    return [key, { current, keyOf: (id) => String(id).toLowerCase() }]
  })
  return Object.fromEntries(lists)
}

/** Values have the key that the index has: in any letter case, phone numbers in any form. */
function fieldLists(fields: readonly FieldDefinition[], { data: [record] }: Presented, report: Report): Lists {
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

type Edits = { path: string; lists: Lists; replaced: Values; add: Values; remove: Values }

/** The edited lists. Reports what is no list, and lists that are replaced as well. */
function editedLists({ path, lists, replaced, add, remove }: Edits, report: Report): Values {
  for (const [name, edit] of Object.entries({ add, remove })) {
    for (const key of Object.keys(edit)) {
      const place = `${name}.${path}${excerpt(key)}`
      if (!Object.hasOwn(lists, key)) report(place, `${excerpt(key)} is no list. Lists: ${namesIn(lists, path)}.`)
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
