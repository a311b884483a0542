import { useState } from 'react'
import { call } from '../api/call.ts'
import type { RecordInput } from '../api/patch-record.ts'
import { isChanged } from '../api/problems.ts'
import { useRecordUpdate } from '../api/record-changes.ts'
import type { ApiRecord, RecordDocument } from '../api/records.ts'
import { useSlug } from '../api/workspace.ts'
import type { PropertyChange } from './property-change.ts'

/** A text that was typed while someone else changed the same text. Neither is lost: the user chooses. */
export type TextConflict = {
  typed: string
  theirs: string
  keepTyped(): void
  keepTheirs(): void
}

type TextSaving = {
  /** Saves a change of the text as it was seen when it was edited. */
  save(change: PropertyChange, seen: ApiRecord): void
  conflict: TextConflict | undefined
  failure: string | undefined
  reset(): void
}

/** Saves a text only if it has not changed since the user began to edit it. */
export function useTextSaving(record: ApiRecord, textIn: (attributes: RecordInput) => string): TextSaving {
  const slug = useSlug()
  const update = useRecordUpdate(record.type)
  const [conflict, setConflict] = useState<TextConflict>()

  async function save(change: PropertyChange, seen: ApiRecord): Promise<void> {
    setConflict(undefined)
    try {
      await update.mutateAsync({ id: record.id, ...change, version: seen.attributes.updated_at })
    } catch (error) {
      // Any other failure is shown next to the text.
      if (!isChanged(error)) return
      const { data: current } = await call<RecordDocument>('GET', `/w/${slug}/v1/${record.type}/${record.id}`)
      await settle(change, seen, current)
    }
  }

  async function settle(change: PropertyChange, seen: ApiRecord, current: ApiRecord): Promise<void> {
    const [typed, theirs] = [textIn(change.shown), textIn(current.attributes)]
    // Only something else of the record was changed.
    if (theirs === textIn(seen.attributes)) return save(change, current)
    if (theirs === typed) return update.reset()
    setConflict({
      typed,
      theirs,
      keepTyped: () => void save(change, current),
      keepTheirs() {
        setConflict(undefined)
        update.reset()
      },
    })
  }

  const failure = isChanged(update.error) ? undefined : update.error?.message
  const reset = () => {
    setConflict(undefined)
    update.reset()
  }
  return { save: (change, seen) => void save(change, seen), conflict, failure, reset }
}
