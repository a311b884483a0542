import type { ListedChanges } from '../../changes/feed.ts'

/** Entries as server-sent events. The id of each is the cursor after it: a client that was cut off continues there. */
export function changeEvents({ entries, cursors, meta }: ListedChanges & { cursors: readonly string[] }): string {
  const events = entries.map((entry, index) => `id: ${cursors[index]}\nevent: change\ndata: ${entry}\n\n`)
  // Changes that are not for this reader move the position, too. Before the hand-off only entries do.
  const moved = meta.phase === 'live' && cursors.at(-1) !== meta.next_cursor
  return events.join('') + (moved ? `id: ${meta.next_cursor}\n\n` : '')
}
