/** A query string that begins at a cursor, whatever it began at before. */
export function withCursor(query: string, cursor: string): string {
  const others = query.split('&').filter((part) => part !== '' && !begins(part))
  return [...others, `cursor=${encodeURIComponent(cursor)}`].join('&')
}

function begins(part: string): boolean {
  const name = part.split('=', 1)[0] ?? ''
  // Names may be encoded.
  const [plain] = new URLSearchParams(name).keys()
  return plain === 'cursor' || plain === 'since'
}
