import type { KeyboardEvent, ReactNode } from 'react'
import { Button } from '../components/button.tsx'

type Props = { onSave(): void; onCancel(): void; children: ReactNode }

/** The frame of an editor: border, buttons and keys. */
export function EditorFrame({ onSave, onCancel, children }: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onSave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div onKeyDownCapture={onKeyDown} className="rounded-md border border-edge focus-within:border-accent">
      {children}
      <div className="flex justify-end gap-2 border-t border-line p-2">
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" look="primary" onClick={onSave}>
          Save
        </Button>
      </div>
    </div>
  )
}
