import type { WireValue } from '@kith/contract/field-type'
import { isListEdit } from '@kith/contract/list-edit'
import { CUSTOM_FIELDS } from '@kith/contract/resource'
import type { Field } from '../api/fields.ts'
import type { PropertyChange } from '../api/patch-record.ts'
import type { IncludedObject } from '../api/records.ts'
import type { PropertyOf } from './property.ts'
import type { RelatedRecord } from './related.ts'

export function nameChange({ key }: PropertyOf<'name'>, typed: string): PropertyChange {
  return { input: { [key]: typed }, shown: { [key]: typed } }
}

export function customChange({ code }: Field, value: WireValue): PropertyChange {
  const custom_fields = { [code]: value }
  return { input: { custom_fields }, shown: { custom_fields } }
}

export function referenceChange(property: PropertyOf<'reference'>, to: RelatedRecord | undefined): PropertyChange {
  if (property.field) return fieldChange(property.field, to)
  return { ...nativeChange(property.attribute, to?.id ?? null), ...related(property.include, to) }
}

/** The change of a reference field that holds one value. */
export function fieldChange(field: Field, to: RelatedRecord | undefined): PropertyChange {
  const value = to ? { id: to.id, type: to.type } : null
  return { ...customChange(field, value), ...related(CUSTOM_FIELDS + field.code, to) }
}

function related(include: string, to: RelatedRecord | undefined): Pick<PropertyChange, 'relationships' | 'included'> {
  return {
    relationships: { [include]: { data: to ? { id: to.id, type: to.type } : null } },
    included: to ? [asIncluded(to)] : [],
  }
}

export function linksChange(property: PropertyOf<'links'>, to: readonly RelatedRecord[]): PropertyChange {
  const values = to.map(({ id, type }) => ({ id, type }))
  // Lists of ids are written and never read.
  const links = { input: { [property.attribute]: to.map(({ id }) => id) }, shown: {} }
  return {
    ...(property.field ? customChange(property.field, values) : links),
    relationships: { [property.include]: { data: to.map(({ id, type }) => ({ id, type })) } },
    included: to.map(asIncluded),
  }
}

/** What a list of links gets and loses. Records that it does not name stay: in the trash, or linked by others. */
type LinkEdit = { $add?: readonly string[]; $remove?: readonly string[] }

/**
 * Links some records and parts others. `to` is how the list will look. A change that is not stored yet (`pending`)
 * becomes part of it.
 */
export function linksEdit(
  property: PropertyOf<'links'>,
  to: readonly RelatedRecord[],
  { edit, pending }: { edit: LinkEdit; pending: PropertyChange | undefined },
): PropertyChange {
  const change = linksChange(property, to)
  const code = property.field?.code
  const sent: unknown = code === undefined ? pending?.input[property.attribute] : pending?.input.custom_fields?.[code]
  // The pending change has set the whole list.
  if (sent !== undefined && !isListEdit(sent)) return change
  const value = joined(sent, edit)
  // The type of custom values is that of answers, which have no edits.
  const custom = (name: string) => ({ custom_fields: { [name]: value as unknown as WireValue } })
  return { ...change, input: code === undefined ? { [property.attribute]: value } : custom(code) }
}

/** Links and parts what differs between two lists. What neither of them shows stays. */
export function linksEdited(
  property: PropertyOf<'links'>,
  before: readonly RelatedRecord[],
  to: readonly RelatedRecord[],
): PropertyChange {
  const without = (some: readonly RelatedRecord[], others: readonly RelatedRecord[]) =>
    some.flatMap(({ id }) => (others.some((one) => one.id === id) ? [] : [id]))
  const edit = { $add: without(to, before), $remove: without(before, to) }
  return linksEdit(property, to, { edit, pending: undefined })
}

function joined({ $add = [], $remove = [] }: LinkEdit = {}, { $add: add = [], $remove: remove = [] }: LinkEdit) {
  return {
    $add: [...$add.filter((id) => !remove.includes(id) && !add.includes(id)), ...add],
    $remove: [...$remove.filter((id) => !add.includes(id) && !remove.includes(id)), ...remove],
  }
}

function nativeChange(attribute: string, value: string | null): PropertyChange {
  return { input: { [attribute]: value }, shown: { [attribute]: value } }
}

function asIncluded({ id, type, name }: RelatedRecord): IncludedObject {
  return { id, type, attributes: { name } }
}
