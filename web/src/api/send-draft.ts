import { showToast } from '../components/toast-store.ts'
import { call } from './call.ts'
import { type Draft, NEW, noteStored, type Seen } from './drafts.ts'
import { type PropertyChange, patchRecord, valuesAt } from './patch-record.ts'
import { queryClient } from './query-client.ts'
import { removeRecords } from './record-removal.ts'
import { type ApiRecord, nameOf, type RecordDocument, recordsKey, refreshRecords } from './records.ts'

/** A connection that has died without a word ends after this long. The key makes a repetition safe. */
const TIMEOUT_MS = 60_000

/** One attempt to store a draft. */
export function sendDraft({ slug, resource, id, change, key, seen }: Draft): Promise<RecordDocument> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const path = `/w/${slug}/v1/${resource}`
  if (id === NEW) return call('POST', path, { body: change.input, key, signal })
  return call('PATCH', `${path}/${id}`, { body: change.input, key, version: seen?.version, signal })
}

/** The record of a draft as the service has it now. */
export async function readAgain({ slug, resource, id }: Draft): Promise<ApiRecord> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const { data } = await call<RecordDocument>('GET', `/w/${slug}/v1/${resource}/${id}`, { signal })
  return data
}

/** What a record has where a change applies, and its version. */
export function seenIn({ change }: { change: PropertyChange }, { attributes }: ApiRecord): Seen {
  return { version: attributes.updated_at, values: valuesAt(change.input, attributes) }
}

/** Shows what the service has stored. */
export function showStored(draft: Draft, stored: ApiRecord): void {
  const { slug, resource, id, property, change } = draft
  noteStored(draft, seenIn(draft, stored))
  const { relationships, included } = change
  patchRecord(queryClient, recordsKey(slug, resource), {
    id: stored.id,
    shown: stored.attributes,
    relationships,
    included,
  })
  void refreshRecords(queryClient, slug, resource)
  void queryClient.invalidateQueries({ queryKey: [slug, 'summaries'] })
  if (id !== NEW || property !== NEW) return
  const name = nameOf(stored)
  const undo = () => removeRecords({ queries: queryClient, slug, resource }, [stored.id], name)
  showToast({ message: `Created ${name}`, undo })
}
