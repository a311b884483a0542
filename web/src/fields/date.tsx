import { Calendar } from 'lucide-react'
import { Input } from '../components/controls.tsx'
import { formatDay, formatDayExactly } from '../format/moments.ts'
import type { EditProps, FieldView, OperandProps, ShowProps } from './field-view.ts'
import { InlineInput } from './inline-input.tsx'
import { textIn } from './values.ts'

export const date: FieldView = {
  name: 'Date',
  group: 'Numbers and time',
  about: 'A calendar day',
  icon: Calendar,
  width: 130,
  Show,
  Edit,
  Operand: DayOperand,
}

function Show({ value }: ShowProps) {
  const day = textIn(value)
  if (day === '') return null
  return (
    <time dateTime={day} title={formatDayExactly(day)} className="block truncate">
      {formatDay(day)}
    </time>
  )
}

function Edit({ value, field, onSave, onType, ...rest }: EditProps) {
  return (
    <InlineInput
      type="date"
      aria-label={field.name}
      initial={textIn(value)}
      onSave={(typed) => onSave(typed === '' ? null : typed)}
      onType={(typed) => onType(typed === '' ? null : typed)}
      {...rest}
    />
  )
}

/** A calendar day. Compared with a time it means the whole of that day, in UTC, as in the API. */
function DayOperand({ field, value, onChange }: OperandProps) {
  return (
    <Input
      type="date"
      aria-label={`Value for ${field.name}`}
      value={textIn(value).slice(0, 10)}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    />
  )
}
