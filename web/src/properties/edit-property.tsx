import type { RelatedType } from '@kith/contract/resource'
import { useState } from 'react'
import type { PropertyChange } from '../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { Combobox } from '../components/combobox.tsx'
import { useEdited } from '../fields/edit-state.tsx'
import { fieldViews } from '../fields/field-views.ts'
import { InlineInput } from '../fields/inline-input.tsx'
import { ValuePopover } from '../fields/value-popover.tsx'
import type { Property } from './property.ts'
import { customChange, linksChange, nameChange, referenceChange } from './property-change.ts'
import { type IncludedRecords, type RelatedRecord, relatedTo } from './related.ts'
import { useRelatedChoices } from './related-choices.ts'
import { RelatedAvatar } from './related-name.tsx'

/** Edits one property of a record in place. Its parent is a positioned element of the size of the value. */
export function EditProperty(props: {
  property: Property
  record: ApiRecord
  included: IncludedRecords
  /** `entered` unless the editor was just left. */
  onChange(change: PropertyChange, entered: boolean): void
  /** The typed text so far. */
  onType(change: PropertyChange): void
  /** The editor is left without a change. */
  onLeave(entered: boolean): void
  /** The typed text is discarded. */
  onCancel(): void
}) {
  const { property, record, included, onChange, onType, onLeave, onCancel } = props
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
        />
      )
    case 'links':
      return (
        <RelatedPicker
          label={property.label}
          to={property.to}
          many
          chosen={relatedTo(record, property.include, included)}
          onSave={(related) => onChange(linksChange(property, related), true)}
          onType={(related) => onType(linksChange(property, related))}
          onLeave={() => onLeave(true)}
        />
      )
    default:
      return null
  }
}

/** Finds members or records by name and picks from them. */
function RelatedPicker(props: {
  label: string
  to: RelatedType
  /** Several may be chosen; they are saved together when the list closes. */
  many?: boolean
  chosen: readonly RelatedRecord[]
  onSave(related: readonly RelatedRecord[]): void
  onType(related: readonly RelatedRecord[]): void
  onLeave(): void
}) {
  const { label, to, many = false, chosen: known, onSave, onType, onLeave } = props
  const [chosen, setChosen] = useEdited(known)
  const [text, setText] = useState('')
  const { choices, ...found } = useRelatedChoices(to, text)
  const listed =
    text === '' ? [...chosen, ...choices.filter(({ id }) => !chosen.some((one) => one.id === id))] : choices
  const pick = (id: string) => {
    const picked = listed.find((one) => one.id === id)
    const without = chosen.filter((one) => one.id !== id)
    const next = without.length < chosen.length || !picked ? without : many ? [...chosen, picked] : [picked]
    if (!many) return onSave(next)
    setChosen(next)
    onType(next)
  }
  const same = chosen.map(({ id }) => id).join() === known.map(({ id }) => id).join()
  return (
    <ValuePopover label={label} onClose={() => (many && !same ? onSave(chosen) : onLeave())} className="w-68">
      <Combobox
        label={`Choose ${label}`}
        placeholder={label}
        items={listed.map(({ id, type, name, detail }) => ({
          value: id,
          label: name,
          ...(detail === undefined ? {} : { detail }),
          icon: <RelatedAvatar related={{ id, type, name }} />,
        }))}
        chosen={chosen.map(({ id }) => id)}
        onPick={pick}
        search={{ text, onText: setText, ...found }}
      />
    </ValuePopover>
  )
}
