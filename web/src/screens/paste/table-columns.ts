import { readListCell, writeListCell } from '@kith/contract/csv/list-cell'
import { fold } from '@kith/contract/fold'
import { parseId } from '@kith/contract/id'
import { dataOfCells } from '@kith/contract/import/row-data'
import type { CellSettings } from '@kith/contract/import/settings'
import { parseTarget } from '@kith/contract/import/target'
import type { Resource } from '@kith/contract/resource'
import type { Property } from '../../properties/property.ts'
import { attributeOf, isEditable } from '../../properties/property-view.ts'
import { problemsOf } from '../import/columns/check-rows.ts'
import { namesOf, plainName } from '../import/columns/column-names.ts'
import { contentOf } from '../import/columns/content.ts'
import { choicesOf } from '../import/draft.ts'

/** For each column of the table the key of a property, or null where it is left out. */
export type TableColumns = readonly (string | null)[]

/** Whether the first row has names: most of its cells are what a property is called. */
export function hasHeader([first = []]: readonly string[][], properties: readonly Property[], resource: Resource) {
  const filled = first.filter((cell) => cell !== '')
  const known = filled.filter((cell) => properties.some((property) => isCalled(property, cell, resource)))
  return known.length > 0 && known.length * 2 >= filled.length
}

/** The properties of the columns: by their names, or else those of the list in its order. */
export function columnsOf(
  rows: readonly string[][],
  by: { header: boolean; properties: readonly Property[]; visible: readonly Property[]; resource: Resource },
): TableColumns {
  const { header, properties, visible, resource } = by
  const taken = new Set<string>()
  return (rows[0] ?? []).map((cell, place) => {
    const found = header ? properties.find((one) => isCalled(one, cell, resource)) : visible[place]
    if (!found || !isEditable(found) || taken.has(found.key)) return null
    taken.add(found.key)
    return found.key
  })
}

function isCalled(property: Property, cell: string, resource: Resource): boolean {
  const name = plainName(cell)
  if (name === '' || !isEditable(property)) return false
  const code = 'field' in property ? property.field?.code : undefined
  const usual = namesOf(attributeOf(property), resource)
  return [property.label, code ?? property.key].some((one) => plainName(one) === name) || usual.includes(name)
}

/** The ids of records and members by what a cell may call them, in folded letters. Several have the same name. */
export type NamedRecords = ReadonlyMap<string, readonly string[]>

type Reading = {
  resource: Resource
  columns: readonly (Property | undefined)[]
  settings: CellSettings
  /** For the columns of references, by the key of the property. */
  named: ReadonlyMap<string, NamedRecords>
}

/** A row as it is sent, and its problems by the index of the column. Those of the whole row are under -1. */
export function readRow(cells: readonly string[], { resource, columns, settings, named }: Reading) {
  const problems = new Map<number, string[]>()
  const targets = columns.map((property) => (property ? (parseTarget(attributeOf(property), resource) ?? null) : null))
  const written = cells.map((cell, index) => {
    const property = columns[index]
    const records = property && named.get(property.key)
    if (!property || !records || cell === '') return cell
    const found = namesIn(cell, property).map((name) => ({ name, ids: idsOf(name, records) }))
    const wrong = found.filter(({ ids }) => ids.length !== 1)
    if (wrong.length === 0) return writeListCell(found.flatMap(({ ids }) => ids))
    const told = wrong.map(({ name, ids }) => `${ids.length === 0 ? 'Nothing' : 'More than one'} is called “${name}”.`)
    problems.set(index, told)
    return ''
  })
  const rules = { resource, targets, settings, mode: 'create', create_options: false } as const
  for (const [index, found] of problemsOf(written, rules)) {
    if (!problems.has(index)) problems.set(index, found)
  }
  return { data: dataOfCells(written, targets, settings).data, problems }
}

/** The names in the cell of a reference. */
export function namesIn(cell: string, { kind }: Property): string[] {
  const all = kind === 'links' ? readListCell(cell) : [cell]
  return all.map((name) => name.trim()).filter((name) => name !== '')
}

function idsOf(name: string, records: NamedRecords): readonly string[] {
  const id = parseId(name)
  return id === undefined ? (records.get(fold(name)) ?? []) : [id]
}

/** How dates and numbers are written, as far as the cells tell. */
export function settingsOf(
  rows: readonly string[][],
  columns: readonly (Property | undefined)[],
  resource: Resource,
): CellSettings {
  const targets = columns.map((property) => (property ? attributeOf(property) : null))
  const contents = columns.map((_, index) => {
    const cells = rows.map((row) => row[index] ?? '')
    return contentOf(cells, { values: null, filled: cells.length })
  })
  const facts = contents.map(() => ({ filled: 0, values: null }))
  const scanned = { header: [], rows: [], total: rows.length, columns: facts, contents }
  const { blank, dates, decimal } = choicesOf({ scanned, targets, chosen: {} }, resource)
  return { blank, dates, decimal }
}
