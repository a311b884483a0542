import { pageDocumentMeta, writeQueryString } from '@kith/contract/query-string'
import type { Answer } from '../../calls/answer.ts'
import type { Listed } from '../../records/list.ts'
import { included, type Presented, recordDocument, recordTag } from '../../records/present.ts'

/** The document of a single record, with its tag. */
export function answerRecord(status: number, presented: Presented, meta: object = {}): Answer {
  const body = recordDocument(presented, meta)
  return { status, body, headers: { ETag: recordTag(presented, body) } }
}

export function answerDocument(status: number, document: object): Answer {
  return { status, body: JSON.stringify(document) }
}

const fileTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const

type FilePart = { text: string; format: keyof typeof fileTypes; name: string; continuation: string | null }

/** A part of a file. */
export function answerFile({ text, format, name, continuation }: FilePart, headers: Answer['headers'] = {}): Answer {
  return {
    status: 200,
    body: text,
    headers: {
      'Content-Type': fileTypes[format],
      'Content-Disposition': `attachment; filename="${name}.${format}"`,
      ...headers,
    },
    aside: { continuation },
  }
}

/** Where a list was asked for: its address and the parameters in its query string. */
type ListAddress = { path: string; parameters: Readonly<Record<string, unknown>> }

export function answerList(listed: Listed, address: ListAddress): Answer {
  const { text, includedText, truncated } = listed
  const { links, meta } = listed.by === 'page' ? numbered(listed, address) : walked(listed, address)
  const numbers = JSON.stringify(truncated.length > 0 ? { ...meta, truncated } : meta)
  const ends = `"links":${JSON.stringify(links)},"meta":${numbers}`
  return { status: 200, body: `{"data":${text}${included(includedText)},${ends}}` }
}

type Page = { data: readonly object[]; page: number; per_page: number; total: number }

/** A page of something other than records. */
export function answerPage(listed: Page, address: ListAddress): Answer {
  const { data } = listed
  return answerDocument(200, { data, ...numbered({ ...listed, count: data.length }, address) })
}

type Numbered = { page: number; per_page: number; total: number; count: number }

/** The links and numbers of a page, for any list that has pages. */
function numbered({ page, per_page, total, count }: Numbered, { path, parameters }: ListAddress) {
  const before = prefixOf(parameters, 'page')
  const urlOf = (number: number) => `${path}?${before}page=${number}`
  return pageDocumentMeta({ page, per_page, total, count, path, urlOf })
}

type Walked = { per_page: number; next_cursor: string | null; prev_cursor: string | null }

/** The same, read by cursor. */
export function answerWalk(listed: Walked & { data: readonly object[] }, address: ListAddress): Answer {
  return answerDocument(200, { data: listed.data, ...walked(listed, address) })
}

function walked({ per_page, next_cursor, prev_cursor }: Walked, { path, parameters }: ListAddress) {
  const before = prefixOf(parameters, 'cursor')
  const urlOf = (cursor: string | null) => (cursor === null ? null : `${path}?${before}cursor=${cursor}`)
  return {
    links: { first: null, last: null, prev: urlOf(prev_cursor), next: urlOf(next_cursor) },
    meta: { path, per_page, next_cursor, prev_cursor },
  }
}

/** Every other parameter of the request, ready to be followed by the one that differs. */
function prefixOf(parameters: Readonly<Record<string, unknown>>, name: string): string {
  if (Object.keys(parameters).length === 0) return ''
  const others = Object.fromEntries(Object.entries(parameters).filter(([key]) => key !== name))
  const text = writeQueryString(others)
  return text === '' ? '' : `${text}&`
}
