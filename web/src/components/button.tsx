import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { Tooltip } from './tooltip.tsx'

type Look = 'primary' | 'plain' | 'quiet' | 'quiet-danger' | 'danger'

export type ButtonProps = ComponentProps<'button'> & {
  look?: Look
  size?: 'normal' | 'small'
  /** Shown as pressed or open. */
  active?: boolean
}

const looks: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong font-medium',
  plain: 'border border-edge bg-paper text-ink hover:bg-hover',
  quiet: 'text-quiet hover:bg-hover hover:text-ink',
  'quiet-danger': 'text-danger hover:bg-danger-soft',
  danger: 'bg-danger-fill text-on-accent dark:text-paper font-medium hover:opacity-90',
}

/** A button of the one height that all controls share. `quiet` for toolbars, `primary` once on a screen. */
export function Button({ look = 'plain', size = 'normal', active, className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center-safe gap-1.5 overflow-hidden rounded-md whitespace-nowrap select-none',
        'transition-colors disabled:pointer-events-none disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
        size === 'normal' ? 'h-8 px-3 text-sm' : 'h-6 px-2 text-xs',
        looks[look],
        active && 'bg-hover text-ink',
        className,
      )}
      {...rest}
    />
  )
}

/** A button that is an icon alone; its label is its accessible name and its tooltip. */
export function IconButton(
  props: ButtonProps & { label: string; keys?: string; side?: 'top' | 'bottom' | 'left' | 'right' },
) {
  const { label, keys, side, className, look = 'quiet', size = 'normal', ...rest } = props
  return (
    <Tooltip text={label} keys={keys} side={side}>
      <Button
        aria-label={label}
        look={look}
        size={size}
        className={classNames(size === 'normal' ? 'w-8 px-0' : 'w-6 px-0', className)}
        {...rest}
      />
    </Tooltip>
  )
}
