import type { Resource } from '@kith/contract/resource'
import { success } from './answers.ts'
import type { Described } from './described.ts'
import { examplesNamed } from './examples.ts'
import { manyOf } from './names.ts'
import { ref } from './schema.ts'

const LOOP =
  'Begin with `cursor=start`: it returns everything as `snapshot` entries, and then, by the same `next_cursor`, all changes since. To apply an entry, store `record`, or remove what is gone. No entry is missed or repeated. A cursor whose changes are no longer there is 410, with the address at which to begin again.'

const everywhere = [
  ...['FeedCursor', 'Since', 'Kind', 'ExcludeToken', 'Payload', 'Compact', 'FeedLimit', 'Wait'],
] as const
const GONE = { 410: 'Gone', 503: 'UnavailableOrSlow' }
const answers = { 200: success('Entries, in their order.', ref('ChangeList'), examplesNamed('ChangeList')) }

/** The feed of the workspace. */
export const changeOperations = {
  changes: {
    operationId: 'listChanges',
    summary: 'Follow all changes',
    says: `Every change of a record, a definition or a member, in one order that is the same for all readers. ${LOOP}`,
    tag: { name: 'Changes', description: 'What happened in the workspace, for mirrors in other systems.' },
    parameters: [...everywhere, 'FeedResources', 'FieldsByType'],
    answers,
    refusals: GONE,
  },
} satisfies Record<string, Described>

/** The feed of a resource. */
export function changeOperationOf(resource: Resource): Described {
  const many = manyOf(resource)
  return {
    operationId: `list${many}Changes`,
    summary: `Follow the changes of ${resource.type}`,
    says: `The changes of the ${resource.type}. With a filter, a record that no longer matches comes as \`left\`: if you hold it, drop it. ${LOOP}`,
    tag: { name: many, description: resource.about },
    parameters: [...everywhere, 'Changed', `${many}Filter`, `${many}Fields`],
    answers,
    refusals: GONE,
  }
}
