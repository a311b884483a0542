import type { ReactNode } from 'react'
import { classNames } from '../../components/class-names.ts'

type Props = {
  name: string
  label: string
  checked: boolean
  /** It is taken, but together with others: then it is not the one that is chosen. */
  several?: boolean
  onChoose(): void
  children: ReactNode
}

/** A value that can be chosen: a radio button as large as its cell. */
export function MergeChoice({ name, label, checked, several = false, onChoose, children }: Props) {
  return (
    <label
      className={classNames(
        'flex min-h-9 min-w-0 flex-1 items-center gap-2.5 rounded-md border px-2.5 py-1.5',
        'has-focus-visible:outline-2 has-focus-visible:outline-accent',
        checked && !several ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-hover',
      )}
    >
      <input
        type="radio"
        name={name}
        aria-label={label}
        checked={checked && !several}
        onChange={onChoose}
        className="size-3.5 shrink-0 accent-accent outline-none"
      />
      <span className="min-w-0 flex-1 text-sm">{children}</span>
    </label>
  )
}
