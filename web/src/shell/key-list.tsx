import { Dialog } from '../components/dialog.tsx'
import { Keys } from '../components/tooltip.tsx'

const always = [
  { keys: '↑+↓+←+→', does: 'Move in a table' },
  { keys: 'Alt+↑+↓', does: 'Move the row to another group' },
  { keys: 'Mod+V', does: 'Add the rows of a copied table' },
  { keys: 'Enter', does: 'Open or edit, then save' },
  { keys: 'Space', does: 'Show the row next to the list' },
  { keys: 'X', does: 'Select the row' },
  { keys: 'Mod+K', does: 'In a text: make a link of the selected words' },
  { keys: 'Esc', does: 'Back' },
]

type Entry = { keys: string; does: string }

/** The arrows are in the list already. */
const isOther = ({ keys }: Entry) => !keys.startsWith('Arrow')

/** All keys of the open screen, in two columns where there is room. They scroll inside of the window. */
export function KeyList({ keys, onClose }: { keys: readonly Entry[]; onClose(): void }) {
  return (
    <Dialog open wide onOpenChange={onClose} title="Keys">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
        tabIndex={0}
        aria-label="All keys"
        className="max-h-[calc(100dvh-7rem)] overflow-y-auto sm:max-h-[calc(86dvh-7rem)]"
      >
        <dl className="gap-x-8 sm:columns-2">
          {[...keys.filter(isOther), ...always].map(({ keys, does }) => (
            <div
              key={does}
              className="flex min-h-8 break-inside-avoid items-center justify-between gap-3 border-b border-line text-sm"
            >
              <dt>{does}</dt>
              <dd className="shrink-0">
                <Keys
                  keys={keys.length === 1 ? keys.toUpperCase() : keys.replace(/\+[a-z]$/, (end) => end.toUpperCase())}
                />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </Dialog>
  )
}
