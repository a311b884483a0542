/** A Content-Disposition header for a file with any name: in ASCII, and after RFC 6266 in UTF-8. */
export function attachmentNamed(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%;]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded(name)}`
}

/** Percent-encoding without the characters that RFC 5987 does not allow. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

type Range = { start: number; end: number }

/**
 * The part of a content that a Range header asks for. Undefined for the whole: without a header, for several parts, and
 * if the header is no range (RFC 9110, 14.2). Null if it begins after the end.
 */
export function rangeIn(header: string | undefined, size: number): Range | null | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return Number(last) === 0 ? null : { start: Math.max(0, size - Number(last)), end: size - 1 }
  const [start, end] = [Number(first), last === '' ? size - 1 : Number(last)]
  if (last !== '' && end < start) return undefined
  return start < size ? { start, end: Math.min(end, size - 1) } : null
}
