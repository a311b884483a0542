import { useEffect, useRef } from 'react'
import type { ApiRecord } from '../api/records.ts'
import { useSlug } from '../api/workspace.ts'
import type { Draft, DraftPlace, RecordAct } from './draft-store.ts'
import { draftAt, lastStored, putDraft, removeDraft, useDraftAt } from './drafts.ts'

/** A record that something happens to as a whole. */
type Of = Pick<Draft, 'slug' | 'resource' | 'id' | 'name'>

/** Deletes a record. It waits in the queue like every change, and can be undone once it is done. */
export function deleteRecord(of: Of): 'later' {
  return put(of, { label: 'Deletion', message: `Deleted ${of.name}`, act: { kind: 'delete' } })
}

/** Brings a deleted record back. */
export function restoreRecord(of: Of, message = `Restored ${of.name}`): 'later' {
  return put(of, { label: 'Restoration', message, act: { kind: 'restore' } })
}

/** Undoes a change of the history. `force` also deletes a new record that was changed. */
export function undoChange(of: Of, change: { id: string; force: boolean }): 'later' {
  return put(of, { label: 'Undo of a change', message: 'Undone', act: { kind: 'undo', ...change } })
}

function put(
  { slug, resource, id, name }: Of,
  { label, message, act }: { label: string; message: string; act: RecordAct },
) {
  const place = placeOf(slug, resource, id, act)
  const before = draftAt(place)
  // The opposite of what was not sent yet is nothing.
  if (before?.act && before.act.kind !== act.kind && !before.sent) removeDraft(place)
  else {
    const change = { input: {}, shown: {} }
    putDraft({ ...place, name, label, change, act, told: { message }, state: 'waiting' })
  }
  return 'later' as const
}

/** The deletion and the restoration of a record replace each other. */
function placeOf(slug: string, resource: Draft['resource'], id: string, act?: RecordAct): DraftPlace {
  return { slug, resource, id, property: act?.kind === 'undo' ? `undo ${act.id}` : 'record' }
}

/** What waits to happen to a record as a whole, or was refused. */
export function useRecordAct({ type, id }: Pick<ApiRecord, 'type' | 'id'>): Draft | undefined {
  return useDraftAt(placeOf(useSlug(), type, id))
}

/** The undo of a change, while it waits or if it was refused. */
export function useUndoOf({ resource, id }: Pick<Draft, 'resource' | 'id'>, change: string): Draft | undefined {
  return useDraftAt(placeOf(useSlug(), resource, id, { kind: 'undo', id: change, force: false }))
}

/** Calls back when the deletion of a record, which waited here, is done. */
export function useOnDeleted(record: ApiRecord, then: () => void): void {
  const slug = useSlug()
  const draft = useRecordAct(record)
  const waited = useRef<string>(undefined)
  useEffect(() => {
    const key = waited.current
    waited.current = draft?.act?.kind === 'delete' ? draft.key : undefined
    const isDone = !draft && key !== undefined && lastStored(placeOf(slug, record.type, record.id))?.version === key
    if (isDone) then()
  })
}
