/** The pages that `meta.links` shows between "Previous" and "Next". */
export function pageNumbers(current: number, last: number): (number | '...')[] {
  if (last < 14) return range(1, last)
  if (current <= 7) return [...range(1, 10), '...', last - 1, last]
  if (current > last - 7) return [1, 2, '...', ...range(last - 9, last)]
  return [1, 2, '...', ...range(current - 3, current + 3), '...', last - 1, last]
}

type PageLink = { url: string | null; label: string; page: number | null; active: boolean }

export type PageDocumentMeta = {
  links: { first: string; last: string; prev: string | null; next: string | null }
  meta: {
    current_page: number
    from: number | null
    last_page: number
    links: PageLink[]
    path: string
    per_page: number
    to: number | null
    total: number
  }
}

type Page = {
  page: number
  per_page: number
  /** Records of the whole list. */
  total: number
  /** Records on this page. */
  count: number
  path: string
  urlOf: (page: number) => string
}

/** The `links` and `meta` of a list that is read by page. */
export function pageDocumentMeta({ page, per_page, total, count, path, urlOf }: Page): PageDocumentMeta {
  const last = Math.max(1, Math.ceil(total / per_page))
  const from = count === 0 ? null : (page - 1) * per_page + 1
  const previous = stepLink('&laquo; Previous', page > 1 ? page - 1 : null, urlOf)
  const next = stepLink('Next &raquo;', page < last ? page + 1 : null, urlOf)
  const numbered = pageNumbers(page, last).map((number) => numberLink(number, page, urlOf))
  return {
    links: { first: urlOf(1), last: urlOf(last), prev: previous.url, next: next.url },
    meta: {
      current_page: page,
      from,
      last_page: last,
      links: [previous, ...numbered, next],
      path,
      per_page,
      to: from === null ? null : from + count - 1,
      total,
    },
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

function stepLink(label: string, page: number | null, urlOf: Page['urlOf']): PageLink {
  return { url: page === null ? null : urlOf(page), label, page, active: false }
}

function numberLink(number: number | '...', current: number, urlOf: Page['urlOf']): PageLink {
  if (number === '...') return { url: null, label: '...', page: null, active: false }
  return { url: urlOf(number), label: String(number), page: number, active: number === current }
}
