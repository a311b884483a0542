import type { Draft } from '../../api/drafts.ts'
import type { ApiRecord } from '../../api/records.ts'
import { Dialog } from '../../components/dialog.tsx'
import { ConflictPanel } from '../../properties/conflict-panel.tsx'
import type { Property } from '../../properties/property.ts'
import type { Included } from '../../properties/related.ts'

type Props = { property: Property; record: ApiRecord; included: Included; draft: Draft; onClose(): void }

/** Both versions of a value of a table. */
export function ConflictDialog({ onClose, ...conflict }: Props) {
  return (
    <Dialog open wide forgets onOpenChange={onClose} title={`${conflict.draft.label} of ${conflict.draft.name}`}>
      <ConflictPanel {...conflict} />
    </Dialog>
  )
}
