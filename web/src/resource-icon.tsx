import type { ReactNode } from 'react'
import type { Appearance } from './resources.ts'

/** The icon of a resource in its colour. */
export function ResourceIcon({ of }: { of: Pick<Appearance, 'icon' | 'color'> }): ReactNode {
  const { icon: Icon, color } = of
  // Grey stands for no colour.
  const style = color === null || color === 'gray' ? {} : { style: { color: `var(--tint-${color}-ink)` } }
  return <Icon aria-hidden className="size-4 shrink-0 text-faint" {...style} />
}
