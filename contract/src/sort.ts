import type { BoundedReport } from './bounded-report.ts'
import { excerpt } from './excerpt.ts'
import type { FieldDefinition, FieldSet } from './field-definition.ts'
import { fieldTypes } from './field-types.ts'
import type { Report } from './issue.ts'
import { SORT_KEYS_MAX } from './limits.ts'
import { suggestion } from './nearest.ts'
import { isUnsent, listNames } from './raw-input.ts'
import { attributeNames, attributesOf, type Resource } from './resource.ts'

export type SortKey =
  | { by: 'attribute'; name: string; descending: boolean }
  | { by: 'field'; field: FieldDefinition; descending: boolean }

/** `loose` is set for query strings. */
type SortContext = { resource: Resource; fields: FieldSet; cursor: boolean; loose: boolean }

const defaultSort: readonly SortKey[] = [{ by: 'attribute', name: 'created_at', descending: true }]

/** Reads a comma list of sort keys, or a list of them. `id` always comes last and is not in the result. */
export function parseSort(raw: unknown, context: SortContext, { report, full }: BoundedReport): readonly SortKey[] {
  if (isUnsent(raw)) return defaultSort
  const names = listNames(raw, context.loose)
  if (names === undefined) {
    report('sort', 'The sort must be names joined by commas or a list of names, each with a leading - to descend.')
    return defaultSort
  }
  const keys: SortKey[] = []
  const seen = new Set<string>()
  for (const sent of names) {
    if (full()) break
    const key = parseKey(sent, context, report)
    if (key === undefined) continue
    const identity = key.by === 'field' ? `custom_fields.${key.field.code}` : key.name
    if (seen.has(identity)) report('sort', `The sort names ${identity} more than once.`)
    seen.add(identity)
    keys.push(key)
    if (keys.length > SORT_KEYS_MAX) {
      report('sort', `The sort takes at most ${SORT_KEYS_MAX} names.`)
      break
    }
  }
  return keys.length === 0 ? defaultSort : keys
}

/** Every name that a list can be sorted by. */
export function sortNames(resource: Resource, fields: FieldSet): string[] {
  const sortable = fields.list.filter((field) => fieldTypes[field.type].sortable)
  return [...nativeNames(resource), ...sortable.map((field) => `custom_fields.${field.code}`)]
}

function parseKey(sent: string, { resource, fields, cursor }: SortContext, report: Report): SortKey | undefined {
  const descending = sent.startsWith('-')
  const name = descending ? sent.slice(1) : sent
  const native = nativeNames(resource).find((candidate) => candidate === name)
  if (native !== undefined) return { by: 'attribute', name: native, descending }
  const field = fieldNamed(name, resource, fields)
  if (field === undefined) {
    const accepted = sortNames(resource, fields)
    const near = suggestion(name, accepted) || suggestion(name, sortableCodes(fields))
    report(
      'sort',
      `The ${resource.type} cannot be sorted by ${excerpt(name)}. Accepted: ${accepted.join(', ')}.${near}`,
    )
    return undefined
  }
  if (!fieldTypes[field.type].sortable) {
    const accepted = sortNames(resource, fields).join(', ')
    report('sort', `A field of type ${field.type} such as ${field.code} cannot be sorted by. Accepted: ${accepted}.`)
    return undefined
  }
  if (cursor) {
    report('sort', `Sorting by the custom field ${field.code} needs page instead of cursor.`)
    return undefined
  }
  return { by: 'field', field, descending }
}

function nativeNames(resource: Resource): string[] {
  return attributesOf(resource, 'text', 'time')
}

/** A bare code is enough where no attribute has that name. */
function fieldNamed(name: string, resource: Resource, fields: FieldSet): FieldDefinition | undefined {
  if (name.startsWith('custom_fields.')) return fields.byCode.get(name.slice('custom_fields.'.length))
  return attributeNames(resource).includes(name) ? undefined : fields.byCode.get(name)
}

function sortableCodes(fields: FieldSet): string[] {
  return fields.list.filter((field) => fieldTypes[field.type].sortable).map((field) => field.code)
}
