import type { ExternalIds } from '../external-ids.ts'
import { origin, valueChange } from '../history-entry.ts'
import { CHANGES_LIMIT_MAX } from '../limits.ts'
import { resourceCode } from '../resource-code.ts'
import * as is from '../shape.ts'
import { storedKinds } from './change-kind.ts'

/** The `meta` of a page of the changes feed. */
const feedMeta = is.object({
  next_cursor: is.text(),
  has_more: is.flag('False if everything has been read.'),
  phase: is.word(['snapshot', 'live']),
  head: is.whole({ says: 'The highest sequence of the workspace.' }),
})
export type FeedMeta = ReturnType<typeof feedMeta.parse> & object

/** The schema of a resource has its code where others have an id. */
const idOrCode = is.text({ says: 'An ID, or the code of a resource in an entry of `schemas`.' })

/** A record in the feed. */
const syncForm = is.shownSchema({
  id: idOrCode,
  type: resourceCode(),
  attributes: is.given({ type: 'object', description: 'As the record shows them, with `external_ids`.' }),
  relationships: is.maybe(
    is.mapOf(
      is.object({ data: is.list(is.object({ id: is.id(), type: is.text() })) }),
      'The links of tasks and notes. Members who have left are still in it.',
    ),
  ),
})

export const changeEntry = {
  sequence: is.orNull(is.whole({ from: 1 }), 'The number of the change, without gaps. Null in a snapshot.'),
  kind: is.word([...storedKinds, 'snapshot', 'left']),
  resource: resourceCode(),
  record_id: idOrCode,
  at: is.time('The `updated_at` of the record after the change.'),
  changed: is.list(is.text(), { says: 'What an update changed, sorted.' }),
  changes: is.maybe(
    is.orNull(
      is.list(is.component('ValueChange', valueChange)),
      'Only with `payload=diff`: what an update changed. Null if the values are not known any more.',
    ),
  ),
  merged_into: is.orNull(is.id(), 'The record that it was merged into.'),
  external_ids: is.given<ExternalIds>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
  }),
  origin: is.orNull(is.component('ChangeOrigin', origin)),
  record: is.maybe(
    is.orNull(
      is.component('SyncForm', is.given(syncForm)),
      'The record as it is now. Null if it is gone or no longer matches. Missing in a thin entry.',
    ),
  ),
} as const

type Entry = is.Shown<typeof changeEntry>

/** `R` is the type of the shown record. */
export type ChangeAttributes<R> = Omit<Entry, 'record'> & { readonly record?: R | null }

export const changeComponents = {
  ...is.noun('Change', 'changes', { attributes: is.named('ChangeAttributes'), ids: idOrCode.schema }),
  ChangeAttributes: is.shownSchema(changeEntry),
  ChangeOrigin: origin.schema,
  ValueChange: valueChange.schema,
  SyncForm: syncForm,
  ChangeList: is.closed({ data: is.listSchema('Change', CHANGES_LIMIT_MAX), meta: feedMeta.schema }),
  GoneError: is.shownSchema({
    message: is.text(),
    reason: is.word(['expired', 'restored']),
    oldest_at: is.orNull(is.time()),
    resync: is.text({ format: 'uri', says: 'Where to begin again.' }),
  }),
}
