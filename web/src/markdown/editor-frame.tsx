import type { KeyboardEvent, ReactNode } from 'react'
import { Button } from '../components/button.tsx'

type Props = {
  /** Whether what was typed is saved, in words. */
  status: string | undefined
  /** Saves and closes. */
  onDone(): void
  /** Goes back to the text as it was when the editor was opened. */
  onDiscard(): void
  children: ReactNode
}

/** The frame of an editor: border, buttons and keys. Escape closes it and loses nothing. */
export function EditorFrame({ status, onDone, onDiscard, children }: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    const isDone = event.key === 'Escape' || (event.key === 'Enter' && (event.metaKey || event.ctrlKey))
    if (!isDone || event.nativeEvent.isComposing) return
    onDone()
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div onKeyDownCapture={onKeyDown} className="rounded-md border border-edge focus-within:border-accent">
      {children}
      <div className="flex items-center justify-end gap-2 border-t border-line p-2">
        <p role="status" className="min-w-0 flex-1 px-1 text-xs wrap-anywhere text-quiet">
          {status}
        </p>
        {status !== undefined && (
          <Button size="small" look="quiet" onClick={onDiscard}>
            Discard changes
          </Button>
        )}
        <Button size="small" look="primary" onClick={onDone}>
          Save
        </Button>
      </div>
    </div>
  )
}
