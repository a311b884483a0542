import type { Resource } from '@kith/contract/resource'
import { answerOf, type Described, SLOW, success, textBody } from './answers.ts'
import { manyOf } from './names.ts'

const LOOP =
  'Begin with `cursor=start`: it returns everything as `snapshot` entries, and then, by the same `next_cursor`, all changes since. To apply an entry, store `record`, or remove what is gone. No entry is missed or repeated. A cursor whose changes are no longer there is 410, with the address at which to begin again.'

const STREAM =
  'Server-sent events, as they happen: `event: change` with an entry as `data` and its cursor as `id`, and `event: live` at the hand-off of an initial sync. A client that reconnects sends the last id as `Last-Event-ID`, which takes precedence over `cursor`. The stream ends after 30 minutes, when the token stops being valid, and when 1 MiB is unread.'

const events = {
  'text/event-stream': textBody(
    'retry: 3000\n\nid: WyIiLDQyXQ\nevent: change\ndata: {"id":"…","type":"changes","attributes":{}}\n\n',
  ),
}
const reading = ['FeedCursor', 'Since', 'Kind', 'ExcludeToken', 'Payload']

/** The feed and its stream: of the workspace, or of a resource. */
export function changeOperations(resource?: Resource) {
  const many = resource ? manyOf(resource) : ''
  const what = resource ? `the changes of ${resource.type}` : 'all changes'
  const narrowed = resource ? ['Changed', `${many}Filter`, `${many}Fields`] : ['FeedResources', 'FieldsByType']
  const says = resource
    ? `The changes of the ${resource.type}. With a filter, a record that no longer matches comes as \`left\`: if you hold it, drop it.`
    : 'Every change of a record, a definition or a member, in one order that is the same for all readers.'
  return {
    changes: {
      operationId: `list${many}Changes`,
      summary: `Follow ${what}`,
      says: `${says} ${LOOP}`,
      parameters: [...reading, 'Compact', 'FeedLimit', 'Wait', ...narrowed],
      answers: { 200: success('Entries, in their order.', 'ChangeList') },
      refusals: SLOW,
    },
    'changes-stream': {
      operationId: `stream${many}Changes`,
      summary: `Stream ${what}`,
      says: STREAM,
      parameters: [...reading, 'LastEventId', ...narrowed],
      answers: { 200: answerOf('Entries, as they happen.', events) },
      refusals: SLOW,
    },
  } satisfies Record<string, Described>
}
