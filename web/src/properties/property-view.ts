import { fieldTypes } from '@kith/contract/field-types'
import { Clock, Hash, type LucideIcon, Radio, Type, UserRound } from 'lucide-react'
import type { PropertyChange } from '../api/patch-record.ts'
import type { ApiRecord } from '../api/records.ts'
import { fieldViews } from '../fields/field-views.ts'
import type { Property, PropertyOf } from './property.ts'
import { customChange } from './property-change.ts'

export function iconOf(property: Property): LucideIcon {
  if (property.kind === 'related') return iconOf(property.of)
  if (property.kind === 'custom') return fieldViews[property.field.type].icon
  if (property.kind === 'reference' || property.kind === 'links') {
    return property.target?.icon ?? UserRound
  }
  return icons[property.kind]
}

/** The heading under which it is listed among many. */
export function sectionOf(property: Property): string {
  if (property.kind === 'related') return property.target?.name ?? ''
  if (property.kind === 'custom') return fieldViews[property.field.type].group
  return property.kind === 'reference' || property.kind === 'links' || property.kind === 'count' ? 'Related' : 'Record'
}

/** The default width of its column. */
export function widthOf(property: Property): number {
  if (property.kind === 'related') return Math.max(RELATED_WIDTH, widthOf(property.of))
  return property.kind === 'custom' ? fieldViews[property.field.type].width : widths[property.kind]
}

export function isAlignedEnd(property: Property): boolean {
  if (property.kind === 'related') return isAlignedEnd(property.of)
  return property.kind === 'count' || (property.kind === 'custom' && fieldViews[property.field.type].align === 'end')
}

/** The name under which a list is sorted by it, where that can be. */
export function sortNameOf(property: Property): string | undefined {
  if (property.kind === 'name' || property.kind === 'time') return property.key
  return property.kind === 'custom' && fieldTypes[property.field.type].sortable ? property.key : undefined
}

/** The name under which the API writes a property. */
export function attributeOf(property: Property): string {
  return 'attribute' in property ? property.attribute : property.key
}

export function isEditable({ kind }: Property): boolean {
  return kind === 'name' || kind === 'reference' || kind === 'links' || kind === 'custom'
}

/** Whether it names the one member who owns a record: an attribute, or a member field of this code. */
export function isOwner(property: Property): property is PropertyOf<'reference'> {
  const isNamed = ['owner_id', 'account_owner_id', 'custom_fields.owner'].includes(property.key)
  return property.kind === 'reference' && property.to === 'users' && isNamed
}

/** Whether its values are texts of several lines, which save themselves while they are written. */
export function isLongText(property: Property): boolean {
  return property.kind === 'custom' && fieldTypes[property.field.type].multiline !== undefined
}

/** For properties that change at a click: the value that follows. */
export function nextChange(property: Property, { attributes }: ApiRecord): PropertyChange | undefined {
  if (property.kind !== 'custom') return undefined
  const { field } = property
  const { next } = fieldViews[field.type]
  return next && customChange(field, next(attributes.custom_fields[field.code] ?? null))
}

/** Whether its values are links, so that a click on them goes elsewhere. */
export function leadsAway(property: Property): boolean {
  if (property.kind === 'custom') return fieldViews[property.field.type].leadsAway ?? false
  return property.kind === 'name' || property.kind === 'reference' || property.kind === 'links'
}

/** The label names the relation as well. */
const RELATED_WIDTH = 170

const icons = { name: Type, creator: UserRound, time: Clock, source: Radio, count: Hash }

const widths = { name: 280, reference: 180, links: 200, creator: 160, time: 140, source: 110, count: 110 }

/** Whether a record says anything under a property. */
export function hasValue(property: Property, record: ApiRecord): boolean {
  if (property.kind === 'custom') {
    const value = record.attributes.custom_fields[property.field.code]
    return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined
  }
  if (property.kind === 'count') return Boolean(record.attributes[property.attribute])
  if (!('include' in property)) return true
  const linkage = record.relationships?.[property.include]?.data
  return Array.isArray(linkage) ? linkage.length > 0 : linkage != null
}
