import type { Reminder, RepeatRule } from '@kith/contract/app/task-plan'
import { REPEAT_MAX } from '@kith/contract/limits'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Input } from '../components/controls.tsx'
import { Select } from '../components/select.tsx'
import { formatMoment, fromLocalInput, toLocalInput } from '../format/moments.ts'

type PickerProps<Value> = {
  value: Value | null
  onChange(value: Value | null): void
  /** The name of the picker where no label is next to it. */
  label: string
  disabled?: boolean
  /** The look of the list of choices. */
  className?: string
}

const NONE = 'none'
/** The value as it is, where it is none of the usual ones. */
const OWN = 'own'
const CUSTOM = 'custom'

const units = [
  { value: 'day', label: 'days' },
  { value: 'weekday', label: 'weekdays' },
  { value: 'week', label: 'weeks' },
  { value: 'month', label: 'months' },
] as const

const usualRules = [
  { value: 'day', label: 'Every day' },
  { value: 'weekday', label: 'Every weekday' },
  { value: 'week', label: 'Every week' },
  { value: 'month', label: 'Every month' },
] as const

/** How a task repeats: one of the usual rules, or one that is put together. */
export function RepeatPicker({ value, onChange, ...rest }: PickerProps<RepeatRule>) {
  const [isOpen, setOpen] = useState(false)
  const usual = value && value.every === 1 && !value.after_completion ? value.unit : OWN
  const choose = (chosen: string) => {
    const rule = usualRules.find((one) => one.value === chosen)
    setOpen(chosen === CUSTOM)
    if (rule) onChange({ unit: rule.value, every: 1, after_completion: false })
    else if (chosen === NONE) onChange(null)
  }
  return (
    <Picker
      {...rest}
      value={isOpen ? CUSTOM : value ? usual : NONE}
      onChoose={choose}
      choices={[
        { value: NONE, label: 'Does not repeat' },
        ...usualRules,
        ...(value && usual === OWN ? [{ value: OWN, label: ruleText(value) }] : []),
        { value: CUSTOM, label: 'Custom…' },
      ]}
    >
      {isOpen && (
        <CustomRule
          before={value}
          onDone={(rule) => {
            setOpen(false)
            if (rule) onChange(rule)
          }}
        />
      )}
    </Picker>
  )
}

/** "Every 2 weeks", "3 days after completion" */
function ruleText({ unit, every, after_completion }: RepeatRule): string {
  const many = units.find(({ value }) => value === unit)?.label ?? unit
  if (after_completion) return `${every} ${every === 1 ? unit : many} after completion`
  return `Every ${every === 1 ? unit : `${every} ${many}`}`
}

function CustomRule({ before, onDone }: { before: RepeatRule | null; onDone(rule: RepeatRule | undefined): void }) {
  const [rule, setRule] = useState<RepeatRule>(before ?? { unit: 'day', every: 3, after_completion: true })
  const isValid = Number.isInteger(rule.every) && rule.every >= 1 && rule.every <= REPEAT_MAX
  return (
    <Parts onDone={() => isValid && onDone(rule)} onCancel={() => onDone(undefined)} disabled={!isValid}>
      <span aria-hidden className="text-xs text-quiet">
        Every
      </span>
      <Input
        autoFocus
        type="number"
        aria-label="Every how many"
        min={1}
        max={REPEAT_MAX}
        value={Number.isNaN(rule.every) ? '' : rule.every}
        onChange={({ target }) => setRule({ ...rule, every: target.valueAsNumber })}
        className="w-16!"
      />
      <Select
        label="Unit"
        value={rule.unit}
        onValueChange={(unit) => setRule({ ...rule, unit: units.find(({ value }) => value === unit)?.value ?? 'day' })}
        choices={units}
        className="w-28!"
      />
      <Select
        label="Counted from"
        value={rule.after_completion ? 'completion' : 'due'}
        onValueChange={(from) => setRule({ ...rule, after_completion: from === 'completion' })}
        choices={[
          { value: 'due', label: 'from the due date' },
          { value: 'completion', label: 'after it is completed' },
        ]}
        className="w-46!"
      />
    </Parts>
  )
}

const leads = [
  { value: '0', label: 'When it is due' },
  { value: '60', label: 'An hour before' },
  { value: '1440', label: 'A day before' },
] as const

/** When the user is reminded of a task: before it is due, or at a chosen time. */
export function ReminderPicker({ value, onChange, ...rest }: PickerProps<Reminder>) {
  const [isOpen, setOpen] = useState(false)
  const choose = (chosen: string) => {
    setOpen(chosen === CUSTOM)
    if (chosen === NONE) onChange(null)
    else if (leads.some((one) => one.value === chosen)) onChange({ minutes_before: Number(chosen), at: null })
  }
  const held = value === null ? NONE : value.at === null ? String(value.minutes_before) : OWN
  return (
    <Picker
      {...rest}
      value={isOpen ? CUSTOM : held}
      onChoose={choose}
      choices={[
        { value: NONE, label: 'No reminder' },
        ...leads,
        ...(value?.at ? [{ value: OWN, label: formatMoment(value.at) }] : []),
        { value: CUSTOM, label: 'At a time…' },
      ]}
    >
      {isOpen && (
        <ChosenTime
          before={value?.at ?? null}
          onDone={(at) => {
            setOpen(false)
            if (at !== undefined) onChange({ minutes_before: null, at })
          }}
        />
      )}
    </Picker>
  )
}

function ChosenTime({ before, onDone }: { before: string | null; onDone(at: string | undefined): void }) {
  const [typed, setTyped] = useState(before === null ? '' : toLocalInput(before))
  const isOver = typed !== '' && Date.parse(fromLocalInput(typed)) <= Date.now()
  const id = useId()
  return (
    <Parts
      onDone={() => typed !== '' && !isOver && onDone(fromLocalInput(typed))}
      onCancel={() => onDone(undefined)}
      disabled={typed === '' || isOver}
    >
      <Input
        autoFocus
        type="datetime-local"
        aria-label="Remind me at"
        aria-invalid={isOver}
        aria-describedby={isOver ? id : undefined}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        className="w-50!"
      />
      {isOver && (
        <p id={id} role="alert" className="w-full text-xs text-danger">
          This time is over.
        </p>
      )}
    </Parts>
  )
}

function Picker(props: {
  label: string
  className?: string
  value: string
  choices: readonly { value: string; label: string }[]
  disabled?: boolean
  onChoose(value: string): void
  children: ReactNode
}) {
  const { onChoose, children, ...rest } = props
  return (
    <div className="grid grid-cols-1 gap-2">
      <Select {...rest} onValueChange={onChoose} />
      {children}
    </div>
  )
}

/** The parts of a choice, which is made with a button or Enter. It may be inside of a form. */
function Parts(props: { onDone(): void; onCancel(): void; disabled: boolean; children: ReactNode }) {
  const { onDone, onCancel, disabled, children } = props
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the controls inside
    <div
      className="flex flex-wrap items-center gap-2 pb-2"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return
        // A button or a list of choices has these keys for itself.
        if (!(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        event.stopPropagation()
        if (event.key === 'Enter') onDone()
        else onCancel()
      }}
    >
      {children}
      <Button size="small" look="primary" disabled={disabled} onClick={onDone}>
        Set
      </Button>
      <Button size="small" look="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  )
}
