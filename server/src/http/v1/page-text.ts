import { pageNumbers } from '@kith/contract/page-links'

export type PageText = {
  page: number
  per_page: number
  total: number
  count: number
  path: string
  /** The address of a page up to its number. */
  before: string
}

/** The `links` and `meta` of a page as JSON text, key by key what `pageDocumentMeta` tells: every list bears some 16 of these links. */
export function writePageMeta({ page, per_page, total, count, path, before }: PageText): {
  links: string
  meta: string
} {
  const last = Math.max(1, Math.ceil(total / per_page))
  const from = count === 0 ? null : (page - 1) * per_page + 1
  const to = from === null ? null : from + count - 1
  // The opening quote and the address in JSON; a number and the closing quote follow.
  const opening = JSON.stringify(before).slice(0, -1)
  const urlOf = (number: number | null) => (number === null ? 'null' : `${opening}${number}"`)
  const previous = page > 1 ? page - 1 : null
  const next = page < last ? page + 1 : null
  let numbered = link(urlOf(previous), '&laquo; Previous', previous, false)
  for (const number of pageNumbers(page, last)) {
    numbered += ','
    numbered += number === '...' ? ELLIPSIS : link(urlOf(number), String(number), number, number === page)
  }
  numbered += `,${link(urlOf(next), 'Next &raquo;', next, false)}`
  return {
    links: `{"first":${urlOf(1)},"last":${urlOf(last)},"prev":${urlOf(previous)},"next":${urlOf(next)}}`,
    meta: `{"current_page":${page},"from":${from},"last_page":${last},"links":[${numbered}],"path":${JSON.stringify(path)},"per_page":${per_page},"to":${to},"total":${total}}`,
  }
}

function link(url: string, label: string, page: number | null, active: boolean): string {
  return `{"url":${url},"label":"${label}","page":${page},"active":${active}}`
}

const ELLIPSIS = link('null', '...', null, false)
