import { mostOf } from '@kith/contract/field-types/reference'
import type { PropertyChange } from '../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { fieldViews } from '../fields/field-views.ts'
import { InlineInput } from '../fields/inline-input.tsx'
import type { Property } from './property.ts'
import { customChange, linksChange, linksEdited, nameChange, referenceChange } from './property-change.ts'
import { type IncludedRecords, type RelatedRecord, relatedTo } from './related.ts'
import { RelatedPicker } from './related-picker.tsx'

/** Edits one property of a record in place. Its parent is a positioned element of the size of the value. */
export function EditProperty(props: {
  property: Property
  record: ApiRecord
  included: IncludedRecords
  /** The record without unsaved changes. A new record has none. */
  begun?: ApiRecord
  /** `entered` unless the editor was just left. */
  onChange(change: PropertyChange, entered: boolean): void
  /** The typed text so far. */
  onType(change: PropertyChange): void
  /** The editor is left without a change. */
  onLeave(entered: boolean): void
  /** The typed text is discarded. */
  onCancel(): void
}) {
  const { property, record, included, begun, onChange, onType, onLeave, onCancel } = props
  switch (property.kind) {
    case 'name':
      return (
        <InlineInput
          type="text"
          dir="auto"
          aria-label={property.label}
          initial={nameOf(record)}
          onSave={(typed, entered) => onChange(nameChange(property, typed), entered)}
          onType={(typed) => onType(nameChange(property, typed))}
          onLeave={onLeave}
          onCancel={onCancel}
          className="font-medium"
        />
      )
    case 'custom': {
      const { field } = property
      const { Edit } = fieldViews[field.type]
      return (
        <Edit
          field={field}
          value={record.attributes.custom_fields[field.code] ?? null}
          onSave={(value) => onChange(customChange(field, value), true)}
          onType={(value) => onType(customChange(field, value))}
          onLeave={() => onLeave(true)}
          onCancel={onCancel}
        />
      )
    }
    case 'reference':
      return (
        <RelatedPicker
          label={property.label}
          to={property.to}
          chosen={relatedTo(record, property.include, included)}
          onSave={(related) => onChange(referenceChange(property, related[0]), true)}
          onType={(related) => onType(referenceChange(property, related[0]))}
          onLeave={() => onLeave(true)}
          onCancel={onCancel}
        />
      )
    case 'links': {
      const change = (related: readonly RelatedRecord[]) =>
        begun
          ? linksEdited(property, relatedTo(begun, property.include, included), related)
          : linksChange(property, related)
      return (
        <RelatedPicker
          label={property.label}
          to={property.to}
          most={property.field ? mostOf(property.field) : Number.POSITIVE_INFINITY}
          chosen={relatedTo(record, property.include, included)}
          onSave={(related) => onChange(change(related), true)}
          onType={(related) => onType(change(related))}
          onLeave={() => onLeave(true)}
          onCancel={onCancel}
        />
      )
    }
    default:
      return null
  }
}
