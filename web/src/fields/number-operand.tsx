import { useState } from 'react'
import { Input } from '../components/input.tsx'
import type { OperandProps } from './field-view.ts'
import { numberIn } from './values.ts'

/** One number to compare with. What is half typed ("1.", "-") stays in the input until it is a number. */
export function NumberOperand({ field, value, onChange }: OperandProps) {
  const [typed, setTyped] = useState(() => numberIn(value)?.toString() ?? '')
  const change = (next: string) => {
    setTyped(next)
    const read = Number(next)
    onChange(next.trim() === '' || !Number.isFinite(read) ? undefined : read)
  }
  return (
    <Input
      inputMode="decimal"
      aria-label={`Value for ${field.name}`}
      placeholder="0"
      value={typed}
      onChange={(event) => change(event.target.value)}
    />
  )
}
