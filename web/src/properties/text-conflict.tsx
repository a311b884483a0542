import { Button } from '../components/button.tsx'
import type { TextConflict } from './text-saving.ts'

/** Shows both versions of a text and lets the user choose. */
export function TextConflictPanel({ label, conflict }: { label: string; conflict: TextConflict }) {
  const { typed, theirs, keepTyped, keepTheirs } = conflict
  return (
    <section
      role="alert"
      aria-label={`${label} was changed by someone else`}
      className="mt-2 rounded-md border border-edge bg-paper p-3 text-sm"
    >
      <p className="mb-2 font-medium">Someone else changed this text while you were editing. Which one do you keep?</p>
      <div className="grid gap-3 sm:grid-cols-2">
        <Version title="Yours" text={typed} action="Keep yours" onKeep={keepTyped} />
        <Version title="Theirs" text={theirs} action="Keep theirs" onKeep={keepTheirs} />
      </div>
    </section>
  )
}

type VersionProps = { title: string; text: string; action: string; onKeep: () => void }

function Version({ title, text, action, onKeep }: VersionProps) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <h3 className="text-xs font-medium text-quiet">{title}</h3>
      <p className="max-h-64 flex-1 overflow-y-auto rounded-sm bg-hover p-2 whitespace-pre-wrap wrap-anywhere">
        {text === '' ? <span className="text-quiet">Empty</span> : text}
      </p>
      <Button size="small" className="self-start" onClick={onKeep}>
        {action}
      </Button>
    </div>
  )
}
