import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { Keys } from '../components/keys.tsx'
import { activeShortcuts, useShortcut } from './shortcuts.ts'

const always = [
  { keys: '↑+↓+←+→', does: 'Move in a table' },
  { keys: 'Enter', does: 'Open or edit, then save' },
  { keys: 'Space', does: 'Show the row beside the list' },
  { keys: 'X', does: 'Select the row' },
  { keys: 'Esc', does: 'Back' },
]

/** The list of keys, opened with `?`. It shows what works on this very screen. */
export function KeyList() {
  const [keys, setKeys] = useState<ReturnType<typeof activeShortcuts>>()
  useShortcut('?', 'Show these keys', () => setKeys(activeShortcuts()))
  return (
    <Dialog open={keys !== undefined} onOpenChange={() => setKeys(undefined)} title="Keys">
      <dl className="grid gap-y-1">
        {[...(keys ?? []), ...always].map((entry) => (
          <div key={entry.keys} className="flex h-8 items-center justify-between border-b border-line last:border-0">
            <dt>{entry.does}</dt>
            <dd>
              <Keys
                keys={
                  entry.keys.length === 1
                    ? entry.keys.toUpperCase()
                    : entry.keys.replace(/\+[a-z]$/, (end) => end.toUpperCase())
                }
              />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
