import { reportOtherRecords } from '@kith/contract/changes/feed-filter'
import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import { parseFilter } from '@kith/contract/parse-filter'
import { perResource, type Resource } from '@kith/contract/resource'
import type { Field } from '../../../api/fields.ts'
import type { FilterObject } from '../list-state.ts'

/** The first problem of a filter while it is edited. It uses the same parser as the API. */
export function checkFilter(
  filter: FilterObject | undefined,
  { resource, fields }: { resource: Resource; fields: readonly Field[] },
): string | undefined {
  let problem: string | undefined
  const context = { resource, definitions: definitionsOf(fields), loose: false }
  parseFilter(filter, context, (_path, message) => {
    problem ??= message
  })
  return problem
}

/** What the changes feed does not take of a filter that lists take. */
export function checkFeedFilter(filter: FilterObject | undefined, resource: Resource): string | undefined {
  let problem: string | undefined
  reportOtherRecords(filter, resource, (_path, message) => {
    problem ??= message
  })
  return problem
}

function definitionsOf(fields: readonly Field[]): Definitions {
  return perResource((resource) => {
    const list = fields.filter(({ entity_type }) => entity_type === resource).map(asDefinition)
    return { list, byCode: new Map(list.map((field) => [field.code, field])) }
  })
}

/** `key` and `system` do not matter to filters. */
function asDefinition(field: Field): FieldDefinition {
  return { ...field, key: field.code, system: false }
}
