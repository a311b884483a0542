import { isObject } from '../raw-input.ts'
import type { Resource } from '../resource.ts'
import { cellValue } from './cell-value.ts'
import type { CellSettings } from './settings.ts'
import type { ImportTarget } from './target.ts'

/** A row as the body of a request. `id` is that of the record, where the row names one. */
export type RowData = { id?: unknown; data: Record<string, unknown> }

export function dataOfCells(
  cells: readonly string[],
  targets: readonly (ImportTarget | null)[],
  settings: CellSettings,
): RowData {
  const row: RowData = { data: {} }
  const external: Record<string, unknown> = {}
  const fields: Record<string, unknown> = {}
  targets.forEach((target, index) => {
    const value = target ? cellValue(cells[index] ?? '', target, settings) : undefined
    if (!target || value === undefined) return
    if (target.kind === 'id') row.id = value ?? undefined
    else if (target.kind === 'field') fields[target.field.code] = value
    else if (target.kind === 'external_ids') external[target.namespace] = value
    else row.data[target.key] = value
  })
  if (Object.keys(external).length > 0) row.data.external_ids = external
  if (Object.keys(fields).length > 0) row.data.custom_fields = fields
  return row
}

/** The body in a line of NDJSON: a sync form, or a body of a create, with the id of the record if `match` is the id. */
export function dataOfLine(json: Record<string, unknown>, resource: Resource, match: string | null): RowData {
  if (isObject(json.attributes)) return { id: json.id, data: bodyOf(json, resource) }
  if (match !== 'id') return { data: json }
  const { id, ...data } = json
  return { id, data }
}

/** The attributes and links of a sync form. */
function bodyOf({ attributes, relationships }: Record<string, unknown>, resource: Resource): Record<string, unknown> {
  const data: Record<string, unknown> = isObject(attributes) ? { ...attributes } : {}
  if (!isObject(relationships)) return data
  for (const [key, { relation }] of Object.entries(resource.links)) {
    const list = relationships[relation]
    if (isObject(list) && Array.isArray(list.data)) {
      data[key] = list.data.map((item: unknown) => (isObject(item) ? item.id : item))
    }
  }
  return data
}
