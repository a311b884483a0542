const PER_PAGE_SHORT = 25
const PAGE_SHORT = 10

/** The only parameters of a short list. The order is one of the indexes on the records. */
const parts = /^(?:per_page=(\d{1,3})|page=(\d{1,3})|cursor=[\w-]{1,400}|sort=-?(?:name|title|created_at|updated_at))$/

/**
 * Whether a list reads only a few rows, whatever the size of the workspace: unfiltered, near its start or after a
 * cursor, nothing included. Running it takes less time than sending it to another thread and receiving the answer.
 */
export function isShortList(query: string): boolean {
  if (query === '') return true
  return query.split('&').every((part) => {
    const match = parts.exec(part)
    return match !== null && Number(match[1] ?? 0) <= PER_PAGE_SHORT && Number(match[2] ?? 0) <= PAGE_SHORT
  })
}
