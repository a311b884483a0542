import { INCLUDE_EXTERNAL_IDS } from '@kith/contract/resource'
import { showToast } from '../components/toast-store.ts'
import { call } from './call.ts'
import { type Draft, draftKey, NEW, noteStored, putDraft, type Seen } from './drafts.ts'
import { patchColumns } from './patch-columns.ts'
import { type PropertyChange, patchRecord, valuesAt } from './patch-record.ts'
import { queryClient } from './query-client.ts'
import { removeRecords } from './record-removal.ts'
import { type ApiRecord, type RecordDocument, recordsKey, refreshRecords } from './records.ts'

/** A connection that has died without a word ends after this long. The key makes a repetition safe. */
const TIMEOUT_MS = 60_000

/** One attempt to store a draft. Returns the record as it is stored. */
export async function sendDraft({ slug, resource, id, change, key, seen }: Draft): Promise<ApiRecord> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const path = `/w/${slug}/v1/${resource}`
  const { data } = await (id === NEW
    ? call<RecordDocument>('POST', path, { body: change.input, key, signal })
    : call<RecordDocument>('PATCH', `${path}/${id}`, { body: change.input, key, version: seen?.version, signal }))
  // The answer to a change does not have external ids.
  const { external_ids } = change.shown
  return external_ids ? { ...data, attributes: { ...data.attributes, external_ids } } : data
}

/** The record of a draft as the service has it now. */
export async function readAgain({ slug, resource, id, change }: Draft): Promise<ApiRecord> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const include = change.input.external_ids ? `?include=${INCLUDE_EXTERNAL_IDS}` : ''
  const { data } = await call<RecordDocument>('GET', `/w/${slug}/v1/${resource}/${id}${include}`, { signal })
  return data
}

/** What a record has where a change applies, and its version. */
export function seenIn({ change }: { change: PropertyChange }, { attributes }: ApiRecord): Seen {
  return { version: attributes.updated_at, values: valuesAt(change.input, attributes) }
}

/** What a tab has stored. The key of the draft names the user. */
type Told = { key: string; draft: Draft; stored: ApiRecord }

let tabs: BroadcastChannel | undefined

/** Shows what other tabs of the user store. Otherwise an editor here would begin with the text before it. */
export function followStored(): void {
  tabs = new BroadcastChannel('kith.stored')
  tabs.addEventListener('message', ({ data: { key, draft, stored } }: MessageEvent<Told>) => {
    if (key === draftKey(draft)) show(draft, stored)
  })
}

/** Shows what the service has stored, in this tab and in the others. */
export function showStored(draft: Draft, stored: ApiRecord): void {
  show(draft, stored)
  tabs?.postMessage({ key: draftKey(draft), draft, stored } satisfies Told)
  if (draft.told) showToast({ message: draft.told.message, ...undoOf(draft, stored) })
}

function show(draft: Draft, stored: ApiRecord): void {
  const { slug, resource, change } = draft
  noteStored(draft, seenIn(draft, stored))
  const { relationships, included } = change
  const key = recordsKey(slug, resource)
  patchRecord(queryClient, key, { id: stored.id, shown: stored.attributes, relationships, included })
  patchColumns(queryClient, key, stored)
  void refreshRecords(queryClient, slug, resource)
  void queryClient.invalidateQueries({ queryKey: [slug, 'summaries'] })
}

/** The way back from what a draft has stored, if it has one. */
function undoOf({ told, key: _key, at: _at, sent: _sent, ...draft }: Draft, stored: ApiRecord) {
  const { slug, resource, id } = draft
  if (id === NEW) {
    return { undo: () => removeRecords({ queries: queryClient, slug, resource }, [stored.id], draft.name) }
  }
  const change = told?.undo
  if (!change) return {}
  const undo = () => {
    const message = `Undone: ${told.message}`
    putDraft({ ...draft, change, seen: seenIn({ change }, stored), state: 'waiting', told: { message } })
    return 'later' as const
  }
  return { undo }
}
