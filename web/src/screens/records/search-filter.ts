import type { FieldTypeName } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { Field } from '../../api/fields.ts'
import type { FilterObject } from './list-state.ts'

const searched: ReadonlySet<FieldTypeName> = new Set(['email', 'domain', 'phone'])

/**
 * The quick search of a list as a filter, so that "Use in API" can say it: names that hold the text, in any letter case,
 * and records whose email address, domain or phone number it is.
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

/** The API refuses to look for what a field can never hold, such as a domain of which half is typed. */
function couldHold(field: Field, text: string): boolean {
  if (!searched.has(field.type)) return false
  return Array.isArray(fieldTypes[field.type].parse([text], { ...field, key: field.code, system: false }, '', () => {}))
}
