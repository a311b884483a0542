import { fieldTypes } from '@kith/contract/field-types'
import type { Property } from '../../properties/property.ts'
import { widthOf } from '../../properties/property-view.ts'

export type Column = { property: Property; width: number }

export const COLUMN_MIN = 72
export const COLUMN_MAX = 800

/** So many columns are shown until the user chooses others. */
const SHOWN = 8

/** The columns that an address names, in its order; properties that are gone are left out. */
export function columnsIn(text: string | undefined, properties: readonly Property[]): Column[] {
  const named = (text ?? '').split(',').flatMap((part) => {
    const [key, width] = part.split('~')
    const property = properties.find((candidate) => candidate.key === key)
    return property ? [{ property, width: bounded(Number(width) || widthOf(property)) }] : []
  })
  if (named.length === 0) return defaultColumns(properties)
  // A list without names would be a riddle.
  return named.some(({ property }) => property.kind === 'name') ? named : [...nameColumn(properties), ...named]
}

export function columnsText(columns: readonly Column[]): string {
  return columns.map(({ property, width }) => `${property.key}~${Math.round(bounded(width))}`).join(',')
}

export function columnOf(property: Property): Column {
  return { property, width: widthOf(property) }
}

function bounded(width: number): number {
  return Math.min(COLUMN_MAX, Math.max(COLUMN_MIN, width))
}

/** The name, references, a handful of fields, and when it was made; long texts are for pages. */
function defaultColumns(properties: readonly Property[]): Column[] {
  const shown = properties.filter((property) => {
    if (property.kind === 'custom') return !fieldTypes[property.field.type].multiline
    return property.kind === 'name' || property.kind === 'reference' || property.kind === 'links'
  })
  const created = properties.filter(({ key }) => key === 'created_at')
  // Tasks and notes have a list of links for each resource. The last of these give way first.
  const links = shown.filter((property) => property.kind === 'links' && property.to !== 'users' && !property.field)
  const surplus = links.toReversed().slice(0, Math.max(0, shown.length - SHOWN))
  const kept = shown.filter((property) => !surplus.includes(property))
  return [...kept.slice(0, SHOWN), ...created].map(columnOf)
}

function nameColumn(properties: readonly Property[]): Column[] {
  return properties.filter(({ kind }) => kind === 'name').map(columnOf)
}
