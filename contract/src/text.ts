/** What no text of ours may hold, because one of the databases or JSON readers could not give it back. */
export function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character'
  if (!text.isWellFormed()) return 'must be valid Unicode'
  return undefined
}
