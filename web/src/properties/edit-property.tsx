import type { ApiRecord } from '../api/records.ts'
import { nameOf } from '../api/records.ts'
import { fieldViews } from '../fields/field-views.ts'
import { InlineInput } from '../fields/inline-input.tsx'
import type { Property } from './property.ts'
import { customChange, linksChange, nameChange, type PropertyChange, referenceChange } from './property-change.ts'
import { type Included, relatedTo } from './related.ts'
import { RelatedPicker } from './related-picker.tsx'

type Props = {
  property: Property
  record: ApiRecord
  included: Included
  onChange(change: PropertyChange): void
  onCancel(): void
}

/** Edits one property of a record in place. Its parent is a positioned element of the size of the value. */
export function EditProperty({ property, record, included, onChange, onCancel }: Props) {
  switch (property.kind) {
    case 'name':
      return (
        <InlineInput
          type="text"
          dir="auto"
          aria-label={property.label}
          initial={nameOf(record)}
          onSave={(typed) => onChange(nameChange(property, typed))}
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
          onSave={(value) => onChange(customChange(field, value))}
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
          onSave={(related) => onChange(referenceChange(property, related[0]))}
          onCancel={onCancel}
        />
      )
    case 'links':
      return (
        <RelatedPicker
          label={property.label}
          to={property.to}
          many
          chosen={relatedTo(record, property.include, included)}
          onSave={(related) => onChange(linksChange(property, related))}
          onCancel={onCancel}
        />
      )
    default:
      return null
  }
}
