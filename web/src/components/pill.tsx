import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** A soft tinted pill, for options and states. `tint` is one of the names in tint.ts. */
export function Pill(props: { tint?: string | null; className?: string; children: ReactNode }) {
  const { tint = 'gray', className, children } = props
  return (
    <span
      data-tint={tint ?? 'gray'}
      className={classNames(
        'inline-flex h-5 max-w-full shrink-0 items-center rounded-sm px-1.5 text-xs font-medium',
        className,
      )}
    >
      <span className="truncate">{children}</span>
    </span>
  )
}
