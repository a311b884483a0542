import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { Field } from '../../api/fields.ts'
import type { FilterObject } from './list-state.ts'

/**
 * The quick search of a list as a filter, so that "Use in API" can say it: names that hold the text, in any letter
 * case, and records whose email address, domain or phone number it is.
 */
export function searchFilter(
  resource: ResourceName,
  typed: string | undefined,
  fields: readonly Field[],
): FilterObject | undefined {
  const text = typed?.trim() ?? ''
  if (text === '') return undefined
  const named = { [registry[resource].label]: { $contains: text } }
  const held = fields.filter((field) => couldHold(field, text))
  if (held.length === 0) return named
  return { $or: [named, ...held.map(({ code }) => ({ custom_fields: { [code]: { $has_any: [text] } } }))] }
}

/** The API refuses operands that a field can never hold, such as an incomplete domain. */
function couldHold(field: Field, text: string): boolean {
  const { prefixes, parse } = fieldTypes[field.type]
  if (!prefixes) return false
  const place = { field: { ...field, key: field.code, system: false }, path: '', report: () => {} }
  return Array.isArray(parse([text], place))
}
