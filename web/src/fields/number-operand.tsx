import { useState } from 'react'
import { Input } from '../components/input.tsx'
import { parseNumber, typedNumber } from '../format/typed-number.ts'
import type { OperandProps } from './field-view.ts'
import { numberIn } from './values.ts'

/** One number to compare with. What is half typed ("1.", "-") stays in the input until it is a number. */
export function NumberOperand({ field, value, onChange }: OperandProps) {
  const [typed, setTyped] = useState(() => initial(value))
  const change = (next: string) => {
    setTyped(next)
    onChange(parseNumber(next))
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

function initial(value: unknown): string {
  const number = numberIn(value)
  return number === undefined ? '' : typedNumber(number)
}
