import { Hash } from 'lucide-react'
import { formatNumber } from '../format/numbers.ts'
import { parseNumber, typedNumber } from '../format/typed-number.ts'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { InlineInput } from './inline-input.tsx'
import { NumberOperand } from './operands.tsx'
import { numberIn, textIn } from './values.ts'

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
  // A refused draft is the text that was typed.
  if (shown === undefined) return textIn(value) || null
  return (
    <span data-numeric title={String(shown)} className="block truncate">
      {formatNumber(shown)}
    </span>
  )
}

/** Typed in the form of the user's locale, with or without groups. */
export function EditNumber({ value, field, onSave, onType, ...rest }: EditProps) {
  const known = numberIn(value)
  const toValue = (typed: string) => {
    if (typed.trim() === '') return null
    // A text that is no number is sent as it is, and the service says why it refuses it.
    return parseNumber(typed) ?? typed
  }
  return (
    <InlineInput
      type="text"
      inputMode="decimal"
      aria-label={field.name}
      initial={known === undefined ? textIn(value) : typedNumber(known)}
      onSave={(typed) => onSave(toValue(typed))}
      onType={(typed) => onType(toValue(typed))}
      {...rest}
      className="text-right tabular-nums"
    />
  )
}
