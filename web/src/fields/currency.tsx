import { Banknote } from 'lucide-react'
import { formatMoney } from '../format/numbers.ts'
import type { FieldView, ShowProps } from './field-view.ts'
import { EditNumber } from './number.tsx'
import { NumberOperand } from './operands.tsx'
import { numberIn, textIn } from './values.ts'

export const currency: FieldView = {
  name: 'Currency',
  group: 'Numbers and time',
  about: 'An amount of money, kept exactly',
  icon: Banknote,
  width: 176,
  align: 'end',
  Show,
  Edit: EditNumber,
  Operand: NumberOperand,
}

function Show({ value, field }: ShowProps) {
  const amount = numberIn(value)
  // A refused draft is the text that was typed.
  if (amount === undefined) return textIn(value) || null
  return (
    <span data-numeric title={`${amount} ${field.settings.currency ?? ''}`} className="block truncate">
      {formatMoney(amount, field.settings)}
    </span>
  )
}
