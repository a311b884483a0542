/** How long a long text rests before it saves itself. */
const PAUSE_MS = 1500
/** After that it does not save itself before this. Each save is an entry in the history of the record. */
const BETWEEN_MS = 12_000

/** How long to wait before a text saves itself, given when it did so last. */
export function waitBeforeSave(now: number, last: number | undefined): number {
  return last === undefined ? PAUSE_MS : Math.max(PAUSE_MS, last + BETWEEN_MS - now)
}
