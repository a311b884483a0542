import type { Fuzzed } from './random-request.ts'
import type { RawAnswer } from './raw-pipe.ts'

/** What stands in another workspace, and may stand in no answer here. */
export const FOREIGN_MARK = 'Zyzzyva-of-the-neighbours'

/** What is wrong with an answer, or undefined. */
export function complaintAbout(
  { path, headOnly }: Pick<Fuzzed, 'path' | 'headOnly'>,
  { status, headers, body }: RawAnswer,
): string | undefined {
  const text = body.toString()
  if (!(status >= 200 && status < 500)) return `the status is ${status}: ${text.slice(0, 300)}`
  if (text.includes(FOREIGN_MARK)) return 'it shows something of another workspace'
  if (!headers.has('x-request-id')) return 'it has no X-Request-Id'
  if (headOnly || !path.startsWith('/api/') || path.startsWith('/api/auth/')) return undefined
  if (status === 204) return undefined
  const parsed = parse(text)
  if (parsed === undefined) return `it is no JSON object: ${text.slice(0, 200)}`
  return status < 400 ? undefined : complaintAboutError(status, parsed, headers)
}

function complaintAboutError(
  status: number,
  error: Record<string, unknown>,
  headers: ReadonlyMap<string, string>,
): string | undefined {
  if (!/^application\/json(; charset=utf-8)?$/.test(headers.get('content-type') ?? ''))
    return `an error of the type ${headers.get('content-type')}`
  if (typeof error.message !== 'string' || error.message === '') return 'an error without a message'
  if (/node_modules|SQLITE_|\.ts:\d|\bat \w+ \(/.test(error.message))
    return `its message tells of the inside: ${error.message}`
  if (status !== 422) return undefined
  const { errors } = error
  if (typeof errors !== 'object' || errors === null || Object.keys(errors).length === 0) return 'a 422 without errors'
  const fine = Object.values(errors).every((one) => Array.isArray(one) && one.every((text) => typeof text === 'string'))
  return fine ? undefined : 'a 422 whose errors are no lists of texts'
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // An object, as the next test says; its keys are looked at one by one.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
