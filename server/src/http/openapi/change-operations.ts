import type { Resource } from '@kith/contract/resource'
import { eventStream, success } from './answers.ts'
import type { Described } from './described.ts'
import { examplesNamed } from './examples.ts'
import { manyOf } from './names.ts'
import { ref } from './schema.ts'

const LOOP =
  'Begin with `cursor=start`: it returns everything as `snapshot` entries, and then, by the same `next_cursor`, all changes since. To apply an entry, store `record`, or remove what is gone. No entry is missed or repeated. A cursor whose changes are no longer there is 410, with the address at which to begin again.'

const STREAM =
  'Server-sent events, as they happen: `event: change` with an entry as `data` and its cursor as `id`, and `event: live` at the hand-off of an initial sync. A client that reconnects sends the last id as `Last-Event-ID`, which takes precedence over `cursor`. The stream ends after 30 minutes, when the token stops being valid, and when 1 MiB is unread.'

const reading = ['FeedCursor', 'Since', 'Kind', 'ExcludeToken', 'Payload']
const everywhere = [...reading, 'Compact', 'FeedLimit', 'Wait']
const streamed = [...reading, 'LastEventId']
const GONE = { 410: 'Gone', 503: 'UnavailableOrSlow' }
const answers = { 200: success('Entries, in their order.', ref('ChangeList'), examplesNamed('ChangeList')) }
const stream = { 200: eventStream('Entries, as they happen.') }

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
  'changes-stream': {
    operationId: 'streamChanges',
    summary: 'Stream all changes',
    says: STREAM,
    tag: { name: 'Changes', description: 'What happened in the workspace, for mirrors in other systems.' },
    parameters: [...streamed, 'FeedResources', 'FieldsByType'],
    answers: stream,
    refusals: GONE,
  },
} satisfies Record<string, Described>

/** The stream of a resource. */
export function streamOperationOf(resource: Resource): Described {
  const many = manyOf(resource)
  return {
    operationId: `stream${many}Changes`,
    summary: `Stream the changes of ${resource.type}`,
    says: STREAM,
    tag: { name: many, description: resource.about },
    parameters: [...streamed, 'Changed', `${many}Filter`, `${many}Fields`],
    answers: stream,
    refusals: GONE,
  }
}

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
