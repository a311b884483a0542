import { registry } from '@kith/contract/registry'
import { Plus } from 'lucide-react'
import { type FormEvent, useRef } from 'react'
import { useRecordCreate } from '../../api/record-changes.ts'
import type { ApiRecord } from '../../api/records.ts'
import { appearances } from '../../resources.ts'
import type { Kin } from './kin.ts'

/** A line in which a name and Enter make a record that belongs to this one. */
export function QuickAdd({ kin, record }: { kin: Kin; record: ApiRecord }) {
  const create = useRecordCreate(kin.resource)
  const input = useRef<HTMLInputElement>(null)
  const { label } = registry[kin.resource]
  const { one } = appearances[kin.resource]
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const typed = input.current?.value.trim() ?? ''
    if (typed === '' || create.isPending) return
    // What was typed stays until it is stored.
    await create.mutateAsync({ [label]: typed, [kin.attribute]: kin.many ? [record.id] : record.id }).then(
      () => {
        if (input.current) input.current.value = ''
      },
      () => {},
    )
  }
  return (
    <form onSubmit={submit}>
      <label className="flex h-9 items-center gap-2 rounded-md px-2 text-quiet focus-within:bg-hover hover:bg-hover">
        <Plus aria-hidden className="size-4 shrink-0" />
        <input
          ref={input}
          dir="auto"
          aria-label={`New ${one}`}
          placeholder={`Add a ${one}…`.replace('a opportunity', 'an opportunity')}
          onChange={() => create.error && create.reset()}
          className="h-full min-w-0 flex-1 bg-transparent text-sm text-ink outline-none placeholder:text-faint"
        />
      </label>
      {create.error && (
        <p role="alert" className="px-2 text-xs text-danger">
          {create.error.message}
        </p>
      )}
    </form>
  )
}
