/** The kinds of files that are shown as pictures. Others, SVG among them, are links. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

export function isPicture(contentType: string): boolean {
  return PICTURES.has(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '')
}
