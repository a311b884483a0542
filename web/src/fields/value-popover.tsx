import type { KeyboardEvent, ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Popover, PopoverAnchor, PopoverContent } from '../components/popover.tsx'
import { EditProblem } from './edit-state.tsx'

/**
 * The room for editors that need more than the place of the value: it hangs from that place. Leaving it, and Ctrl or
 * Cmd with Enter, save; Escape cancels.
 */
export function ValuePopover(props: {
  label: string
  onClose(): void
  onCancel(): void
  className?: string
  children: ReactNode
}) {
  const { label, onClose, onCancel, className = 'w-60', children } = props
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.defaultPrevented) return
    event.preventDefault()
    onClose()
  }
  return (
    <Popover open onOpenChange={(open) => !open && onClose()}>
      <PopoverAnchor className="absolute inset-0" />
      <PopoverContent
        aria-label={label}
        className={className}
        onKeyDown={onKeyDown}
        onEscapeKeyDown={(event) => {
          event.preventDefault()
          onCancel()
        }}
      >
        <EditProblem className="p-2" />
        {children}
      </PopoverContent>
    </Popover>
  )
}

/** The foot of a list of which several are picked. */
export function SaveLine({ onSave, children }: { onSave(): void; children?: ReactNode }) {
  return (
    <div className="flex min-w-0 items-center gap-2 border-t border-line px-3 py-1.5 text-xs text-quiet">
      <span className="flex min-w-0 flex-1 items-center gap-2">{children}</span>
      <Button size="small" look="primary" onClick={onSave}>
        Save
      </Button>
    </div>
  )
}
