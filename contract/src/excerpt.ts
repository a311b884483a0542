const EXCERPT_MAX = 100

/** A sent text, short and well-formed enough for a message or a path. */
export function excerpt(text: string): string {
  const start = text.length > EXCERPT_MAX ? `${text.slice(0, EXCERPT_MAX)}…` : text
  return start.toWellFormed().replaceAll('\0', '\uFFFD')
}
