import {
  type ForbiddenReason,
  forbiddenReasons,
  type MergedInto,
  type RefusalKind,
  refusalStatuses,
} from '@kith/contract/refusal'

/**
 * Why a call failed: one of the kinds in which the service refuses, or `server_error` (a bug of the service),
 * `unreachable` (no answer came) or `unexpected` (the answer is not one of Kith; the address may be wrong).
 */
export type FailureKind = RefusalKind | 'server_error' | 'unreachable' | 'unexpected'

/** Messages by dotted path, such as `custom_fields.emails.0`. */
export type ErrorsByPath = Readonly<Record<string, readonly string[]>>

type Details = {
  kind: FailureKind
  message: string
  status?: number
  request_id?: string | null
  errors?: ErrorsByPath
  matches?: readonly string[]
  upgrade_url?: string | null
  expensive?: readonly string[]
  retry_after?: number | null
  reason?: ForbiddenReason | null
  updated_at?: string | null
  merged_into?: MergedInto | null
  cause?: unknown
}

/** Every failed call throws one, an aborted one excepted: that throws the reason of its signal. */
export class KithError extends Error {
  readonly kind: FailureKind
  /** The HTTP status, or 0 when no answer came. */
  readonly status: number
  /** By which the operator of the service finds the request in its log. */
  readonly request_id: string | null
  /** The problems by path; empty unless the kind is `invalid`. */
  readonly errors: ErrorsByPath
  /** The records that hold the value of an upsert; empty unless the kind is `ambiguous`. */
  readonly matches: readonly string[]
  /** Where to subscribe, when the kind is `paused`. */
  readonly upgrade_url: string | null
  /** Which parts of the query take so long, by path, the most expensive first; empty unless the kind is `too_slow`. */
  readonly expensive: readonly string[]
  /** Seconds after which to try again, when the service said so. */
  readonly retry_after: number | null
  /** Why the application was refused, where it can help. Null for calls with a token. */
  readonly reason: ForbiddenReason | null

  /** When the record was last changed, if the kind is `precondition_failed`. */
  readonly updated_at: string | null

  /** The live record that the sought one was merged into; null unless the kind is `not_found` and it was. */
  readonly merged_into: MergedInto | null

  constructor({ kind, message, cause, ...details }: Details) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'KithError'
    this.kind = kind
    this.status = details.status ?? 0
    this.request_id = details.request_id ?? null
    this.errors = details.errors ?? {}
    this.matches = details.matches ?? []
    this.upgrade_url = details.upgrade_url ?? null
    this.expensive = details.expensive ?? []
    this.retry_after = details.retry_after ?? null
    this.merged_into = details.merged_into ?? null
    this.reason = details.reason ?? null
    this.updated_at = details.updated_at ?? null
  }
}

const kinds = new Map<number, FailureKind>(
  // The keys of an object of known keys are those keys.
  Object.entries(refusalStatuses).map(([kind, status]) => [status, kind as RefusalKind]),
)

/** The error for an unsuccessful response. Its body may be anything, because proxies answer, too. */
export function failureOf(status: number, headers: Headers, body: unknown): KithError {
  const told = isObject(body) ? body : {}
  const expensive = isTexts(told.expensive) ? told.expensive : undefined
  const kind = kindOf(status, told) ?? (status >= 500 ? 'server_error' : 'unexpected')
  return new KithError({
    kind,
    message: typeof told.message === 'string' ? told.message : wordless(status, headers),
    status,
    request_id: headers.get('X-Request-Id'),
    errors: isErrors(told.errors) ? told.errors : {},
    matches: isTexts(told.matches) ? told.matches : [],
    upgrade_url: typeof told.upgrade_url === 'string' ? told.upgrade_url : null,
    expensive: expensive ?? [],
    retry_after: retryAfter(headers),
    merged_into: mergedInto(told.merged_into),
    reason: forbiddenReasons.find((one) => one === told.reason) ?? null,
    updated_at: typeof told.updated_at === 'string' ? told.updated_at : null,
  })
}

/** One of the two kinds of 503 names expensive parts, and one of the two kinds of 409 names records. */
function kindOf(status: number, told: Record<string, unknown>): FailureKind | undefined {
  const kind = kinds.get(status)
  if (kind === 'busy' && isTexts(told.expensive)) return 'too_slow'
  return kind === 'conflict' && isTexts(told.matches) ? 'ambiguous' : kind
}

export function unreachable(cause: unknown): KithError {
  const message = `The service could not be reached: ${reasonOf(cause)}`
  return new KithError({ kind: 'unreachable', message, cause })
}

/** Node says "fetch failed" for everything, and collects failed connections in an error without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0])
  return error.message.trim()
}

/** Seconds, or the date that some proxies send instead. */
function retryAfter(headers: Headers): number | null {
  const sent = headers.get('Retry-After')?.trim()
  if (!sent) return null
  const seconds = /^\d+$/.test(sent) ? Number(sent) : Math.ceil((Date.parse(sent) - Date.now()) / 1000)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}

function wordless(status: number, headers: Headers): string {
  const location = headers.get('Location')
  if (location !== null) return `The service is not at this address: it redirects to ${location}.`
  return `The service answered ${status} without a message.`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mergedInto(told: unknown): MergedInto | null {
  if (!isObject(told) || typeof told.id !== 'string' || typeof told.type !== 'string') return null
  return { id: told.id, type: told.type }
}

function isErrors(value: unknown): value is ErrorsByPath {
  return isObject(value) && Object.values(value).every(isTexts)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
