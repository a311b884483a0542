import { useState } from 'react'
import { Input } from '../components/input.tsx'
import type { OperandProps } from './field-view.ts'
import { textsIn } from './values.ts'

/** Several texts, separated by commas. */
export function TextListOperand({ field, value, onChange }: OperandProps) {
  const [typed, setTyped] = useState(() => textsIn(value).join(', '))
  const change = (next: string) => {
    setTyped(next)
    const texts = next
      .split(',')
      .map((text) => text.trim())
      .filter(Boolean)
    onChange(texts.length === 0 ? undefined : texts)
  }
  return (
    <Input
      aria-label={`Values for ${field.name}, separated by commas`}
      placeholder="One, or several with commas"
      dir="auto"
      value={typed}
      onChange={(event) => change(event.target.value)}
    />
  )
}
