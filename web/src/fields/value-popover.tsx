import type { ReactNode } from 'react'
import { Popover, PopoverAnchor, PopoverContent } from '../components/popover.tsx'
import { EditProblem } from './edit-state.tsx'

/** The room for editors that need more than the place of the value: it hangs from that place. */
export function ValuePopover(props: { label: string; onClose(): void; className?: string; children: ReactNode }) {
  const { label, onClose, className = 'w-60', children } = props
  return (
    <Popover open onOpenChange={(open) => !open && onClose()}>
      <PopoverAnchor className="absolute inset-0" />
      <PopoverContent aria-label={label} className={className} onKeyDown={(event) => event.stopPropagation()}>
        <EditProblem className="p-2" />
        {children}
      </PopoverContent>
    </Popover>
  )
}
