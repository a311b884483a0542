import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../components/class-names.ts'
import { Combobox } from '../components/combobox.tsx'
import { Input, inputLook } from '../components/controls.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../components/popover.tsx'
import { fromLocalInput, toLocalInput } from '../format/moments.ts'
import { parseNumber, typedNumber } from '../format/typed-number.ts'
import type { OperandProps } from './field-view.ts'
import { optionItems } from './options.tsx'
import { numberIn, textIn, textsIn } from './values.ts'

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

/** One number to compare with. A half-typed number ("1.", "-") stays in the input. */
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

/**
 * One option, or several where the operator takes a list. Labels are sent: they read well in a call, and ids work too.
 */
export function ChoiceOperand({ field, operator, value, onChange }: OperandProps) {
  const single = operator === '$eq'
  const picked = single ? [textIn(value)].filter(Boolean) : textsIn(value)
  const labels = picked.map((name) => field.options.find((option) => isNamed(option, name))?.label ?? name)
  const shown = labels.length === 0 ? 'Choose' : labels.join(', ')
  const pick = (id: string) => {
    const label = field.options.find((option) => option.id === id)?.label ?? id
    if (single) onChange(label)
    else onChange(labels.includes(label) ? orNone(labels.filter((known) => known !== label)) : [...labels, label])
  }
  return (
    <Popover>
      <PopoverTrigger
        aria-label={`Value for ${field.name}: ${shown}`}
        className={classNames(inputLook, 'flex items-center gap-1.5 text-left')}
      >
        <span className={classNames('min-w-0 flex-1 truncate', labels.length === 0 && 'text-faint')}>{shown}</span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </PopoverTrigger>
      <PopoverContent aria-label={field.name}>
        <Combobox
          label={`Options of ${field.name}`}
          items={optionItems(field)}
          chosen={field.options.filter(({ label }) => labels.includes(label)).map(({ id }) => id)}
          onPick={pick}
        />
      </PopoverContent>
    </Popover>
  )
}

function isNamed({ id, label }: { id: string; label: string }, name: string): boolean {
  return id === name || label.toLowerCase() === name.trim().toLowerCase()
}

function orNone<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list
}

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
