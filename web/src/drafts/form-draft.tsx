import { newId } from '@kith/contract/id'
import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import type { RecordInput } from '../api/patch-record.ts'
import { Button } from '../components/button.tsx'
import type { Draft, DraftPlace } from './draft-store.ts'
import { draftAt, draftKey, putDraft, removeDraft, useDraftAt, useShowsDraft } from './drafts.ts'

/** A form as a draft. It stays until it is saved or discarded. The form sends it itself, so the queue does not. */
export function useFormDraft<Form extends object>(
  place: DraftPlace,
  about: Pick<Draft, 'name' | 'label'> & {
    /** The saved values, or those that a new one begins with. */
    fresh(): Form
    /** The typed values, for the list of unsaved changes. */
    shown(form: Form): RecordInput
  },
) {
  const { name, label, fresh, shown } = about
  const page = useLocation({ select: ({ href }) => href })
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
    /** The values that it began with. */
    begun,
    /** The key that makes it one object at most. It changes with each change of the form. */
    key: draft?.key ?? firstKey,
    /** Whether it was begun before this form was opened. */
    isOld,
    change(changes: Partial<Form>): void {
      const next = { ...form, ...changes }
      const change = { input: {}, shown: shown(next) }
      const written = { json: JSON.stringify({ form: next, begun }) }
      if (JSON.stringify(next) === JSON.stringify(begun)) removeDraft(place)
      else putDraft({ ...place, name, label, page, change, form: written, state: 'typing' })
    },
    /** Begins with the saved values. */
    startOver(): void {
      removeDraft(place)
      setOld(false)
    },
    /** Removes the draft, which is not wanted any more. */
    remove: (): void => removeDraft(place),
    /** Removes the draft if it still has the key with which it was saved. Text that was typed since then stays. */
    removeSaved(saved: string): void {
      if (draftAt(place)?.key === saved) removeDraft(place)
    },
  }
}

/** The form in a draft. */
export function keptIn<Form>(draft: Draft | undefined): { form: Form; begun: Form } | undefined {
  // The form of the same place has written it.
  return draft?.form?.json === undefined ? undefined : (JSON.parse(draft.form.json) as { form: Form; begun: Form })
}

/** Says that a form begins with an earlier draft. */
export function OldDraft({ onStartOver }: { onStartOver(): void }) {
  return (
    <p role="status" className="mt-1 flex flex-wrap items-center gap-x-2 text-sm text-quiet">
      This is your draft, which is not saved yet.
      <Button size="small" onClick={onStartOver}>
        Start over
      </Button>
    </p>
  )
}
