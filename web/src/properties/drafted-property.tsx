import { EditState } from '../fields/edit-state.ts'
import { EditProperty } from './edit-property.tsx'
import type { Property } from './property.ts'
import type { PropertyDraft } from './property-draft.ts'
import { isLongText } from './property-view.ts'
import type { Included } from './related.ts'

type Props = { property: Property; own: PropertyDraft; included: Included; onClose(): void; onReopen(): void }

/** The editor of a property of a record. What is typed is a draft until the service has stored it. */
export function DraftedProperty({ property, own, included, onClose, onReopen }: Props) {
  const { draft, problem, status } = own
  return (
    <EditState
      value={{
        problem: draft?.state === 'refused' ? problem : undefined,
        status: isLongText(property) ? status : undefined,
        revision: own.revision,
      }}
    >
      <EditProperty
        property={property}
        record={own.edited}
        included={included}
        onType={own.type}
        onChange={(change) => {
          own.save(change)
          onClose()
        }}
        onLeave={() => {
          own.leave()
          onClose()
        }}
        onCancel={() => {
          own.cancel(onReopen)
          onClose()
        }}
      />
    </EditState>
  )
}
