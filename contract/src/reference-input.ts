import { parseId } from './id.ts'
import type { Report } from './issue.ts'
import { EMAIL_MAX } from './limits.ts'
import { type Match, parseMatch } from './match.ts'
import { isObject } from './raw-input.ts'
import { type RelatedType, resourceIn, type Schema } from './resource.ts'

/** A match or email address that names a record or member instead of its id. */
type LookupBy = { match: Match } | { email: string }

/** A record or member that an input names by something other than its id, and the attribute it is named in. */
export type Lookup = { to: RelatedType; path: string; key: string; index?: number; by: LookupBy }

/** The id of the record of an earlier operation of a batch. Null if there is none, which is reported. */
export type LidReader = (lid: unknown, path: string, report: Report) => string | null

export type ReferenceContext = { schema: Schema; readLid?: LidReader | undefined }

/** Parses the name of a record or member: an id, or a look-up. Undefined if a problem was reported. */
export function parseReference(
  raw: unknown,
  { to, path, schema, readLid }: ReferenceContext & { to: RelatedType; path: string },
  report: Report,
): string | LookupBy | undefined {
  if (!isObject(raw)) {
    const id = parseId(raw)
    if (id === undefined) report(path, notOne(path, to))
    return id
  }
  const keys = Object.keys(raw)
  const [key] = keys
  if (keys.length === 1 && to === 'users' && key === 'email') return parseEmail(raw.email, `${path}.email`, report)
  if (keys.length === 1 && to !== 'users' && key === 'match') {
    const match = parseMatch(raw.match, { fields: resourceIn(schema, to).fields, path: `${path}.match` }, report)
    return match && { match }
  }
  if (keys.length === 1 && to !== 'users' && key === 'lid' && readLid)
    return readLid(raw.lid, path, report) ?? undefined
  const isNear = keys.some((name) => name === 'match' || name === 'email' || name === 'lid')
  report(path, isNear ? `${notOne(path, to)} ${otherForms(to, readLid !== undefined)}` : notOne(path, to))
  return undefined
}

/**
 * One message for ids that are malformed, unknown, deleted or of another workspace: callers must not see a difference.
 */
export function notOne(key: string, to: string): string {
  return to === 'users'
    ? `The ${key} must be the ID of a member of this workspace.`
    : `The ${key} must be the ID of an existing record in ${to}.`
}

function otherForms(to: RelatedType, inBatch: boolean): string {
  if (to === 'users') return 'Also accepted: {"email": …}.'
  return `Also accepted: {"match": {"field": …, "value": …}}${inBatch ? ', {"lid": …}' : ''}.`
}

function parseEmail(raw: unknown, path: string, report: Report): { email: string } | undefined {
  const email = typeof raw === 'string' ? raw.trim() : ''
  if (email !== '' && email.length <= EMAIL_MAX) return { email: email.toLowerCase() }
  report(path, `The ${path} must be an email address of at most ${EMAIL_MAX} characters.`)
  return undefined
}
