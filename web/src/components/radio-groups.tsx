import type { LucideIcon } from 'lucide-react'
import { RadioGroup as Radix } from 'radix-ui'
import { useId } from 'react'

/** One of very few, each with an explanation. */
export function RadioLines<Value extends string>(props: {
  label: string
  value: Value
  onValueChange(value: Value): void
  choices: readonly { value: Value; label: string; hint: string }[]
}) {
  const { label, value, onValueChange, choices } = props
  const id = useId()
  return (
    <Radix.Root
      aria-label={label}
      value={value}
      onValueChange={(picked) => {
        const choice = choices.find((one) => one.value === picked)
        if (choice) onValueChange(choice.value)
      }}
      className="grid gap-2.5"
    >
      {choices.map(({ value, label, hint }) => (
        <div key={value} className="flex items-start gap-2.5">
          <Radix.Item
            id={`${id}-${value}`}
            value={value}
            aria-describedby={`${id}-${value}-hint`}
            className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-faint bg-paper data-[state=checked]:border-accent"
          >
            <Radix.Indicator className="size-2 rounded-full bg-accent" />
          </Radix.Item>
          <div className="min-w-0">
            <label htmlFor={`${id}-${value}`} className="text-sm font-medium">
              {label}
            </label>
            <p id={`${id}-${value}-hint`} className="text-xs text-faint">
              {hint}
            </p>
          </div>
        </div>
      ))}
    </Radix.Root>
  )
}

export type CardChoice<Value extends string> = { value: Value; label: string; icon: LucideIcon }

/** One of very few, each shown with a picture of its own. */
export function ChoiceCards<Value extends string>(props: {
  label: string
  value: Value
  onValueChange(value: Value): void
  choices: readonly CardChoice<Value>[]
}) {
  const { label, value, onValueChange, choices } = props
  return (
    <Radix.Root
      aria-label={label}
      value={value}
      onValueChange={(picked) => {
        const choice = choices.find((one) => one.value === picked)
        if (choice) onValueChange(choice.value)
      }}
      className="grid grid-cols-3 gap-2"
    >
      {choices.map(({ value, label, icon: Icon }) => (
        <Radix.Item
          key={value}
          value={value}
          className="grid justify-items-center gap-1.5 rounded-md border border-edge px-2 py-3 text-sm text-quiet transition-colors hover:bg-hover data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft data-[state=checked]:text-ink"
        >
          <Icon aria-hidden strokeWidth={1.75} className="size-5" />
          {label}
        </Radix.Item>
      ))}
    </Radix.Root>
  )
}
