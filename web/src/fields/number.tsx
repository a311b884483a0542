import { Hash } from 'lucide-react'
import { formatNumber } from '../format/numbers.ts'
import { parseNumber, typedNumber } from '../format/typed-number.ts'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { InlineInput } from './inline-input.tsx'
import { NumberOperand } from './number-operand.tsx'
import { numberIn } from './values.ts'

export const number: FieldView = {
  name: 'Number',
  group: 'Numbers and time',
  about: 'Any number, whole or not',
  icon: Hash,
  width: 120,
  align: 'end',
  Show,
  Edit: EditNumber,
  Operand: NumberOperand,
}

function Show({ value }: ShowProps) {
  const shown = numberIn(value)
  if (shown === undefined) return null
  return (
    <span data-numeric title={String(shown)} className="block truncate">
      {formatNumber(shown)}
    </span>
  )
}

/** Typed in the form of the user's locale, with or without groups. */
export function EditNumber({ value, field, onSave, onCancel }: EditProps) {
  const known = numberIn(value)
  const save = (typed: string) => {
    if (typed.trim() === '') onSave(null)
    // What is no number is sent as it is: the service says what is wrong with it.
    else onSave(parseNumber(typed) ?? typed)
  }
  return (
    <InlineInput
      type="text"
      inputMode="decimal"
      aria-label={field.name}
      initial={known === undefined ? '' : typedNumber(known)}
      onSave={save}
      onCancel={onCancel}
      className="text-right tabular-nums"
    />
  )
}
