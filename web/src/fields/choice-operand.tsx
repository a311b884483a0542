import { ChevronDown } from 'lucide-react'
import { classNames } from '../components/class-names.ts'
import { Combobox } from '../components/combobox.tsx'
import { inputLook } from '../components/input.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../components/popover.tsx'
import type { OperandProps } from './field-view.ts'
import { optionItems } from './options.tsx'
import { textIn, textsIn } from './values.ts'

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
