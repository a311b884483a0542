import { excerpt } from '@kith/contract/excerpt'
import { isNamespace, NAMESPACE_RULE, parseExternalId } from '@kith/contract/external-ids'
import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { lengthOf } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import { MATCH_VALUE_MAX } from '@kith/contract/limits'
import { matchKeyOf } from '@kith/contract/match-key'
import { suggestion } from '@kith/contract/nearest'
import { isObject } from '@kith/contract/raw-input'
import { EXTERNAL_IDS } from '@kith/contract/resource'

/** The value by which an upsert finds its record: of a unique field, or an external id. */
export type Match = FieldMatch | ExternalMatch
export type FieldMatch = { by: 'field'; field: FieldDefinition; value: string; key: string }
export type ExternalMatch = { by: 'external_id'; namespace: string; external_id: string }

/** The match as it was sent: the code of a field, or `external_ids.` and a namespace. */
export function nameOfMatch(match: Match): string {
  return match.by === 'field' ? match.field.code : EXTERNAL + match.namespace
}

export function parseMatch(raw: unknown, fields: FieldSet, report: Report): Match | undefined {
  if (!isObject(raw)) {
    const problem = isMissing(raw) ? 'field is required' : 'must be an object'
    report('match', `The match ${problem}: {"field": …, "value": …}.`)
    return undefined
  }
  for (const key of Object.keys(raw)) {
    if (key === 'field' || key === 'value') continue
    report(`match.${key.slice(0, 100)}`, `The match takes field and value only.${suggestion(key, ['field', 'value'])}`)
  }
  const namespace = namespaceIn(raw.field)
  const field = namespace === undefined ? parseField(raw.field, fields, report) : undefined
  const value = parseValue(raw.value, report)
  if (value === undefined) return undefined
  if (namespace !== undefined) return externalMatch(namespace, value, report)
  if (!field) return undefined
  const key = matchKeyOf(field, value)
  if (key !== undefined) return { by: 'field', field, value, key }
  report('match.value', `The match.value is not a value that the ${field.type} field ${field.code} can hold.`)
  return undefined
}

const EXTERNAL = `${EXTERNAL_IDS}.`

/** The namespace after `external_ids.`, whether it can be one or not. */
function namespaceIn(field: unknown): string | undefined {
  return typeof field === 'string' && field.startsWith(EXTERNAL) ? field.slice(EXTERNAL.length) : undefined
}

function externalMatch(namespace: string, value: string, report: Report): ExternalMatch | undefined {
  const external_id = parseExternalId(value, 'match.value', report)
  if (!isNamespace(namespace)) {
    report('match.field', `The match.field has no namespace ${excerpt(namespace)}. ${NAMESPACE_RULE}`)
    return undefined
  }
  return external_id === undefined ? undefined : { by: 'external_id', namespace, external_id }
}

function parseField(raw: unknown, fields: FieldSet, report: Report): FieldDefinition | undefined {
  const eligible = fields.list.filter((field) => field.unique && fieldTypes[field.type].textLike)
  const field = eligible.find((candidate) => candidate.code === raw)
  if (field) return field
  const codes = eligible.map((candidate) => candidate.code)
  const none = codes.length === 0 ? 'This resource has none yet. ' : ''
  const accepted = `${none}Accepted: ${[...codes, `${EXTERNAL}<namespace>`].join(', ')}.`
  const near = typeof raw === 'string' ? suggestion(raw, codes) : ''
  const problem = isMissing(raw) ? 'field is required' : 'must be the code of a unique field'
  report('match.field', `The match.field ${problem}. ${accepted}${near}`)
  return undefined
}

function parseValue(raw: unknown, report: Report): string | undefined {
  const value = typeof raw === 'string' ? raw.trim() : ''
  if (!isMissing(raw) && typeof raw !== 'string') report('match.value', 'The match.value must be a string.')
  else if (value === '') report('match.value', 'The match.value field is required.')
  else if (lengthOf(value) > MATCH_VALUE_MAX) {
    report('match.value', `The match.value must not be greater than ${MATCH_VALUE_MAX} characters.`)
  } else return value
  return undefined
}

function isMissing(raw: unknown): boolean {
  return raw === undefined || raw === null
}
