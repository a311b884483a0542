import { reportUnknown } from '@kith/contract/answer-options'
import { boundedReport, type Issue, reportInto } from '@kith/contract/issue'
import { pageDocumentMeta, parseQueryString, writeQueryString } from '@kith/contract/query-string'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { readSent } from '@kith/contract/shape'
import type { Answer } from '../../calls/answer.ts'
import { optionalJsonIn, type V1Handler, type V1Request } from '../../calls/call.ts'
import { expectedIn, type Precondition, type RawParameters } from '../../records/expected.ts'
import type { ListPage } from '../../records/list.ts'
import { included, type PresentedRecords, recordDocument, recordTag } from '../../records/present.ts'
import { requireResource } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'

/** The resource of a request, from its route. */
export function resourceOf({ schema }: Scope, request: V1Request): Resource {
  if (request.resource === null) throw new Error(`The ${request.handler} handler needs a resource.`)
  return requireResource(schema, request.resource)
}

/** The precondition for the record in the path. */
export function ifMatch({ headers }: V1Request): Precondition {
  return expectedIn(headers.if_match)
}

export function askedInQuery({ query }: Pick<V1Request, 'query'>, none = false): RawParameters {
  const issues: Issue[] = []
  const raw = parseQueryString(query, reportInto(issues))
  if (none) for (const name of Object.keys(raw)) issues.push(noParameter(name, 'This endpoint takes no parameters.'))
  return { raw, loose: true, issues }
}

/** The handler of a list that is read by page. */
export function byPage(
  list: (scope: Scope, asked: RawParameters) => Promise<Parameters<typeof answerPage>[0]>,
): V1Handler {
  return async (scope, request) => {
    const asked = askedInQuery(request)
    return answerPage(await list(scope, asked), { path: request.path, parameters: asked.raw })
  }
}

export function refuseParameters(request: Pick<V1Request, 'query'>): void {
  refuseIfAny([...askedInQuery(request, true).issues])
}

/** The named parameters of a request. All others are reported. */
export function askedAmong(
  request: V1Request,
  names: readonly string[],
): { raw: RawParameters['raw']; issues: Issue[] } {
  const { raw, issues: found } = askedInQuery(request)
  const issues: Issue[] = [...found]
  reportUnknown(raw, names, boundedReport(reportInto(issues)))
  return { raw, issues }
}

/** A query takes its parameters in the body. Parameters in the query string are refused, not ignored. */
export function askedInBody(request: V1Request): RawParameters {
  const issues: Issue[] = []
  const inAddress = parseQueryString(request.query, reportInto(issues))
  for (const name of Object.keys(inAddress)) {
    issues.push(noParameter(name, 'A query takes its parameters in the body.'))
  }
  const body = optionalJsonIn(request.body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    refuse({
      kind: 'invalid',
      issues: [{ path: 'body', message: 'The request body must be a JSON object.' }, ...issues],
    })
  }
  return { raw: { ...body }, loose: false, issues }
}

/** The problems of a request that takes neither parameters nor a body. */
export function nothingIn(request: V1Request): Issue[] {
  const issues: Issue[] = [...askedInQuery(request, true).issues]
  readSent(optionalJsonIn(request.body), {}, reportInto(issues))
  return issues
}

function noParameter(name: string, why: string): Issue {
  const shown = name.slice(0, 100)
  return { path: shown, message: `The parameter ${shown} is not known. ${why}` }
}

/** The document of a single record, with its tag. */
export function answerRecord(status: number, presented: PresentedRecords, meta: object = {}): Answer {
  const body = recordDocument(presented, meta)
  return { status, body, headers: { ETag: recordTag(presented, body) } }
}

export function answerDocument(status: number, document: object): Answer {
  return { status, body: JSON.stringify(document) }
}

/** The address of something below the version that the request names. */
export function addressOf({ path }: V1Request, below: string): string {
  return `${path.slice(0, path.indexOf('/v1/'))}/v1/${below}`
}

const fileTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const

export function answerFile(
  {
    text,
    format,
    name,
    continuation,
  }: { text: string; format: keyof typeof fileTypes; name: string; continuation: string | null },
  headers: Answer['headers'] = {},
): Answer {
  return {
    status: 200,
    body: text,
    headers: {
      'Content-Type': fileTypes[format],
      'Content-Disposition': `attachment; filename="${name}.${format}"`,
      ...headers,
    },
    next: { kind: 'part', continuation },
  }
}

/** The address of a list and the parameters in its query string. */
type ListAddress = { path: string; parameters: Readonly<Record<string, unknown>> }

export function answerList(listed: ListPage, address: ListAddress): Answer {
  const { text, includedText, truncated } = listed
  const { links, meta } = listed.by === 'page' ? numbered(listed, address) : scanned(listed, address)
  const numbers = JSON.stringify(truncated.length > 0 ? { ...meta, truncated } : meta)
  const ends = `"links":${JSON.stringify(links)},"meta":${numbers}`
  return { status: 200, body: `{"data":${text()}${included(includedText)},${ends}}` }
}

/** A page of something other than records. */
export function answerPage(
  listed: { data: readonly object[]; page: number; per_page: number; total: number },
  address: ListAddress,
): Answer {
  const { data } = listed
  return answerDocument(200, { data, ...numbered({ ...listed, count: data.length }, address) })
}

/** The links and numbers of any list with pages. */
function numbered(
  { page, per_page, total, count }: { page: number; per_page: number; total: number; count: number },
  { path, parameters }: ListAddress,
) {
  const before = prefixOf(parameters, 'page')
  const urlOf = (number: number) => `${path}?${before}page=${number}`
  return pageDocumentMeta({ page, per_page, total, count, path, urlOf })
}

type CursorPage = { per_page: number; next_cursor: string | null; prev_cursor: string | null }

/** A page of a list that is read by cursor. */
export function answerScan(listed: CursorPage & { data: readonly object[] }, address: ListAddress): Answer {
  return answerDocument(200, { data: listed.data, ...scanned(listed, address) })
}

function scanned({ per_page, next_cursor, prev_cursor }: CursorPage, { path, parameters }: ListAddress) {
  const before = prefixOf(parameters, 'cursor')
  const urlOf = (cursor: string | null) => (cursor === null ? null : `${path}?${before}cursor=${cursor}`)
  return {
    links: { first: null, last: null, prev: urlOf(prev_cursor), next: urlOf(next_cursor) },
    meta: { path, per_page, next_cursor, prev_cursor },
  }
}

/** All other parameters of the request, as the beginning of a query string for the one that differs. */
function prefixOf(parameters: Readonly<Record<string, unknown>>, name: string): string {
  if (Object.keys(parameters).length === 0) return ''
  const others = Object.fromEntries(Object.entries(parameters).filter(([key]) => key !== name))
  const text = writeQueryString(others)
  return text === '' ? '' : `${text}&`
}
