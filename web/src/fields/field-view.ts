import type { WireValue } from '@kith/contract/field-type'
import type { Operator } from '@kith/contract/operators'
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Field } from '../api/fields.ts'

export type ShowProps = { value: WireValue; field: Field }

export type EditProps = {
  value: WireValue
  field: Field
  /** The value to send, and the value as it will be read, which is shown until the service has answered. */
  onSave(value: WireValue): void
  /** The typed text so far. It is kept as a draft. */
  onType(value: WireValue): void
  /** Closes the editor without a change. */
  onLeave(): void
  /** Closes the editor and discards the text. */
  onCancel(): void
}

/** An operand of a filter; undefined while there is none yet. */
export type OperandProps = {
  /** The field of the condition; attributes have no options. */
  field: Pick<Field, 'name' | 'options'>
  operator: Operator
  value: unknown
  onChange(value: unknown): void
}

/** How a type of field is shown, edited in place and filtered. One file each. */
export type FieldView = {
  /** The name of the type in the settings. */
  name: string
  /** The heading it is listed under there. */
  group: 'Text' | 'Numbers and time' | 'Yes or no' | 'One choice' | 'Several choices' | 'Addresses' | 'References'
  about: string
  icon: LucideIcon
  /** The default width of its column. */
  width: number
  align?: 'end'
  /** Whether its values are links, so that a click opens them. */
  leadsAway?: true
  /** On one line; whatever does not fit is cut. */
  Show: ComponentType<ShowProps>
  /** All of it, for pages, where one line cannot hold it. */
  ShowAll?: ComponentType<ShowProps>
  /** Fills the place of the value while it is edited; Enter saves, Escape cancels. */
  Edit: ComponentType<EditProps>
  /** For types that change at a click: the value that follows. */
  next?(value: WireValue): WireValue
  Operand: ComponentType<OperandProps>
}
