import type { ResourceName } from '@kith/contract/resource'
import { useLocation } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import type { Field } from '../../api/fields.ts'
import { useNamedDraft } from '../../properties/named-draft.ts'
import { appearances } from '../../resources.ts'
import type { BoardColumn } from './columns.ts'

type Props = { resource: ResourceName; field: Field; column: BoardColumn; onClose(): void }

/** Where the name of a new card of a column is kept. */
export function newCardAt({ code }: Field, { id }: BoardColumn): string {
  return `card ${code} ${id}`
}

/** Names a new card of a column. Enter creates it and begins the next one; Escape ends. */
export function NewCard({ resource, field, column, onClose }: Props) {
  const { one } = appearances[resource]
  const { typed, isWaiting, problem, type, create, discard } = useNamedDraft({
    resource,
    at: newCardAt(field, column),
    label: `New ${one} in ${column.label}`,
    page: useLocation({ select: ({ href }) => href }),
    values: { custom_fields: { [field.code]: column.option?.id ?? null } },
    told: true,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      // An attempt without an answer may have created it, so it stays.
      if (!isWaiting) discard()
      onClose()
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    create()
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
        readOnly={isWaiting}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => typed.trim() === '' && onClose()}
        className="w-full bg-transparent text-sm font-medium outline-none placeholder:text-faint"
      />
      {problem === undefined ? (
        <p className="mt-1 text-xs text-faint">{isWaiting ? 'Saving…' : 'Enter creates it, Escape ends.'}</p>
      ) : (
        <p role="alert" className="mt-1 text-xs text-danger">
          Not saved: {problem}
        </p>
      )}
    </div>
  )
}
