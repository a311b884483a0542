import type { FileObject } from '@kith/contract/file'

/** The kinds of files that are shown as pictures. Others, SVG among them, are links. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

export function isPicture(contentType: string): boolean {
  return PICTURES.has(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '')
}

/** The id of the file that an address of this installation leads to. */
export function fileIn(address: string, origin: string): string | undefined {
  const url = URL.parse(address)
  if (url?.origin !== origin) return undefined
  return /^\/[^/]+\/files\/([0-9a-z]{26})$/.exec(url.pathname)?.[1]
}

/** A file in a text: a picture, or a link to its page. */
export function markdownOf(
  { id, attributes: { name, content_type } }: FileObject,
  slug: string,
  origin = window.location.origin,
): string {
  const label = name.replaceAll(/[[\]]/g, '\\$&')
  return `${isPicture(content_type) ? '!' : ''}[${label}](${origin}/${slug}/files/${id})`
}

/** Whether all pictures in a text are files of this installation, which the editor knows. */
export function hasOwnPicturesOnly(markdown: string, origin: string): boolean {
  const others = markdown.replaceAll(/!\[(?:\\.|[^\]\\])*\]\(([^()\s]+)\)/g, (whole, address: string) =>
    fileIn(address, origin) === undefined ? whole : '',
  )
  return !others.includes('![')
}
