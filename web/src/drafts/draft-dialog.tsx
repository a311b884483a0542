import type { ResourceName } from '@kith/contract/resource'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { PropertyChange } from '../api/patch-record.ts'
import { nameOf } from '../api/records.ts'
import { Input } from '../components/controls.tsx'
import { FormDialog, FormField } from '../forms/form.tsx'
import { EditProperty } from '../properties/edit-property.tsx'
import { type Property, type PropertyOf, useProperties } from '../properties/property.ts'
import { nameChange } from '../properties/property-change.ts'
import { isEditable, nextChange } from '../properties/property-view.ts'
import { ShowProperty } from '../properties/show-property.tsx'
import { useAppearance } from '../resources.ts'
import { nothing, type RecordDraft, useDraft } from './new-record.ts'
import { ReminderPicker, RepeatPicker } from './plan-pickers.tsx'

/** A new record where there is no table to write it into. */
export function DraftDialog(props: {
  resource: ResourceName
  /** What it begins with, unless one was left unfinished. */
  initial?: PropertyChange | undefined
  onClose(): void
}) {
  const { resource, initial, onClose } = props
  const { one } = useAppearance(resource)
  const draft = useDraft(resource, onClose)
  const isBegun = useRef(false)
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    if (initial && draft.made === nothing) draft.change(initial)
  })
  const properties = useProperties(resource)
  const name = properties.find((property): property is PropertyOf<'name'> => property.kind === 'name')
  const others = properties.filter((property) => isEditable(property) && property.kind !== 'name')
  const discard = () => {
    draft.discard()
    onClose()
  }
  return (
    <FormDialog
      closesAtOnce
      title={`New ${one}`}
      saving={{ error: null, isPending: draft.busy }}
      onSubmit={() => draft.create()}
      action="Create"
      busy="Creating…"
      className="grid grid-cols-1 gap-3"
      onClose={discard}
    >
      <FormField label={name?.label ?? 'Name'} errors={draft.errors[name?.key ?? 'name']}>
        <Input
          dir="auto"
          required
          readOnly={draft.busy}
          value={nameOf(draft.record)}
          onChange={(event) => name && draft.change(nameChange(name, event.target.value))}
        />
      </FormField>
      {others.map((property) => (
        <DraftLine key={property.key} property={property} draft={draft} />
      ))}
      {resource === 'tasks' && <PlanLines draft={draft} />}
      {draft.message && Object.keys(draft.errors).length === 0 && (
        <p role="alert" className="text-sm text-danger">
          {draft.message}
        </p>
      )}
    </FormDialog>
  )
}

/** How the new task repeats, and when its author is reminded. */
function PlanLines({ draft: { plan, changePlan, busy } }: { draft: RecordDraft }) {
  return (
    <>
      <PlanLine label="Repeat">
        <RepeatPicker
          label="Repeat"
          disabled={busy}
          value={plan.repeat ?? null}
          onChange={(repeat) => changePlan({ repeat: repeat ?? undefined })}
        />
      </PlanLine>
      <PlanLine label="Remind me">
        <ReminderPicker
          label="Remind me"
          disabled={busy}
          value={plan.reminder ?? null}
          onChange={(reminder) => changePlan({ reminder: reminder ?? undefined })}
        />
      </PlanLine>
    </>
  )
}

function PlanLine({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-start gap-2">
      <span aria-hidden className="w-28 shrink-0 text-xs leading-8 text-quiet">
        {label}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}

/** One value of a draft, with its name before it. */
export function DraftLine(props: {
  property: Property
  draft: Pick<RecordDraft, 'record' | 'included' | 'errors' | 'change'>
}) {
  const { property, draft } = props
  // The values when the editor was opened.
  const [edited, setEdited] = useState<RecordDraft['record']>()
  const problems = Object.entries(draft.errors).flatMap(([path, told]) =>
    path === property.key || path.startsWith(`${property.key}.`) ? told : [],
  )
  const begin = () => {
    const next = nextChange(property, draft.record)
    if (next) draft.change(next)
    else setEdited(draft.record)
  }
  const close = () => setEdited(undefined)
  return (
    <div>
      <div className="flex items-center gap-2">
        <span className="w-28 shrink-0 text-xs text-quiet">{property.label}</span>
        <div className="relative h-8 min-w-0 flex-1">
          <button
            type="button"
            aria-label={`Edit ${property.label}`}
            onClick={begin}
            className="flex size-full items-center overflow-hidden rounded-md border border-line px-2 text-left text-sm"
          >
            <ShowProperty property={property} record={draft.record} included={draft.included} />
          </button>
          {edited && (
            <div className="absolute inset-0">
              <EditProperty
                property={property}
                record={edited}
                included={draft.included}
                onChange={(change) => {
                  draft.change(change)
                  close()
                }}
                onType={draft.change}
                onLeave={close}
                onCancel={close}
              />
            </div>
          )}
        </div>
      </div>
      {problems.length > 0 && (
        <p role="alert" className="mt-1 pl-30 text-xs text-danger">
          {problems.join(' ')}
        </p>
      )}
    </div>
  )
}
