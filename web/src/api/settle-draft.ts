import { showToast } from '../components/toast-store.ts'
import { type Draft, putDraft, removeDraft, replaceDraft } from './drafts.ts'
import type { PropertyChange } from './patch-record.ts'

/** Gives up a draft, with a way back. */
export function discardDraft(draft: Draft): void {
  removeDraft(draft)
  showToast({ message: `Discarded what you typed for ${draft.label}`, undo: () => replaceDraft(draft) })
}

/** Sends a draft again: after a refusal that may have passed, or over what someone else has written. */
export function sendAgain({ theirs, problem: _problem, errors: _errors, ...draft }: Draft): void {
  const seen = theirs ?? draft.seen
  putDraft({ ...draft, ...(seen && { seen }), state: 'waiting' })
}

/** Changes what is kept of a draft, and leaves it where it is. */
export function editDraft(draft: Draft, change: PropertyChange): void {
  replaceDraft({ ...draft, change })
}
