import { EXTERNAL_ID_MAX } from '@kith/contract/limits'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Input } from '../../components/input.tsx'

type Props = {
  /** Fails if the service refuses the id; the caller says why. */
  onAdd: (namespace: string, id: string) => Promise<unknown>
  onClose: () => void
  onType: () => void
}

/** A line that gives the record one more id. What was typed stays until it is stored. */
export function NewExternalId({ onAdd, onClose, onType }: Props) {
  const [saving, setSaving] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!form.current || saving) return
    const typed = new FormData(form.current)
    const [namespace, id] = ['namespace', 'id'].map((name) => String(typed.get(name)).trim())
    if (!namespace || !id) return
    setSaving(true)
    const stored = await onAdd(namespace, id).then(
      () => true,
      () => false,
    )
    setSaving(false)
    if (stored) onClose()
  }
  return (
    <form
      ref={form}
      onSubmit={submit}
      onChange={onType}
      onKeyDown={({ key }) => key === 'Escape' && isEmpty(form.current) && onClose()}
      className="mt-1 grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] gap-1.5"
    >
      <Input name="namespace" aria-label="System" placeholder="System" maxLength={40} required autoFocus />
      <Input name="id" aria-label="Id" placeholder="Id" maxLength={EXTERNAL_ID_MAX} required />
      <Button type="submit" disabled={saving}>
        Add
      </Button>
    </form>
  )
}

/** Escape closes the line, unless something was typed. */
function isEmpty(form: HTMLFormElement | null): boolean {
  return form !== null && [...new FormData(form).values()].every((value) => value === '')
}
