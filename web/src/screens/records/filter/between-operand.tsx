import { useState } from 'react'
import { Input } from '../../../components/input.tsx'
import { textsIn } from '../../../fields/values.ts'

type Props = { name: string; value: unknown; onChange(value: unknown): void }

/** Two days, both included. The condition is complete as soon as both are given. */
export function BetweenOperand({ name, value, onChange }: Props) {
  const [[first = '', last = ''], setDays] = useState(() => textsIn(value))
  const change = (days: [string, string]) => {
    setDays(days)
    onChange(days.includes('') ? undefined : days)
  }
  return (
    <div className="flex items-center gap-1">
      <Input
        type="date"
        aria-label={`First day for ${name}`}
        value={first}
        onChange={(event) => change([event.target.value, last])}
      />
      <span className="text-xs text-faint">and</span>
      <Input
        type="date"
        aria-label={`Last day for ${name}`}
        value={last}
        onChange={(event) => change([first, event.target.value])}
      />
    </div>
  )
}
