import type { ComponentProps } from 'react'
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
