import { INCLUDE_EXTERNAL_IDS } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { call } from '../api/call.ts'
import { type PropertyChange, patchColumns, patchRecord, sameValues, valuesAt } from '../api/patch-record.ts'
import { queryClient } from '../api/query-client.ts'
import { type ApiRecord, type RecordDocument, recordsKey, refreshRecords, removeRecords } from '../api/records.ts'
import { setSessionEnded } from '../components/sign-in-again.ts'
import { showToast } from '../components/toast-store.ts'
import { createStore, useStore } from '../store.ts'
import {
  allDrafts,
  type Draft,
  draftKey,
  isApart,
  isSameUser,
  NEW,
  newestAt,
  noteStored,
  onDrafts,
  putDraft,
  removeDraft,
  replaceDraft,
  type SeenVersion,
} from './drafts.ts'

/** The wait before the next attempt while the service does not answer: 1, 2, 4 … 30 seconds. */
const FIRST_WAIT_MS = 1000

const LONGEST_WAIT_MS = 30_000

const failure = createStore<string | undefined>(undefined)

let attempts = 0

let running = false

let timer: number | undefined

/** Why the queue waits, until it goes on. */
export function useQueueFailure(): string | undefined {
  return useStore(failure)
}

/** Sends the waiting drafts whenever there are some. Once for the application. */
export function startQueue(): void {
  onDrafts(() => timer === undefined && void sendDrafts())
  window.addEventListener('online', () => void sendDrafts())
  window.addEventListener('focus', () => void sendDrafts())
}

/** Sends the waiting drafts now, one after the other. */
export async function sendDrafts(): Promise<void> {
  if (running || !nextDraft()) return
  running = true
  window.clearTimeout(timer)
  timer = undefined
  try {
    // Where the browser has locks, one tab sends at a time. Elsewhere the keys make it safe.
    if (navigator.locks) await navigator.locks.request('kith.drafts', sendAll)
    else await sendAll()
  } finally {
    running = false
  }
  // A draft that was put while the last one was finished.
  if (timer === undefined) await sendDrafts()
}

function nextDraft(): Draft | undefined {
  return isSameUser() ? allDrafts().find(({ state }) => state === 'waiting') : undefined
}

async function sendAll(): Promise<void> {
  for (let draft = nextDraft(); draft; draft = nextDraft()) {
    try {
      await sendOne(draft)
      setFailure(undefined)
      setSessionEnded(false)
    } catch (error) {
      return waitAfter(error)
    }
  }
}

/** Sends a draft. Throws if the same attempt may succeed later. */
async function sendOne(draft: Draft): Promise<void> {
  // Another tab has changed or sent it.
  if (newestAt(draft)?.key !== draft.key) return
  const attempt = valuesAt(draft.change.input, draft.change.shown)
  replaceDraft({ ...draft, sent: [...(draft.sent ?? []).slice(0, 1), attempt] })
  try {
    const stored = await sendDraft(draft)
    showStored(draft, stored)
    const latest = newestAt(draft)
    if (latest?.key === draft.key) return removeDraft(draft)
    if (!latest) return
    const seen = seenIn(latest, stored)
    // It was changed again meanwhile: the next attempt is based on the stored version.
    if (!isApart(latest, draft)) replaceDraft({ ...latest, sent: undefined, seen })
    else if (latest.state !== 'conflict') {
      replaceDraft({ ...latest, state: 'conflict', theirs: { ...seen, isOwn: true } })
    }
  } catch (error) {
    if (isKind(error, 'precondition_failed')) await settle(draft).catch((again) => refuse(draft, again))
    else await refuse(draft, error)
  }
}

/** Keeps a draft with the reason, unless the failure passes. */
async function refuse(draft: Draft, error: unknown): Promise<void> {
  if (!(error instanceof KithError) || passing.has(error.kind) || error.retry_after !== null) throw error
  const problem = error.kind === 'not_found' ? await whyMissing(draft) : error.message
  change(draft, { state: 'refused', problem, errors: error.errors })
}

/** Either the record is missing, or the user is no longer a member of the workspace. */
async function whyMissing({ slug }: Draft): Promise<string> {
  try {
    await call('GET', `/w/${slug}/workspace`)
    return 'This record was deleted or merged into another one.'
  } catch (error) {
    if (!isKind(error, 'not_found')) throw error
    return 'You are not a member of this workspace any more, or it was deleted.'
  }
}

/** Failures that pass: the draft keeps its place in the queue. */
const passing: ReadonlySet<string> = new Set<KithError['kind']>([
  'unreachable',
  'busy',
  'too_slow',
  'rate_limited',
  'server_error',
  'unauthenticated',
])

/** The record was changed since the user saw it. That matters only if the same values were changed. */
async function settle(draft: Draft): Promise<void> {
  const current = await readAgain(draft)
  const theirs = seenIn(draft, current)
  if (sameValues(theirs.values, valuesAt(draft.change.input, draft.change.shown))) {
    if (newestAt(draft)?.key === draft.key) removeDraft(draft)
    return
  }
  // Either nobody has changed them, or this user: an attempt was stored, and its answer was lost.
  const known = [draft.seen?.values ?? {}, ...(draft.sent ?? [])]
  if (known.some((values) => sameValues(theirs.values, values))) return change(draft, { seen: theirs, sent: undefined })
  change(draft, { state: 'conflict', theirs })
}

/** Unless the user has changed it meanwhile: then its next attempt decides. */
function change(draft: Draft, part: Partial<Draft>): void {
  const latest = newestAt(draft)
  if (latest?.key === draft.key) replaceDraft({ ...latest, ...part })
}

function waitAfter(error: unknown): void {
  const ended = isKind(error, 'unauthenticated')
  if (ended) setSessionEnded(true)
  const told = error instanceof KithError ? error.message : 'The service does not answer.'
  setFailure(ended ? 'Your session has ended.' : told)
  const asked = error instanceof KithError && error.retry_after !== null ? error.retry_after * 1000 : 0
  const wait = Math.max(asked, Math.min(FIRST_WAIT_MS * 2 ** attempts, LONGEST_WAIT_MS))
  attempts++
  timer = window.setTimeout(() => {
    timer = undefined
    void sendDrafts()
  }, wait)
}

function setFailure(next: string | undefined): void {
  if (next === undefined) attempts = 0
  failure.set(next)
}

function isKind(error: unknown, kind: KithError['kind']): boolean {
  return error instanceof KithError && error.kind === kind
}

/** A connection that has died without a word ends after this long. The key makes a repetition safe. */
const TIMEOUT_MS = 60_000

/** One attempt to store a draft. Returns the record as it is stored. */
async function sendDraft({ slug, resource, id, change, key, seen }: Draft): Promise<ApiRecord> {
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
async function readAgain({ slug, resource, id, change }: Draft): Promise<ApiRecord> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const include = change.input.external_ids ? `?include=${INCLUDE_EXTERNAL_IDS}` : ''
  const { data } = await call<RecordDocument>('GET', `/w/${slug}/v1/${resource}/${id}${include}`, { signal })
  return data
}

/** The values of a record that a change concerns, and its version. */
export function seenIn({ change }: { change: PropertyChange }, { attributes }: ApiRecord): SeenVersion {
  return { version: attributes.updated_at, values: valuesAt(change.input, attributes) }
}

/** A draft that a tab has stored. The key of the draft names the user. */
type StoredMessage = { key: string; draft: Draft; stored: ApiRecord }

let tabs: BroadcastChannel | undefined

/** Shows records that other tabs of the user store. Otherwise an editor here would begin with an old text. */
export function followStored(): void {
  tabs = new BroadcastChannel('kith.stored')
  tabs.addEventListener('message', ({ data: { key, draft, stored } }: MessageEvent<StoredMessage>) => {
    if (key === draftKey(draft)) show(draft, stored)
  })
}

/** Shows a stored record, in this tab and in the others. */
function showStored(draft: Draft, stored: ApiRecord): void {
  show(draft, stored)
  tabs?.postMessage({ key: draftKey(draft), draft, stored } satisfies StoredMessage)
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

/** The undo of a stored draft, if it has one. */
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
