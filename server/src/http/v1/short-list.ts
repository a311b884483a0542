const PER_PAGE_SHORT = 25
const PAGE_SHORT = 10

/** The only parameters of a list that is short; the order is one of the indexes of the records themselves. */
const parts = /^(?:per_page=(\d{1,3})|page=(\d{1,3})|cursor=[\w-]{1,400}|sort=-?(?:name|title|created_at|updated_at))$/

/**
 * Whether a list reads a few rows and no more, whatever the size of the workspace: unfiltered, near its beginning or behind a
 * cursor, nothing included. Such a one takes less time than handing it over to another thread and taking the answer back.
 */
export function isShortList(query: string): boolean {
  if (query === '') return true
  return query.split('&').every((part) => {
    const match = parts.exec(part)
    return match !== null && Number(match[1] ?? 0) <= PER_PAGE_SHORT && Number(match[2] ?? 0) <= PAGE_SHORT
  })
}
