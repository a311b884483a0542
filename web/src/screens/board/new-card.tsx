import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import type { Field } from '../../api/fields.ts'
import { useRecordCreate } from '../../api/record-changes.ts'
import { useRecordRemoval } from '../../api/record-removal.ts'
import { useSlug } from '../../api/workspace.ts'
import { showToast } from '../../components/toast-store.ts'
import { appearances } from '../../resources.ts'
import type { BoardColumn } from './columns.ts'

type Props = { resource: ResourceName; field: Field; column: BoardColumn; onClose(): void }

/** Names a new card of a column. Enter creates it and begins the next one; Escape ends. */
export function NewCard({ resource, field, column, onClose }: Props) {
  const slug = useSlug()
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const creation = useRecordCreate(resource)
  const remove = useRecordRemoval(resource)
  const { one } = appearances[resource]
  const create = async () => {
    const name = typed.trim()
    if (name === '' || creation.isPending) return
    const custom_fields = { [field.code]: column.option?.id ?? null }
    const { data } = await creation.mutateAsync({ [registry[resource].label]: name, custom_fields })
    setTyped('')
    await queries.invalidateQueries({ queryKey: [slug, 'summaries'] })
    showToast({ message: `Created ${name}`, undo: () => remove([data.id], name) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onClose()
    if (event.key !== 'Enter') return
    event.preventDefault()
    // The failure is shown below.
    create().catch(() => {})
  }
  return (
    <div className="rounded-md border border-accent bg-paper px-3 py-2">
      <input
        // biome-ignore lint/a11y/noAutofocus: the user has just asked for it
        autoFocus
        dir="auto"
        autoComplete="off"
        aria-label={`Name of the new ${one}`}
        placeholder={`Name of the ${one}`}
        value={typed}
        readOnly={creation.isPending}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => typed.trim() === '' && onClose()}
        className="w-full bg-transparent text-sm font-medium outline-none placeholder:text-faint"
      />
      {creation.error ? (
        <p role="alert" className="mt-1 text-xs text-danger">
          {creation.error.message}
        </p>
      ) : (
        <p className="mt-1 text-xs text-faint">Enter creates it, Escape ends.</p>
      )}
    </div>
  )
}
