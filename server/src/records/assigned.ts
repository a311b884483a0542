import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Resource } from '@kith/contract/resource'
import { type Notice, notify } from '../notifications/notify.ts'
import { posting, type Scope } from '../scope/scope.ts'
import { forgetUnfollows } from '../storage/tables/follows.ts'
import type { Changes } from './changes.ts'
import { idsIn, parseStored } from './stored-values.ts'

/** What a write gives a record, as far as it may name members. `before`: the values that it held, as JSON. */
export type Given = Pick<Changes, 'references'> & {
  record_id: string
  links: readonly { relation: string; ids: readonly string[] }[]
  values: Iterable<readonly [FieldDefinition, StoredValue | null]>
  before: string | undefined
}

/** The members whom a write makes owner or assignee of a record, or value of one of its fields. */
function assignedBy(resource: Resource, { references, links, values, before }: Given): Set<string> {
  const found = new Set<string>()
  for (const [column, id] of references) {
    if (id !== null && resource.references[column]?.to === 'users') found.add(id)
  }
  for (const { relation, ids } of links) {
    if (resource.relations[relation]?.to === 'users') for (const id of ids) found.add(id)
  }
  for (const [field, value] of values) {
    if (fieldTypes[field.type].refersTo !== 'members') continue
    const held = before === undefined ? [] : idsIn(parseStored(before)[field.key])
    for (const id of idsIn(value)) if (!held.includes(id)) found.add(id)
  }
  return found
}

/**
 * Notifies the members to whom some writes assign records: each once, with the first record and the number of all.
 * Costs nothing if nobody is named. The parts of a batch or an import add to one notification.
 */
export async function notifyAssigned(inside: Scope, resource: Resource, all: readonly Given[]): Promise<void> {
  const assigned = all.map((given) => ({ given, members: assignedBy(resource, given) }))
  const notices = new Map<string, Notice & { number: number }>()
  for (const { given, members } of assigned) {
    for (const user_id of members) {
      const notice = { user_id, reason: 'assigned', resource: resource.number, record_id: given.record_id } as const
      notices.getOrInsertComputed(user_id, () => ({ ...notice, number: 0, event: inside.event ?? null })).number++
    }
  }
  if (notices.size === 0) return
  // A new record is followed by those whom it names.
  const again = assigned.flatMap(({ given: { record_id, before }, members }) =>
    before === undefined ? [] : [...members].map((user_id) => ({ user_id, record_id })),
  )
  if (again.length > 0) await forgetUnfollows(posting(inside), again)
  await notify(inside, [...notices.values()])
}
