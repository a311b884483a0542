import { Suspense, useState } from 'react'
import type { ApiRecord } from '../../api/records.ts'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { DraftNote } from '../../properties/draft-note.tsx'
import type { Property } from '../../properties/property.ts'
import type { PropertyDraft } from '../../properties/property-draft.ts'
import type { Included } from '../../properties/related.ts'

// A conflict is an answer of the service, so the file can be loaded.
const ConflictDialog = chunk(async () => (await import('./conflict-dialog.tsx')).ConflictDialog)

type Props = { property: Property; record: ApiRecord; included: Included; own: PropertyDraft; onEdit(): void }

/** Hangs below a cell whose value is not saved, and says why. */
export function CellNote({ property, record, included, own, onEdit }: Props) {
  const [comparing, setComparing] = useState(false)
  const { draft } = own
  if (!draft) return null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click on the note is not a click on the cell
    // biome-ignore lint/a11y/useKeyWithClickEvents: its buttons take the keys
    <div
      data-note
      onClick={(event) => event.stopPropagation()}
      className="absolute top-full left-0 z-20 w-72 rounded-md bg-raised p-2 shadow-float"
    >
      <DraftNote own={own} onEdit={onEdit} />
      {draft.state === 'conflict' && (
        <div role="alert" className="flex items-center gap-2 text-xs whitespace-normal text-danger">
          <span className="min-w-0 flex-1">Not saved: {own.problem}</span>
          <Button size="small" onClick={() => setComparing(true)}>
            Compare
          </Button>
        </div>
      )}
      {comparing && (
        <Suspense>
          <ConflictDialog
            property={property}
            record={record}
            included={included}
            draft={draft}
            onClose={() => setComparing(false)}
          />
        </Suspense>
      )}
    </div>
  )
}
