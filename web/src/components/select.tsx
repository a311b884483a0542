import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { inputLook } from './controls.tsx'
import { floatLook } from './popover.tsx'

/** One of a few. For many, or to search in, there is the combobox. */
export function Select(props: {
  value: string
  onValueChange(value: string): void
  choices: readonly { value: string; label: string; icon?: ReactNode }[]
  label?: string
  id?: string
  placeholder?: string
  className?: string
  disabled?: boolean
  'aria-invalid'?: boolean
  'aria-describedby'?: string
}) {
  const { value, onValueChange, choices, label, id, placeholder, className, disabled } = props
  return (
    <Radix.Root value={value} onValueChange={onValueChange} disabled={disabled ?? false}>
      <Radix.Trigger
        id={id}
        aria-label={label}
        aria-invalid={props['aria-invalid']}
        aria-describedby={props['aria-describedby']}
        className={classNames(
          inputLook,
          'inline-flex items-center gap-1.5 text-left data-placeholder:text-faint',
          className,
        )}
      >
        <span className="min-w-0 flex-1 truncate">
          <Radix.Value placeholder={placeholder} />
        </span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className={classNames(
            floatLook,
            'z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width)',
          )}
        >
          <Radix.Viewport className="p-1">
            {choices.map((choice) => (
              <Radix.Item
                key={choice.value}
                value={choice.value}
                className="flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none select-none data-highlighted:bg-hover"
              >
                {choice.icon}
                <span className="min-w-0 flex-1">
                  <Radix.ItemText>{choice.label}</Radix.ItemText>
                </span>
                <Radix.ItemIndicator>
                  <Check aria-hidden className="size-4 text-accent" />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
