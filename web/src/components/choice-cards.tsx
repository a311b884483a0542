import type { LucideIcon } from 'lucide-react'
import { RadioGroup as Radix } from 'radix-ui'

export type CardChoice<Value extends string> = { value: Value; label: string; icon: LucideIcon }

type Props<Value extends string> = {
  label: string
  value: Value
  onValueChange(value: Value): void
  choices: readonly CardChoice<Value>[]
}

/** One of very few, each shown with a picture of its own. */
export function ChoiceCards<Value extends string>({ label, value, onValueChange, choices }: Props<Value>) {
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
