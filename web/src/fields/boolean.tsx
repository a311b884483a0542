import type { WireValue } from '@kith/contract/field-type'
import { Check, SquareCheck, ToggleLeft } from 'lucide-react'
import { useEffect } from 'react'
import { classNames } from '../components/class-names.ts'
import { Select } from '../components/select.tsx'
import type { EditProps, FieldView, OperandProps, ShowProps } from './field-view.ts'

export const checkbox: FieldView = {
  name: 'Checkbox',
  group: 'Yes or no',
  about: 'A tick, yes or no',
  icon: SquareCheck,
  width: 100,
  Show: ShowCheck,
  Edit,
  next,
  Operand,
}
export const toggle: FieldView = {
  name: 'Toggle',
  group: 'Yes or no',
  about: 'A switch, on or off',
  icon: ToggleLeft,
  width: 100,
  Show: ShowToggle,
  Edit,
  next,
  Operand,
}

function next(value: WireValue): boolean {
  return value !== true
}

/** A click is the whole edit, so there is nothing to draw. */
function Edit({ value, onSave }: EditProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the edit begins
  useEffect(() => onSave(next(value)), [])
  return null
}

function ShowCheck({ value }: ShowProps) {
  const on = value === true
  return (
    <span
      role="img"
      aria-label={spoken(value)}
      className={classNames(
        'inline-grid size-4 place-items-center rounded-sm border align-middle',
        on ? 'border-accent bg-accent text-on-accent' : 'border-edge',
      )}
    >
      {on && <Check aria-hidden strokeWidth={3} className="size-3" />}
    </span>
  )
}

function ShowToggle({ value }: ShowProps) {
  const on = value === true
  return (
    <span
      role="img"
      aria-label={spoken(value)}
      className={classNames(
        'inline-flex h-4 w-7 items-center rounded-full border align-middle transition-colors',
        on ? 'border-accent bg-accent' : 'border-edge bg-sunk',
      )}
    >
      <span
        className={classNames(
          'size-2.5 rounded-full transition-transform',
          on ? 'translate-x-3.5 bg-on-accent' : 'translate-x-0.5 bg-faint',
        )}
      />
    </span>
  )
}

function spoken(value: WireValue): string {
  return value === true ? 'Yes' : value === false ? 'No' : 'Not set'
}

function Operand({ field, value, onChange }: OperandProps) {
  return (
    <Select
      label={`Value for ${field.name}`}
      placeholder="Value"
      value={typeof value === 'boolean' ? String(value) : ''}
      onValueChange={(picked) => onChange(picked === 'true')}
      choices={[
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ]}
    />
  )
}
