import type { ButtonProps } from './button.tsx'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Tooltip } from './tooltip.tsx'

type Props = ButtonProps & { label: string; keys?: string; side?: 'top' | 'bottom' | 'left' | 'right' }

/** A button that is an icon alone; its label is its accessible name and its tooltip. */
export function IconButton({ label, keys, side, className, look = 'quiet', size = 'normal', ...rest }: Props) {
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
