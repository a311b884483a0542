import { newId } from '@kith/contract/id'
import { useState } from 'react'
import { type Draft, type DraftPlace, draftAt, draftKey, putDraft, removeDraft, useDraftAt } from './drafts.ts'
import type { RecordInput } from './patch-record.ts'
import { useShowsDraft } from './shown-drafts.ts'

type About<Form> = Pick<Draft, 'name' | 'label' | 'page'> & {
  /** What is saved, or what a new one begins with. */
  fresh(): Form
  /** What was typed, for the list of unsaved changes. */
  shown(form: Form): RecordInput
}

type FormDraft<Form> = {
  form: Form
  /** What it began with. */
  begun: Form
  /** The key that makes it one object at most. It changes with what is typed. */
  key: string
  /** Whether it was begun before this form was opened. */
  isOld: boolean
  change(changes: Partial<Form>): void
  /** Begins with what is saved. */
  startOver(): void
  /** Removes the draft, which is not wanted any more. */
  forget(): void
  /** Removes the draft if it still has the key with which it was saved. What was typed since then stays. */
  forgetSaved(key: string): void
}

/** A form as a draft. It stays until it is saved or discarded. The form sends it itself, so the queue does not. */
export function useFormDraft<Form extends object>(place: DraftPlace, about: About<Form>): FormDraft<Form> {
  const { name, label, page, fresh, shown } = about
  const draft = useDraftAt(place)
  const [firstKey] = useState(() => newId(Date.now()))
  const [isOld, setOld] = useState(draft !== undefined)
  useShowsDraft(draft && draftKey(place))
  const kept = keptIn<Form>(draft)
  const saved = fresh()
  const begun = kept?.begun ?? saved
  // An earlier version of the application may have kept less.
  const form = { ...saved, ...kept?.form }
  return {
    form,
    begun,
    key: draft?.key ?? firstKey,
    isOld,
    change(changes) {
      const next = { ...form, ...changes }
      if (JSON.stringify(next) === JSON.stringify(begun)) return removeDraft(place)
      const change = { input: {}, shown: shown(next) }
      const written = { json: JSON.stringify({ form: next, begun }) }
      putDraft({ ...place, name, label, ...(page && { page }), change, form: written, state: 'typing' })
    },
    startOver() {
      removeDraft(place)
      setOld(false)
    },
    forget: () => removeDraft(place),
    forgetSaved(saved) {
      if (draftAt(place)?.key === saved) removeDraft(place)
    },
  }
}

/** What a draft has of a form. */
export function keptIn<Form>(draft: Draft | undefined): { form: Form; begun: Form } | undefined {
  // The form of the same place has written it.
  return draft?.form?.json === undefined ? undefined : (JSON.parse(draft.form.json) as { form: Form; begun: Form })
}
