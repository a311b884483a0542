import { Dialog } from '../components/dialog.tsx'
import { Keys } from '../components/tooltip.tsx'

const always = [
  { keys: '↑+↓+←+→', does: 'Move in a table' },
  { keys: 'Enter', does: 'Open or edit, then save' },
  { keys: 'Space', does: 'Show the row next to the list' },
  { keys: 'X', does: 'Select the row' },
  { keys: 'Esc', does: 'Back' },
]

type Entry = { keys: string; does: string }

/** All keys of the open screen. */
export function KeyList({ keys, onClose }: { keys: readonly Entry[]; onClose(): void }) {
  return (
    <Dialog open onOpenChange={onClose} title="Keys">
      <dl className="grid gap-y-1">
        {[...keys, ...always].map((entry) => (
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
