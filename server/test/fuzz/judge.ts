import { RETURNS_TO } from '../oauth-person.ts'
import type { Fuzzed } from './random-request.ts'
import type { RawAnswer } from './raw-pipe.ts'

/** What is in another workspace, and must be in no answer here. */
export const FOREIGN_MARK = 'Zyzzyva-of-the-neighbours'

type Asked = Pick<Fuzzed, 'door' | 'path' | 'headOnly'>

/** What is wrong with an answer, or undefined. Each protocol has its own form of errors. */
export function complaintAbout(asked: Asked, answer: RawAnswer, url: string): string | undefined {
  const { status, headers } = answer
  const text = answer.body.toString()
  if (!(status >= 200 && status < 500)) return `the status is ${status}: ${text.slice(0, 300)}`
  if (text.includes(FOREIGN_MARK)) return 'it shows something of another workspace'
  if (/node_modules|SQLITE_|\.ts:\d|\bat \w+ \(/.test(text) && status >= 400)
    return `it tells of the inside: ${text.slice(0, 300)}`
  if (!headers.has('x-request-id')) return 'it has no X-Request-Id'
  if (asked.headOnly || status === 204) return undefined
  // The host of a request is not known yet when its head is too large or its path cannot be read.
  if (status === 431) return complaintAboutError(answer)
  if (asked.door === 'mcp') return complaintAboutMessage(status, text)
  if (asked.door === 'oauth') return complaintAboutGrant(asked, answer, url)
  if (status >= 400) return complaintAboutError(answer)
  // The content of a file is whatever was sent.
  if (asked.path.endsWith('/content')) return undefined
  return asked.door === 'other' ? undefined : complaintAboutData(headers.get('content-type') ?? '', text)
}

/** A JSON object, or one on each line of an export, or CSV. */
function complaintAboutData(type: string, text: string): string | undefined {
  if (type.startsWith('text/csv')) return undefined
  const objects = type === 'application/x-ndjson' ? text.split('\n').filter((line) => line !== '') : [text]
  const wrong = objects.find((one) => parse(one) === undefined)
  return wrong === undefined ? undefined : `it is no JSON object: ${wrong.slice(0, 200)}`
}

/** Our own form. */
function complaintAboutError({ status, headers, body }: RawAnswer): string | undefined {
  const error = parse(body.toString())
  if (error === undefined) return `an error that is no JSON object: ${body.toString().slice(0, 200)}`
  if (!/^application\/json(; charset=utf-8)?$/.test(headers.get('content-type') ?? ''))
    return `an error of the type ${headers.get('content-type')}`
  if (typeof error.message !== 'string' || error.message === '')
    return `an error without a message: ${JSON.stringify(error)}`
  if (status !== 422) return undefined
  const { errors } = error
  if (typeof errors !== 'object' || errors === null || Object.keys(errors).length === 0) return 'a 422 without errors'
  const fine = Object.values(errors).every((one) => Array.isArray(one) && one.every((text) => typeof text === 'string'))
  return fine ? undefined : 'a 422 whose errors are no lists of texts'
}

const INTERNAL_ERROR = -32603

/** The form of JSON-RPC: a result or an error; a tool that refuses says so in its result. */
function complaintAboutMessage(status: number, text: string): string | undefined {
  // A notification is taken without a word.
  if (status === 202) return text === '' ? undefined : `a notification is answered: ${text.slice(0, 200)}`
  const message = parse(text)
  if (message?.jsonrpc !== '2.0') return `it is no message: ${text.slice(0, 200)}`
  const error = asObject(message.error)
  if ((error === undefined) === (message.result === undefined)) return `neither or both of result and error: ${text}`
  if (error === undefined) return status < 400 ? complaintAboutResult(asObject(message.result)) : 'a result as an error'
  if (!Number.isInteger(error.code) || typeof error.message !== 'string' || error.message === '')
    return `an error without a code or a message: ${text.slice(0, 300)}`
  return error.code === INTERNAL_ERROR ? `an error from the inside: ${text.slice(0, 300)}` : undefined
}

function complaintAboutResult(result: Record<string, unknown> | undefined): string | undefined {
  if (result?.isError !== true) return result === undefined ? 'a result that is no object' : undefined
  const [first] = Array.isArray(result.content) ? result.content : []
  return typeof first?.text === 'string' && first.text !== '' ? undefined : 'a tool refuses without a reason'
}

const ENDPOINTS = new Set(['register', 'authorize', 'token', 'revoke'].map((name) => `/api/auth/oauth2/${name}`))

/** The form of OAuth: a redirect to our own page or back to the program, or JSON with the error's code. */
function complaintAboutGrant({ path }: Asked, answer: RawAnswer, url: string): string | undefined {
  const { status, headers, body } = answer
  if (status >= 300 && status < 400) {
    const location = headers.get('location') ?? ''
    const known = [`${url}/`, `${RETURNS_TO}?`].some((start) => location.startsWith(start))
    return known ? undefined : `it sends the browser to ${location.slice(0, 200)}`
  }
  const text = body.toString()
  if (status < 400) return text === '' || parse(text) ? undefined : `it is no JSON object: ${text.slice(0, 200)}`
  if (!ENDPOINTS.has(path) && status !== 413) return complaintAboutError(answer)
  const error = parse(text)
  // Another path or method is no request of OAuth.
  if ((status === 404 || status === 405) && error?.error === undefined) return complaintAboutError(answer)
  if (typeof error?.error !== 'string' || !/^[a-z_]+$/.test(error.error))
    return `an error without a code of OAuth: ${status} ${text.slice(0, 300)}`
  return typeof error.error_description === 'string' ? undefined : `an error without a description: ${text}`
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  const fits = typeof value === 'object' && value !== null && !Array.isArray(value)
  // An object, as was just seen; its keys are looked at one by one.
  return fits ? (value as Record<string, unknown>) : undefined
}
