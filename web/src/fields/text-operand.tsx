import { Input } from '../components/input.tsx'
import type { OperandProps } from './field-view.ts'
import { textIn } from './values.ts'

/** One text to compare with. */
export function TextOperand({ field, value, onChange }: OperandProps) {
  return (
    <Input
      aria-label={`Value for ${field.name}`}
      placeholder="Value"
      dir="auto"
      value={textIn(value)}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    />
  )
}
