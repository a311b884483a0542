import { reportUnknown } from '@kith/contract/answer-options'
import { boundedReport, type Issue, reportInto } from '@kith/contract/issue'
import { parseQueryString } from '@kith/contract/query-string'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { parseSent } from '../../fields/sent.ts'
import type { Asked } from '../../records/ask.ts'
import { type Expected, expectedIn } from '../../records/expected.ts'
import type { Scope } from '../../scope/scope.ts'
import { optionalJsonIn } from '../wire/body.ts'
import { answerPage } from './json-api.ts'

export type V1Handler = (scope: Scope, request: V1Request) => Promise<Answer>

/** The resource of a request, from its route. */
export function resourceOf(request: V1Request): Resource {
  if (request.resource === null) throw new Error(`The ${request.handler} handler needs a resource.`)
  return registry[request.resource]
}

/** What the request expects of the record in its path. */
export function ifMatch({ headers }: V1Request): Expected {
  return expectedIn(headers.if_match)
}

export function askedInQuery({ query }: V1Request, none = false): Asked {
  const issues: Issue[] = []
  const raw = parseQueryString(query, reportInto(issues))
  if (none) for (const name of Object.keys(raw)) issues.push(noParameter(name, 'This endpoint takes no parameters.'))
  return { raw, loose: true, issues }
}

type Page = Parameters<typeof answerPage>[0]

/** The handler of a list that is read by page. */
export function byPage(list: (scope: Scope, asked: Asked) => Promise<Page>): V1Handler {
  return async (scope, request) => {
    const asked = askedInQuery(request)
    return answerPage(await list(scope, asked), { path: request.path, parameters: asked.raw })
  }
}

export function refuseParameters(request: V1Request): void {
  refuseIfAny([...askedInQuery(request, true).issues])
}

/** The parameters of an endpoint that takes these. Other ones are problems. */
export function askedAmong(request: V1Request, names: readonly string[]): { raw: Asked['raw']; issues: Issue[] } {
  const { raw, issues: found } = askedInQuery(request)
  const issues: Issue[] = [...found]
  reportUnknown(raw, names, boundedReport(reportInto(issues)))
  return { raw, issues }
}

/** A query takes its parameters in the body. Parameters in the query string are refused, not ignored. */
export function askedInBody(request: V1Request): Asked {
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
  parseSent(optionalJsonIn(request.body), { accepted: [] }, reportInto(issues))
  return issues
}

function noParameter(name: string, why: string): Issue {
  const shown = name.slice(0, 100)
  return { path: shown, message: `The parameter ${shown} is not known. ${why}` }
}
