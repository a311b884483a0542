import type { ResourceName } from '@kith/contract/resource'
import { X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { PropertyChange } from '../../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { useDraft } from '../../drafts/new-record.ts'
import { EditProperty } from '../../properties/edit-property.tsx'
import type { Property } from '../../properties/property.ts'
import { isEditable, nextChange } from '../../properties/property-view.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { useAppearance } from '../../resources.ts'
import type { Column } from './columns.ts'
import { CHECK_WIDTH, ROW_HEIGHT } from './row.tsx'

/** A new record as a row of the table. Enter after the name creates it; Escape gives it up. Leaving it keeps it. */
export function DraftRow(props: { resource: ResourceName; columns: readonly Column[]; onDone(): void }) {
  const { resource, columns, onDone } = props
  const { one } = useAppearance(resource)
  const draft = useDraft(resource, onDone)
  const isNew = Object.keys(draft.made.input).length === 0
  // The property whose editor is open, and the values that the row had when it was opened.
  const [edited, setEdited] = useState<
    { key?: string | undefined; record: ApiRecord; made: PropertyChange } | undefined
  >(() => (isNew ? { key: columns[0]?.property.key, record: draft.record, made: draft.made } : undefined))
  const row = useRef<HTMLDivElement>(null)
  const isBack = useRef(false)
  /** Closes the editor. Its cell takes the focus, unless the user went on to something else. */
  const close = ({ kind, key }: Property) => {
    setEdited(undefined)
    requestAnimationFrame(() => {
      if (kind === 'name' || document.activeElement !== document.body) return
      isBack.current = true
      row.current?.querySelector<HTMLElement>(`[data-property="${key}"]`)?.focus()
      isBack.current = false
    })
  }
  const discard = () => {
    draft.discard()
    onDone()
  }
  const begin = (property: Property) => {
    if (!isEditable(property) || draft.busy || edited?.key === property.key) return
    const next = nextChange(property, draft.record)
    if (next) draft.change(next)
    else setEdited({ key: property.key, record: draft.record, made: draft.made })
  }
  const onChange = (property: Property, change: PropertyChange, entered: boolean) => {
    close(property)
    if (property.kind === 'name' && entered && nameOf({ attributes: change.shown }).trim() !== '') draft.create(change)
    else draft.change(change)
  }
  const onLeave = (property: Property, entered: boolean) => {
    close(property)
    if (property.kind === 'name' && entered && nameOf(draft.record).trim() !== '') draft.create()
  }
  const onCancel = (property: Property, before: PropertyChange) => {
    if (property.kind === 'name') return discard()
    close(property)
    draft.reset(before)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) discard()
  }
  const problems = draft.message === undefined ? [] : problemsOf(draft.errors, draft.message)
  return (
    <div
      ref={row}
      role="row"
      tabIndex={-1}
      aria-label={`New ${one}`}
      onKeyDown={onKeyDown}
      className="relative flex bg-accent-soft text-sm"
      style={{ height: ROW_HEIGHT }}
    >
      <div
        role="gridcell"
        tabIndex={-1}
        className="sticky left-0 z-5 grid shrink-0 place-items-center border-b border-line bg-accent-soft"
        style={{ width: CHECK_WIDTH }}
      >
        <IconButton label="Discard" size="small" onClick={discard}>
          <X />
        </IconButton>
      </div>
      {columns.map(({ property, width }, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: its content takes the keys
        <div
          key={property.key}
          data-property={property.key}
          role="gridcell"
          tabIndex={isEditable(property) ? 0 : -1}
          onClick={() => begin(property)}
          onFocus={({ target, currentTarget }) => {
            if (target === currentTarget && property.kind !== 'name' && !isBack.current) begin(property)
          }}
          style={{ width, ...(place === 0 ? { left: CHECK_WIDTH } : {}) }}
          className={classNames(
            'relative flex shrink-0 items-center border-r border-b border-line px-2',
            place === 0 && 'sticky z-5 bg-accent-soft',
            hasProblem(draft.errors, property) && 'outline-2 -outline-offset-2 outline-danger',
          )}
        >
          <div className="min-w-0">
            <ShowProperty property={property} record={draft.record} included={draft.included} />
          </div>
          {edited?.key === property.key && (
            <div className="absolute inset-0 z-10">
              <EditProperty
                property={property}
                record={edited.record}
                included={draft.included}
                onChange={(change, entered) => onChange(property, change, entered)}
                onType={draft.change}
                onLeave={(entered) => onLeave(property, entered)}
                onCancel={() => onCancel(property, edited.made)}
              />
            </div>
          )}
        </div>
      ))}
      <div role="presentation" className="flex-1 border-b border-line" />
      {(problems.length > 0 || edited === undefined) && (
        <div className="absolute top-full left-10 z-20 flex max-w-120 items-center gap-3 rounded-b-md bg-raised p-2 shadow-float">
          {problems.length > 0 && (
            <p role="alert" className="text-xs text-danger">
              {problems.join(' ')}
            </p>
          )}
          <Button size="small" look="primary" disabled={draft.busy} onClick={() => draft.create()}>
            {draft.busy ? 'Creating…' : 'Create'}
          </Button>
        </div>
      )}
    </div>
  )
}

function problemsOf(errors: Readonly<Record<string, readonly string[]>>, message: string): readonly string[] {
  const told = Object.values(errors).flat()
  return told.length === 0 ? [message] : told
}

function hasProblem(errors: Readonly<Record<string, readonly string[]>>, property: Property): boolean {
  return Object.keys(errors).some((path) => path === property.key || path.startsWith(`${property.key}.`))
}
