import type { FieldDefinition } from '../field-definition.ts'
import type { FieldType, Identifier, Place } from '../field-type.ts'
import { parseId } from '../id.ts'
import { VALUES_MAX } from '../limits.ts'
import { notOne } from '../reference-name.ts'
import type { RelatedType } from '../resource.ts'
import { tooMany, valuesOf } from './value-list.ts'

export const record: FieldType = reference('record', 'records')
export const member: FieldType = reference('member', 'members')

/** What the values of a reference field are: records of a resource, or members. */
export function targetOf({ type, settings }: Pick<FieldDefinition, 'type' | 'settings'>): RelatedType {
  return type === 'member' ? 'users' : (settings.target ?? '')
}

/** How many values a record may hold. */
export function mostOf({ multiple, max_values }: Pick<FieldDefinition, 'multiple' | 'max_values'>): number {
  return multiple ? max_values : 1
}

function reference(name: 'record' | 'member', refersTo: 'records' | 'members'): FieldType {
  return {
    name,
    kind: 'Reference',
    list: true,
    refersTo,
    repeatable: 'optional',
    sortable: false,
    canBeUnique: false,
    textLike: false,
    operators: ['$in', '$not_in', '$is_empty'],
    valueKey: 'match_key',
    example: () => examples[refersTo],
    parse(raw, place) {
      if (raw === null) return null
      const { field, path, report } = place
      const items: readonly unknown[] = Array.isArray(raw) ? raw : [raw]
      if (items.length === 0) return null
      // Repeats are dropped later: a record may be named by its id and by a value that it holds.
      if (items.length > VALUES_MAX) {
        report(path, tooMany(field, mostOf(field)))
        return undefined
      }
      return namesIn(items, { ...place, isListed: Array.isArray(raw) })
    },
    present(stored, field, gone) {
      const type = targetOf(field)
      const shown = valuesOf(stored).flatMap((id): Identifier[] => (gone?.has(id) ? [] : [{ id, type }]))
      return field.multiple ? shown : (shown[0] ?? null)
    },
    index(stored) {
      return valuesOf(stored).map((id) => ({ match_key: id, number_key: null, host_key: null, exact: null }))
    },
    searchText: () => null,
    operand() {
      throw new Error('A reference is filtered as a relation.')
    },
  }
}

const id = '01k9zq3v5w8x0y2z4a6b8c0d1e'

const examples = {
  records: { value: id, filter: { $in: [id] } },
  members: { value: { email: 'ada@example.com' }, filter: { $in: ['me'] } },
} as const

function namesIn(items: readonly unknown[], place: Place & { isListed: boolean }): string[] | undefined {
  const { field, path, report, readName = readId(targetOf(field)), isListed } = place
  const ids: string[] = []
  let failed = false
  for (const [index, item] of items.entries()) {
    const at = isListed ? `${path}.${index}` : path
    const id = readName(item, {
      path: at,
      report,
      put(found) {
        ids[index] = found
      },
    })
    failed ||= id === undefined
    ids.push(id ?? '')
  }
  return failed ? undefined : ids
}

function readId(to: RelatedType): NonNullable<Place['readName']> {
  return (raw, { path, report }) => {
    const id = parseId(raw)
    if (id === undefined) report(path, notOne(path, to))
    return id
  }
}
