import { PER_PAGE_MAX } from '@kith/contract/limits'
import { resources } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { oneOf } from './names.ts'
import { includedOf, truncated } from './record-schemas.ts'
import { closed, is, ref, type Schema, says } from './schema.ts'

/** Lists, by page and by cursor. */
export function listSchemas(): Record<string, Schema> {
  return {
    PageLinks: closed(
      { first: url, last: url, prev: urlOrNull, next: urlOrNull },
      { title: 'By page', description: 'Addresses of other pages, with every other parameter of the request.' },
    ),
    CursorLinks: closed({ first: nothing, last: nothing, prev: urlOrNull, next: urlOrNull }, { title: 'By cursor' }),
    PageLink: closed({
      url: urlOrNull,
      label: is.text,
      page: { type: ['integer', 'null'], minimum: 1 },
      active: is.flag,
    }),
    PageMeta: closed({ ...pageMeta, truncated }, { title: 'By page', required: Object.keys(pageMeta) }),
    CursorMeta: closed({ ...cursorMeta, truncated }, { title: 'By cursor', required: Object.keys(cursorMeta) }),
    ...Object.fromEntries(resources.map((resource) => [`${oneOf(resource.type)}List`, listOf(resource)])),
  }
}

export function documentOf(name: string): Schema {
  return closed({ data: ref(name) })
}

/** A page of a list that has no cursor. */
export function pageOf(name: string): Schema {
  const data = { type: 'array', items: ref(name), maxItems: PER_PAGE_MAX }
  return closed({ data, links: ref('PageLinks'), meta: ref('PageMeta') })
}

const url: Schema = { type: 'string', format: 'uri' }
const urlOrNull: Schema = { type: ['string', 'null'], format: 'uri' }
const nothing: Schema = { type: 'null' }
const perPage: Schema = { type: 'integer', minimum: 1, maximum: PER_PAGE_MAX }

const pageMeta: Readonly<Record<string, Schema>> = {
  current_page: { type: 'integer', minimum: 1 },
  from: {
    type: ['integer', 'null'],
    minimum: 1,
    description: 'The place of the first record on this page in the list.',
  },
  last_page: { type: 'integer', minimum: 1 },
  links: { type: 'array', items: ref('PageLink'), description: 'What a pager shows: previous, numbered pages, next.' },
  path: url,
  per_page: perPage,
  to: { type: ['integer', 'null'], minimum: 1, description: 'The place of the last record on this page in the list.' },
  total: is.whole,
}

const cursorMeta: Readonly<Record<string, Schema>> = {
  path: url,
  per_page: perPage,
  next_cursor: says(is.textOrNull, 'The `cursor` of the next page, `null` on the last.'),
  prev_cursor: says(is.textOrNull, 'The `cursor` of the previous page, `null` on the first.'),
}

function listOf(resource: Resource): Schema {
  return closed(
    {
      data: { type: 'array', items: ref(oneOf(resource.type)), maxItems: PER_PAGE_MAX },
      included: includedOf(resource),
      links: { anyOf: [ref('PageLinks'), ref('CursorLinks')] },
      meta: { anyOf: [ref('PageMeta'), ref('CursorMeta')] },
    },
    { required: ['data', 'links', 'meta'] },
  )
}
