import { Type } from 'lucide-react'
import type { EditProps, FieldView, ShowProps } from './field-view.ts'
import { InlineInput } from './inline-input.tsx'
import { TextOperand } from './operands.tsx'
import { textIn } from './values.ts'

export const text: FieldView = {
  name: 'Text',
  group: 'Text',
  about: 'One line, such as a job title',
  icon: Type,
  width: 200,
  Show,
  Edit,
  Operand: TextOperand,
}

function Show({ value }: ShowProps) {
  const shown = textIn(value)
  if (shown === '') return null
  return (
    <span dir="auto" title={shown} className="block truncate">
      {shown}
    </span>
  )
}

function Edit({ value, field, onSave, onType, ...rest }: EditProps) {
  const toValue = (typed: string) => (typed.trim() === '' ? null : typed)
  return (
    <InlineInput
      type="text"
      aria-label={field.name}
      dir="auto"
      initial={textIn(value)}
      onSave={(typed) => onSave(toValue(typed))}
      onType={(typed) => onType(toValue(typed))}
      {...rest}
    />
  )
}
