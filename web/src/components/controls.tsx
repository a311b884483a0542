import { Check, Eye, EyeOff, Minus } from 'lucide-react'
import { Checkbox as Radix } from 'radix-ui'
import { type ComponentProps, useState } from 'react'
import { classNames } from './class-names.ts'

/** The look of everything that is typed into. */
export const inputLook =
  'h-8 w-full min-w-0 rounded-md border border-edge bg-paper px-2.5 text-sm text-ink transition-colors ' +
  'hover:border-faint focus:border-accent focus:outline-2 focus:-outline-offset-1 focus:outline-accent ' +
  'aria-invalid:border-danger disabled:opacity-60'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={classNames(inputLook, className)} autoComplete="off" {...rest} />
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={classNames(inputLook, 'h-auto min-h-20 py-1.5 leading-5', className)} {...rest} />
}

/** A password that can be looked at while it is typed. */
export function PasswordInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  const [shown, setShown] = useState(false)
  return (
    <div className="relative">
      <Input
        {...rest}
        type={shown ? 'text' : 'password'}
        spellCheck={false}
        className={classNames('pr-9', className)}
      />
      <button
        type="button"
        aria-label={shown ? 'Hide the password' : 'Show the password'}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 grid w-8 place-items-center rounded-md text-faint hover:text-ink"
      >
        {shown ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
      </button>
    </div>
  )
}

export function Checkbox({ className, ...rest }: ComponentProps<typeof Radix.Root>) {
  return (
    <Radix.Root
      className={classNames(
        'group inline-grid size-4 shrink-0 place-items-center rounded-sm border border-faint bg-paper text-on-accent',
        'data-[state=checked]:border-accent data-[state=checked]:bg-accent',
        'data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent',
        className,
      )}
      {...rest}
    >
      <Radix.Indicator>
        <Check aria-hidden strokeWidth={3} className="size-3 group-data-[state=indeterminate]:hidden" />
        <Minus aria-hidden strokeWidth={3} className="hidden size-3 group-data-[state=indeterminate]:block" />
      </Radix.Indicator>
    </Radix.Root>
  )
}
