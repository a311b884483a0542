import { Input } from '../components/input.tsx'
import type { OperandProps } from './field-view.ts'
import { textIn } from './values.ts'

/** A calendar day. Compared with a time it means the whole of that day, in UTC, as in the API. */
export function DayOperand({ field, value, onChange }: OperandProps) {
  return (
    <Input
      type="date"
      aria-label={`Value for ${field.name}`}
      value={textIn(value).slice(0, 10)}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    />
  )
}
