import { type Issue, reportInto } from '@kith/contract/issue'
import { parseQueryString } from '@kith/contract/query-string'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Answer } from '../../calls/answer.ts'
import type { WebRequest } from '../../calls/call.ts'
import { parseOptionalJson } from '../wire/body.ts'

/** The body. The operation refuses anything that is not a JSON object. */
export function bodyOf({ body }: WebRequest): unknown {
  return parseOptionalJson(body)
}

/** The parameters of the address. */
export function queryOf({ query }: WebRequest): Record<string, unknown> {
  const issues: Issue[] = []
  const raw = parseQueryString(query, reportInto(issues))
  refuseIfAny(issues)
  return raw
}

/** A parameter in the path. */
export function paramOf({ params }: WebRequest, name: string): string {
  return params[name] ?? ''
}

export function answerData(data: unknown, status = 200): Answer {
  return { status, body: JSON.stringify({ data }) }
}

/** For operations without a result. */
export const done: Answer = answerData(null)
