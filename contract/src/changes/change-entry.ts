import type { ExternalIds } from '../external-ids.ts'
import { origin } from '../history-entry.ts'
import {
  component,
  flag,
  given,
  id,
  list,
  mapOf,
  maybe,
  object,
  orNull,
  type Shown,
  shownSchema,
  text,
  time,
  whole,
  word,
} from '../shape.ts'
import { feedResources, storedKinds } from './change-kind.ts'

/** The `meta` of a page of the changes feed. */
export const feedMeta = object({
  next_cursor: text(),
  has_more: flag('False if everything has been read.'),
  phase: word(['snapshot', 'live']),
  head: whole({ says: 'The highest sequence of the workspace.' }),
})
export type FeedMeta = ReturnType<typeof feedMeta.parse> & object

/** A record in the feed. */
export const syncForm = shownSchema({
  id: id(),
  type: word(feedResources),
  attributes: given({ type: 'object', description: 'As the record shows them, with `external_ids`.' }),
  relationships: maybe(
    mapOf(
      object({ data: list(object({ id: id(), type: text() })) }),
      'The links of tasks and notes. Members who have left are still in it.',
    ),
  ),
})

/** An entry of the changes feed. */
export const changeEntry = {
  sequence: orNull(whole({ from: 1 }), 'The number of the change, without gaps. Null in a snapshot.'),
  kind: word([...storedKinds, 'snapshot', 'left']),
  resource: word(feedResources),
  record_id: id(),
  at: time('The `updated_at` of the record after the change.'),
  changed: list(text(), { says: 'What an update changed, sorted.' }),
  merged_into: orNull(id(), 'The record that it was merged into.'),
  external_ids: given<ExternalIds>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
  }),
  origin: orNull(component('ChangeOrigin', origin)),
  record: maybe(
    orNull(
      component('SyncForm', given(syncForm)),
      'The record as it is now. Null if it is gone or no longer matches. Missing in a thin entry.',
    ),
  ),
} as const

type Entry = Shown<typeof changeEntry>

/** `R` is the type of the shown record. */
export type ChangeAttributes<R> = Omit<Entry, 'record'> & { readonly record?: R | null }
