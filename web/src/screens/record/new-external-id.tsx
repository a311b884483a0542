import { EXTERNAL_ID_MAX } from '@kith/contract/limits'
import { type FormEvent, useEffect, useRef } from 'react'
import { type Draft, draftKey, putDraft, removeDraft, useDraftAt } from '../../api/drafts.ts'
import type { PropertyChange } from '../../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { seenIn } from '../../api/send-draft.ts'
import { discardDraft } from '../../api/settle-draft.ts'
import { useShowsDraft } from '../../api/shown-drafts.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Input } from '../../components/input.tsx'
import { placeOf, useDraftProblem } from '../../properties/property-draft.ts'

/** Replaces the ids of one system. */
export function idsChange(namespace: string, list: readonly string[]): PropertyChange {
  const external_ids = { [namespace]: list }
  return { input: { external_ids }, shown: { external_ids } }
}

type Typed = { namespace: string; id: string }
type NewId = ReturnType<typeof useNewExternalId>

/** One more id of a record while it is typed. It stays until it is stored or the user gives it up. */
export function useNewExternalId(record: ApiRecord, onStored: () => void) {
  const place = placeOf(useSlug(), { key: 'external_ids' }, record)
  const draft = useDraftAt(place)
  useShowsDraft(draft && draftKey(place))
  const typed: Typed = { namespace: '', id: '', ...draft?.form }
  const isWaiting = draft?.state === 'waiting'
  const put = (form: Typed, state: Draft['state']) => {
    const [namespace, id] = [form.namespace.trim(), form.id.trim()]
    const change = idsChange(namespace, [...(record.attributes.external_ids?.[namespace] ?? []), id])
    const about = { name: nameOf(record), label: 'New external id' }
    putDraft({ ...place, ...about, form, change, seen: seenIn({ change }, record), state })
  }
  const wasWaiting = useRef(false)
  useEffect(() => {
    if (!draft && wasWaiting.current) onStored()
    wasWaiting.current = isWaiting
  })
  return {
    draft,
    typed,
    isWaiting,
    problem: useDraftProblem(draft),
    type(changes: Partial<Typed>) {
      const form = { ...typed, ...changes }
      if (form.namespace + form.id === '') removeDraft(place)
      else put(form, 'typing')
    },
    add: () => !isWaiting && typed.namespace.trim() !== '' && typed.id.trim() !== '' && put(typed, 'waiting'),
    discard: () => draft && discardDraft(draft),
  }
}

/** A line that gives the record one more id. */
export function NewExternalId({ form, onClose }: { form: NewId; onClose(): void }) {
  const { draft, typed, isWaiting, problem, type, add } = form
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add()
  }
  const input = { required: true, readOnly: isWaiting }
  return (
    <form onSubmit={submit} onKeyDown={({ key }) => key === 'Escape' && onClose()} className="mt-1">
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] gap-1.5">
        <Input
          {...input}
          aria-label="System"
          placeholder="System"
          maxLength={40}
          autoFocus
          value={typed.namespace}
          onChange={({ target }) => type({ namespace: target.value })}
        />
        <Input
          {...input}
          aria-label="Id"
          placeholder="Id"
          maxLength={EXTERNAL_ID_MAX}
          value={typed.id}
          onChange={({ target }) => type({ id: target.value })}
        />
        <Button type="submit" disabled={isWaiting}>
          {isWaiting ? 'Adding…' : 'Add'}
        </Button>
      </div>
      {draft?.state !== 'typing' && problem !== undefined && (
        <p role="alert" className="mt-1 text-xs wrap-anywhere text-danger">
          Not saved: {problem}
        </p>
      )}
    </form>
  )
}
