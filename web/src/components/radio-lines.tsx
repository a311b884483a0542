import { RadioGroup as Radix } from 'radix-ui'
import { useId } from 'react'

type RadioLine<Value extends string> = { value: Value; label: string; hint: string }

type Props<Value extends string> = {
  label: string
  value: Value
  onValueChange(value: Value): void
  choices: readonly RadioLine<Value>[]
}

/** One of very few, each with what it means. */
export function RadioLines<Value extends string>({ label, value, onValueChange, choices }: Props<Value>) {
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
