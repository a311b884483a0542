import { duplicateKey } from './duplicate-key.ts'
import { isLongerThan } from './fold.ts'
import { parseId } from './id.ts'
import type { Report } from './issue.ts'
import { EMAIL_MAX, NAME_MAX } from './limits.ts'
import { parseMatch } from './match.ts'
import type { LookupBy, Missing, NamedBy } from './parsed-input.ts'
import { isObject } from './raw-input.ts'
import { notOne } from './reference-name.ts'
import { type RelatedType, resourceIn, type Schema } from './resource.ts'

/** The id of the record of an earlier operation of a batch. Null if there is none, which is reported. */
export type LidReader = (lid: unknown, path: string, report: Report) => string | null

/** Reads the record that is created if no record holds the value of a match. */
type MissingReader = (raw: unknown, at: { to: string; path: string }) => Missing | undefined

export type ReferenceContext = {
  schema: Schema
  readLid?: LidReader | undefined
  /** Where `create` is accepted next to `match`. */
  readMissing?: MissingReader | undefined
  byName?: ByName | undefined
}

/** Whether `{"name": …}` is accepted, as in imports, and whether a record that is missing is created then. */
export type ByName = 'find' | 'create'

/** Whether `{"id", "type"}` is accepted, in which a value is read. */
type NameForm = { to: RelatedType; path: string; identifier?: boolean }

/** Parses the name of a record or member: an id, or a look-up. Undefined if a problem was reported. */
export function parseReference(
  raw: unknown,
  context: ReferenceContext & NameForm,
  report: Report,
): string | LookupBy | undefined {
  const { to, path, readLid, identifier } = context
  if (!isObject(raw)) {
    const id = parseId(raw)
    if (id === undefined) report(path, notOne(path, to))
    return id
  }
  const keys = Object.keys(raw)
  const has = (...names: string[]) => keys.length === names.length && names.every((name) => keys.includes(name))
  if (identifier && has('id', 'type')) return parseIdentifier(raw, context, report)
  if (to === 'users' && has('email')) return parseEmail(raw.email, `${path}.email`, report)
  if (context.byName && to !== 'users' && has('name')) return parseName(raw.name, context, report)
  if (to !== 'users' && (has('match') || has('match', 'create'))) return parseNamed(raw, context, report)
  if (to !== 'users' && has('lid') && readLid) return readLid(raw.lid, path, report) ?? undefined
  const isNear = keys.some((name) => ['match', 'email', 'lid', 'create', ...(identifier ? ['id'] : [])].includes(name))
  report(path, isNear ? `${notOne(path, to)} ${otherForms(context)}` : notOne(path, to))
  return undefined
}

function parseIdentifier(raw: Record<string, unknown>, { to, path }: NameForm, report: Report): string | undefined {
  const id = parseId(raw.id)
  if (id === undefined) report(`${path}.id`, notOne(`${path}.id`, to))
  if (raw.type === to) return id
  report(`${path}.type`, `The ${path}.type must be ${to}.`)
  return undefined
}

function parseNamed(
  raw: Record<string, unknown>,
  { to, path, schema, readMissing }: ReferenceContext & NameForm,
  report: Report,
): LookupBy | undefined {
  const match = parseMatch(raw.match, { fields: resourceIn(schema, to).fields, path: `${path}.match` }, report)
  if (raw.create === undefined) return match && { match }
  const at = `${path}.create`
  if (!readMissing) {
    report(at, `The ${at} key is not accepted here: a record that is created for another one names existing records.`)
    return undefined
  }
  const create = readMissing(raw.create, { to, path: at })
  return match && create && { match, create }
}

/** A name is compared without letter case, accents, punctuation and legal form. */
function parseName(
  raw: unknown,
  { to, path, schema, byName, readMissing }: ReferenceContext & NameForm,
  report: Report,
): NamedBy | undefined {
  const name = typeof raw === 'string' ? raw.trim() : ''
  const key = duplicateKey(name)
  const { label } = resourceIn(schema, to)
  if (key === '' || label !== 'name' || isLongerThan(name, NAME_MAX)) {
    report(path, `The ${path} must be the name of a record in ${to}, of at most ${NAME_MAX} characters.`)
    return undefined
  }
  const create = byName === 'create' ? readMissing?.({ name }, { to, path }) : undefined
  return { name, key, ...(create && { create }) }
}

function otherForms({ to, readLid, readMissing, identifier }: ReferenceContext & NameForm): string {
  const identified = identifier ? [`{"id": …, "type": "${to}"}`] : []
  if (to === 'users') return `Also accepted: ${[...identified, '{"email": …}'].join(', ')}.`
  const match = '{"match": {"field": …, "value": …}'
  const forms = [...identified, `${match}}`]
  if (readMissing) forms.push(`${match}, "create": {…}}`)
  if (readLid) forms.push('{"lid": …}')
  return `Also accepted: ${forms.join(', ')}.`
}

function parseEmail(raw: unknown, path: string, report: Report): { email: string } | undefined {
  const email = typeof raw === 'string' ? raw.trim() : ''
  if (email !== '' && email.length <= EMAIL_MAX) return { email: email.toLowerCase() }
  report(path, `The ${path} must be an email address of at most ${EMAIL_MAX} characters.`)
  return undefined
}
