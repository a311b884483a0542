import { excerpt } from './excerpt.ts'
import { isNamespace, NAMESPACE_RULE, parseExternalId } from './external-ids.ts'
import type { FieldDefinition, FieldSet } from './field-definition.ts'
import { fieldTypes } from './field-types.ts'
import { lengthOf } from './fold.ts'
import type { Report } from './issue.ts'
import { MATCH_VALUE_MAX } from './limits.ts'
import { matchKeyOf } from './match-key.ts'
import { suggestion } from './nearest.ts'
import { isObject } from './raw-input.ts'
import { EXTERNAL_IDS } from './resource.ts'

/** The value by which an upsert or a reference finds a record: of a unique field, or an external id. */
export type Match = FieldMatch | ExternalMatch
export type FieldMatch = { by: 'field'; field: FieldDefinition; value: string; key: string }
export type ExternalMatch = { by: 'external_id'; namespace: string; external_id: string }

/** The match as it was sent: the code of a field, or `external_ids.` and a namespace. */
export function nameOfMatch(match: Match): string {
  return match.by === 'field' ? match.field.code : EXTERNAL + match.namespace
}

/** Reads a match at a path. `fields` are those of the resource whose record is looked for. */
export function parseMatch(
  raw: unknown,
  { fields, path = 'match' }: { fields: FieldSet; path?: string },
  report: Report,
): Match | undefined {
  if (!isObject(raw)) {
    const problem = isMissing(raw) ? 'field is required' : 'must be an object'
    report(path, `The ${path} ${problem}: {"field": …, "value": …}.`)
    return undefined
  }
  for (const key of Object.keys(raw)) {
    if (key === 'field' || key === 'value') continue
    const near = suggestion(key, ['field', 'value'])
    report(`${path}.${key.slice(0, 100)}`, `The ${path} takes field and value only.${near}`)
  }
  const inMatch: MatchReport = (name, problem) => report(`${path}.${name}`, `The ${path}.${name} ${problem}`)
  const namespace = namespaceIn(raw.field)
  const field = namespace === undefined ? parseField(raw.field, fields, inMatch) : undefined
  const value = parseValue(raw.value, inMatch)
  if (value === undefined) return undefined
  if (namespace !== undefined) {
    const external_id = parseExternalId(value, `${path}.value`, report)
    if (!isNamespace(namespace)) inMatch('field', `has no namespace ${excerpt(namespace)}. ${NAMESPACE_RULE}`)
    else if (external_id !== undefined) return { by: 'external_id', namespace, external_id }
    return undefined
  }
  if (!field) return undefined
  const key = matchKeyOf(field, value)
  if (key !== undefined) return { by: 'field', field, value, key }
  inMatch('value', `is not a value that the ${field.type} field ${field.code} can hold.`)
  return undefined
}

/** Reports a problem with a part of the match. */
type MatchReport = (name: 'field' | 'value', problem: string) => void

const EXTERNAL = `${EXTERNAL_IDS}.`

/** The namespace after `external_ids.`, whether it can be one or not. */
function namespaceIn(field: unknown): string | undefined {
  return typeof field === 'string' && field.startsWith(EXTERNAL) ? field.slice(EXTERNAL.length) : undefined
}

function parseField(raw: unknown, fields: FieldSet, report: MatchReport): FieldDefinition | undefined {
  const eligible = fields.list.filter((field) => field.unique && fieldTypes[field.type].textLike)
  const field = eligible.find((candidate) => candidate.code === raw)
  if (field) return field
  const codes = eligible.map((candidate) => candidate.code)
  const none = codes.length === 0 ? 'This resource has none yet. ' : ''
  const accepted = `${none}Accepted: ${[...codes, `${EXTERNAL}<namespace>`].join(', ')}.`
  const near = typeof raw === 'string' ? suggestion(raw, codes) : ''
  const problem = isMissing(raw) ? 'field is required' : 'must be the code of a unique field'
  report('field', `${problem}. ${accepted}${near}`)
  return undefined
}

function parseValue(raw: unknown, report: MatchReport): string | undefined {
  const value = typeof raw === 'string' ? raw.trim() : ''
  if (!isMissing(raw) && typeof raw !== 'string') report('value', 'must be a string.')
  else if (value === '') report('value', 'field is required.')
  else if (lengthOf(value) > MATCH_VALUE_MAX) {
    report('value', `must not be greater than ${MATCH_VALUE_MAX} characters.`)
  } else return value
  return undefined
}

function isMissing(raw: unknown): boolean {
  return raw === undefined || raw === null
}
