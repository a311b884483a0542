const EXCERPT_MAX = 100

/** What a caller sent, short and well-formed enough to be repeated in a message or a path. */
export function excerpt(text: string): string {
  const start = text.length > EXCERPT_MAX ? `${text.slice(0, EXCERPT_MAX)}…` : text
  return start.toWellFormed().replaceAll('\0', '\uFFFD')
}
