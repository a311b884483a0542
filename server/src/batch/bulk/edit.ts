import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { parseOrRefuse, refuseValue } from '@kith/contract/refusal'
import type { RelatedType, Resource } from '@kith/contract/resource'
import { keysOf } from '../../records/check-input.ts'
import { parseStored, presentValue } from '../../records/stored-values.ts'
import type { Fields } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { findExisting, loadLinked } from '../../storage/tables/links.ts'
import type { StoredRecord } from '../../storage/tables/records.ts'

const editOps = ['set', 'clear', 'add', 'remove'] as const
type EditOp = (typeof editOps)[number]

/** A change of one attribute: a native one, or `custom_fields.` and the code of a field. */
type Edit = { attribute: string; op: EditOp; value: unknown }

export function parseEdit({ text, raw, report }: Fields): { edit: Edit } {
  const op = editOps.find((one) => one === raw('op'))
  if (op === undefined) report('op', `The op must be one of: ${editOps.join(', ')}.`)
  return { edit: { attribute: text('attribute'), op: op ?? 'set', value: raw('value') ?? null } }
}

/** What is edited of a record. */
type Target =
  | { kind: 'label'; name: string }
  | { kind: 'reference'; name: string }
  | { kind: 'links'; name: string; to: RelatedType; relation: string }
  | { kind: 'field'; field: FieldDefinition }

const CUSTOM = 'custom_fields.'

export function targetOf(resource: Resource, definitions: Definitions, attribute: string): Target {
  const { byCode } = definitions[resource.type]
  const field = attribute.startsWith(CUSTOM) ? byCode.get(attribute.slice(CUSTOM.length)) : undefined
  if (field) return { kind: 'field', field }
  if (attribute === resource.label) return { kind: 'label', name: attribute }
  if (Object.hasOwn(resource.references, attribute)) return { kind: 'reference', name: attribute }
  const list = Object.hasOwn(resource.links, attribute) ? resource.links[attribute] : undefined
  if (list) return { kind: 'links', name: attribute, ...list }
  const known = [
    ...[resource.label, ...Object.keys(resource.references), ...Object.keys(resource.links)],
    ...[...byCode.keys()].map((code) => `${CUSTOM}${code}`),
  ]
  refuseValue('attribute', `The attribute must be one of: ${known.join(', ')}.`)
}

/** The body of an update that gives a record this value. */
export function dataOf(target: Target, value: unknown): Record<string, unknown> {
  return target.kind === 'field' ? { custom_fields: { [target.field.code]: value } } : { [target.name]: value }
}

/** The values of records as an update takes them: ids, and options by their ids. */
export async function valuesOf(
  inside: Scope,
  target: Target,
  rows: readonly StoredRecord[],
): Promise<Map<string, unknown>> {
  if (target.kind === 'links') return linkedBy(inside, target, rows)
  return new Map(rows.map((row) => [row.id, ownValue(row, target)]))
}

function ownValue(row: StoredRecord, target: Exclude<Target, { kind: 'links' }>): unknown {
  const own: Readonly<Record<string, unknown>> = row
  if (target.kind !== 'field') return own[target.name] ?? null
  const { field } = target
  const shown = presentValue(parseStored(row.custom_fields)[field.key], field)
  return Array.isArray(shown) ? shown.map(idOrSelf) : idOrSelf(shown)
}

function idOrSelf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'id' in item ? item.id : item
}

async function linkedBy(
  inside: Scope,
  { relation, to }: Extract<Target, { kind: 'links' }>,
  rows: readonly StoredRecord[],
): Promise<Map<string, string[]>> {
  const ids = rows.map(({ id }) => id)
  const links = await loadLinked(inside, ids, [relation])
  const existing = await findExisting(inside, to, [...new Set(links.map(({ to_id }) => to_id))])
  const byRecord = Map.groupBy(
    links.filter(({ to_id }) => existing.has(to_id)),
    ({ from_id }) => from_id,
  )
  return new Map(ids.map((id) => [id, (byRecord.get(id) ?? []).map(({ to_id }) => to_id)]))
}

/** How an edit changes a value. Refuses an edit that the attribute does not take. */
export function changeOf(target: Target, { op, value }: Edit, records: number): (before: unknown) => unknown {
  const isList = target.kind === 'links' || (target.kind === 'field' && fieldTypes[target.field.type].list)
  const gives = op === 'set' || op === 'add'
  if (gives && target.kind === 'field' && target.field.unique && records > 1) {
    refuseValue('op', `No two records can have the same ${target.field.name}. Change it record by record.`)
  }
  if (op === 'clear') return () => (isList ? [] : null)
  if (value === null) refuseValue('value', `The value is required to ${op}.`)
  if (op === 'set') return () => value
  if (!isList) refuseValue('op', `Only lists take ${op}. Use set or clear.`)
  const items = itemsOf(target, value)
  const keyOf = (item: unknown) => keyIn(target, item)
  const named = new Set(items.map(keyOf))
  return (before) => {
    const held: unknown[] = Array.isArray(before) ? before : []
    if (op === 'remove') return held.filter((item) => !named.has(keyOf(item)))
    const own = new Set(held.map(keyOf))
    return [...held, ...items.filter((item) => !own.has(keyOf(item)))]
  }
}

/** The items of a list, in the form in which they are stored. */
function itemsOf(target: Target, value: unknown): readonly unknown[] {
  if (target.kind !== 'field') return Array.isArray(value) ? value : refuseValue('value', 'The value must be a list.')
  const { field } = target
  const items = parseOrRefuse([], (report) => fieldTypes[field.type].parse(value, { field, path: 'value', report }))
  return Array.isArray(items) ? items : []
}

/** What makes two items of a list the same. */
function keyIn(target: Target, item: unknown): string {
  if (target.kind !== 'field' || typeof item !== 'string') return String(item)
  return keysOf(target.field, [item]).join(' ')
}
