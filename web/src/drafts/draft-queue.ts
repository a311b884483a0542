import { isListEdit } from '@kith/contract/list-edit'
import { INCLUDE_EXTERNAL_IDS } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import type { call } from '../api/call.ts'
import { type PropertyChange, type RecordInput, sameValues, valuesAt } from '../api/patch-record.ts'
import type { ApiRecord, RecordDocument } from '../api/records.ts'
import { createSendingQueue, isRefused } from '../api/sending-queue.ts'
import { changePlan } from '../api/task-plans.ts'
import { type Draft, type DraftStore, isApart, NEW, type RecordAct, type SeenVersion } from './draft-store.ts'

/** What the queue of a tab works with. */
type Surroundings = {
  drafts: DraftStore
  call: typeof call
  /** Does the work while no other tab does. */
  alone(work: () => Promise<void>): Promise<void>
  /** A change of the record as a whole has no answer. */
  onStored(draft: Draft, stored: ApiRecord | undefined): void
  onSession(state: 'open' | 'ended'): void
}

/** Sends the waiting drafts of a tab, one after the other, until the service has stored or refused each of them. */
export function createQueue({ drafts, call, alone, onStored, onSession }: Surroundings) {
  const queue = createSendingQueue({
    next: nextDraft,
    send: sendOne,
    isWaiting: () => true,
    alone,
    onSession,
  })

  function nextDraft(): Draft | undefined {
    return drafts.isSameUser() ? drafts.allDrafts().find(({ state }) => state === 'waiting') : undefined
  }

  /** Sends a draft. Throws if the same attempt may succeed later. */
  async function sendOne(draft: Draft): Promise<void> {
    // Another tab has changed or sent it.
    if (drafts.newestAt(draft)?.key !== draft.key) return
    const attempt = valuesAt(draft.change.input, draft.change.shown)
    drafts.replaceDraft({ ...draft, sent: [...(draft.sent ?? []).slice(0, 1), attempt] })
    try {
      const stored = await store(draft)
      onStored({ ...draft, ...(await storePlan(draft, stored)) }, stored)
      const latest = drafts.newestAt(draft)
      if (latest?.key === draft.key) return drafts.removeDraft(draft)
      if (!latest || !stored) return
      const seen = seenIn(latest, stored)
      // It was changed again meanwhile: the next attempt is based on the stored version.
      if (!isApart(latest, draft)) drafts.replaceDraft({ ...latest, sent: undefined, seen })
      else if (latest.state !== 'conflict') {
        drafts.replaceDraft({ ...latest, state: 'conflict', theirs: { ...seen, change: draft.change, isOwn: true } })
      }
    } catch (error) {
      if (isKind(error, 'precondition_failed')) await settle(draft).catch((again) => refuse(draft, again))
      else await refuse(draft, error)
    }
  }

  /** One attempt to store a draft. Returns the record as it is stored. */
  async function store(draft: Draft): Promise<ApiRecord | undefined> {
    const { slug, resource, list, id, change, key, seen } = draft
    if (draft.act) return perform(draft, draft.act)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const path = `/w/${slug}/v1/${resource}`
    const { data } = await (id === NEW
      ? call<RecordDocument>('POST', list === undefined ? path : `/w/${slug}/v1/${list}`, {
          body: change.input,
          key,
          signal,
        })
      : call<RecordDocument>('PATCH', `${path}/${id}`, {
          body: change.input,
          key,
          version: isEditOfLists(change.input) ? undefined : seen?.version,
          automatic: draft.automatic,
          signal,
        }))
    // The answer to a change does not have external ids.
    const { external_ids } = change.shown
    return external_ids ? { ...data, attributes: { ...data.attributes, external_ids } } : data
  }

  /** The new task stays if its plan is refused: that is told. */
  async function storePlan({ slug, plan, told }: Draft, stored: ApiRecord | undefined): Promise<Pick<Draft, 'told'>> {
    if (!plan || !stored) return {}
    try {
      await changePlan(slug, stored.id, plan, call)
      return {}
    } catch (error) {
      if (!isRefused(error)) throw error
      return { told: { message: `${told?.message ?? 'Created'}. ${error.message}` } }
    }
  }

  async function perform(draft: Draft, act: RecordAct): Promise<undefined> {
    const [method, path, body] = callOf(draft, act)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      await call(method, `/w/${draft.slug}/v1/${path}`, { body, signal })
    } catch (error) {
      // It is deleted already: an answer was lost, or someone else was faster.
      const isDone = act.kind === 'delete' && isKind(error, 'not_found') && (await isMember(draft.slug))
      if (!isDone) throw error
    }
  }

  /** Keeps a draft with the reason, unless the failure passes. */
  async function refuse(draft: Draft, error: unknown): Promise<void> {
    if (!isRefused(error)) throw error
    const problem = error.kind === 'not_found' ? await whyMissing(draft) : error.message
    change(draft, { state: 'refused', problem, errors: error.errors })
  }

  /** Either the record is missing, or the user is no longer a member of the workspace. */
  async function whyMissing({ slug, resource, act }: Draft): Promise<string> {
    if (!(await isMember(slug))) return 'You are not a member of this workspace any more, or it was deleted.'
    if (resource === 'comments') return 'This comment, or what it is about, was deleted.'
    if (act) return 'The time to do this is over.'
    return 'This record was deleted or merged into another one.'
  }

  async function isMember(slug: string): Promise<boolean> {
    try {
      await call('GET', `/w/${slug}/workspace`)
      return true
    } catch (error) {
      if (!isKind(error, 'not_found')) throw error
      return false
    }
  }

  /** The record was changed since the user saw it. That matters only if the same values were changed. */
  async function settle(draft: Draft): Promise<void> {
    const current = await readAgain(draft)
    const theirs = seenIn(draft, current)
    // Lists of links are written and never read, so they always differ, and the later change is stored.
    const isRead = Object.keys(draft.change.input).every((name) => name in current.attributes)
    if (isRead && sameValues(theirs.values, valuesAt(draft.change.input, draft.change.shown))) {
      if (drafts.newestAt(draft)?.key === draft.key) drafts.removeDraft(draft)
      return
    }
    // Either they are unchanged, or this user has changed them: an attempt was stored, and its answer was lost.
    const known = [draft.seen?.values ?? {}, ...(draft.sent ?? [])]
    if (known.some((values) => sameValues(theirs.values, values))) {
      return change(draft, { seen: theirs, sent: undefined })
    }
    change(draft, { state: 'conflict', theirs })
  }

  /** The record of a draft as the service has it now. */
  async function readAgain({ slug, resource, id, change }: Draft): Promise<ApiRecord> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const include = change.input.external_ids ? `?include=${INCLUDE_EXTERNAL_IDS}` : ''
    const { data } = await call<RecordDocument>('GET', `/w/${slug}/v1/${resource}/${id}${include}`, { signal })
    return data
  }

  /** Unless the user has changed it meanwhile: then its next attempt decides. */
  function change(draft: Draft, part: Partial<Draft>): void {
    const latest = drafts.newestAt(draft)
    if (latest?.key === draft.key) drafts.replaceDraft({ ...latest, ...part })
  }

  return {
    failure: queue.failure,
    send: queue.send,
    /** Sends drafts as soon as they wait. */
    start: (): void => void drafts.listen(queue.sendUnlessPaused),
  }
}

/** A connection that has died without a word ends after this long. The key makes a repetition safe. */
const TIMEOUT_MS = 60_000

function callOf({ resource, id }: Draft, act: RecordAct): ['DELETE' | 'PUT', string, object?] {
  if (act.kind === 'delete') return ['DELETE', `${resource}/${id}`]
  if (act.kind === 'restore') return ['PUT', `${resource}/${id}/restore`]
  return ['PUT', `changes/${act.id}/undo`, { force: act.force }]
}

/** Whether a change only adds to lists and removes from them, which is right whatever else was changed. */
function isEditOfLists({ custom_fields = {}, ...attributes }: RecordInput): boolean {
  const values = [...Object.values(attributes), ...Object.values(custom_fields)]
  return values.length > 0 && values.every(isListEdit)
}

function isKind(error: unknown, kind: KithError['kind']): boolean {
  return error instanceof KithError && error.kind === kind
}

/** The values of a record that a change concerns, and its version. */
export function seenIn({ change }: { change: PropertyChange }, { attributes }: ApiRecord): SeenVersion {
  return { version: attributes.updated_at, values: valuesAt(change.input, attributes) }
}
