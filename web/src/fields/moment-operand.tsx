import { Input } from '../components/input.tsx'
import { fromLocalInput, toLocalInput } from '../format/moments.ts'
import type { OperandProps } from './field-view.ts'
import { textIn } from './values.ts'

/** A day, which means the whole of it in UTC as in the API, or a moment by the reader's own clock. */
export function MomentOperand({ field, value, onChange }: OperandProps) {
  const text = textIn(value)
  const local = text.includes('T') ? toLocalInput(text) : text
  const [day = '', time = ''] = local.split('T')
  const change = (nextDay: string, nextTime: string) => {
    if (nextDay === '') onChange(undefined)
    else onChange(nextTime === '' ? nextDay : fromLocalInput(`${nextDay}T${nextTime}`))
  }
  return (
    <div className="flex min-w-0 gap-1">
      <Input
        type="date"
        aria-label={`Day for ${field.name}`}
        value={day}
        onChange={(event) => change(event.target.value, time)}
      />
      <div className="w-28 shrink-0">
        <Input
          type="time"
          aria-label={`Time for ${field.name}, if not the whole day`}
          value={time}
          onChange={(event) => change(day, event.target.value)}
        />
      </div>
    </div>
  )
}
