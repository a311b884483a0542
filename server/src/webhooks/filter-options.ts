import type { FieldDefinition, FieldOption, FieldSet } from '@kith/contract/field-definition'
import { parseChoice } from '@kith/contract/field-types/choice'
import { fold } from '@kith/contract/fold'
import { isObject } from '@kith/contract/raw-input'

/**
 * A valid filter with the options that it names by label as `{id, label}`, which the filter language also takes. So it
 * keeps its meaning when an option is renamed. Options that it names by id stay as they are.
 */
export function withOptionIds(filter: unknown, fields: FieldSet): unknown {
  return mapOptions(filter, fields, (named, field) => {
    const id = parseChoice(named, { field, path: '', report: () => {} })
    const option = field.options.find((one) => one.id === id)
    if (!option || (typeof named === 'string' && named.trim().toLowerCase() === option.id)) return named
    return { id: option.id, label: option.label }
  })
}

/** The same filter as it is shown: with the labels that the options have now. */
export function withOptionLabels(filter: unknown, fields: FieldSet): unknown {
  return mapOptions(filter, fields, (stored, { options }) => (isObject(stored) ? labelOf(stored, options) : stored))
}

/** The id if another option has the same label. An option that was deleted keeps its last known label. */
function labelOf({ id, label }: Record<string, unknown>, options: readonly FieldOption[]): unknown {
  const option = options.find((one) => one.id === id)
  if (!option) return label
  const isUnique = options.filter((one) => fold(one.label) === fold(option.label)).length === 1
  return isUnique ? option.label : option.id
}

type Change = (operand: unknown, field: FieldDefinition) => unknown

/** Filters of feeds have no conditions inside relations, so custom fields are at the top or below logic only. */
function mapOptions(node: unknown, fields: FieldSet, change: Change): unknown {
  if (!isObject(node)) return node
  const inside = (part: unknown) => mapOptions(part, fields, change)
  const entries = Object.entries(node).map(([key, value]) => {
    if (key === '$not') return [key, inside(value)]
    if ((key === '$and' || key === '$or') && Array.isArray(value)) return [key, value.map(inside)]
    return [key, key === 'custom_fields' && isObject(value) ? mapFields(value, fields, change) : value]
  })
  return Object.fromEntries(entries)
}

function mapFields(tests: Record<string, unknown>, { byCode }: FieldSet, change: Change): unknown {
  const entries = Object.entries(tests).map(([code, words]) => {
    const field = byCode.get(code)
    if (!field || field.options.length === 0 || !isObject(words)) return [code, words]
    const operands = Object.entries(words).map(([word, operand]) => {
      if (word === '$is_empty') return [word, operand]
      return [word, Array.isArray(operand) ? operand.map((one) => change(one, field)) : change(operand, field)]
    })
    return [code, Object.fromEntries(operands)]
  })
  return Object.fromEntries(entries)
}
