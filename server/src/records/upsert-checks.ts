import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { MATCHES_MAX } from '@kith/contract/limits'
import { type ExternalMatch, type FieldMatch, type Match, nameOfMatch } from '@kith/contract/match'
import type { RecordInput } from '@kith/contract/record-input'
import type { RefusalReason } from '@kith/contract/refusal'
import type { StoredRecord } from '../storage/tables/records.ts'
import { keysOf } from './check-input.ts'
import type { Expected } from './expected.ts'

/** The record must still hold the value by which it was found. Otherwise the same call would not find it again. */
export function checkStillHeld(input: RecordInput, match: Match, report: Report): void {
  if (match.by === 'external_id') checkIdStays(input, match, report)
  else checkValueStays(input, match, report)
}

function checkIdStays({ external_ids: sent }: RecordInput, match: ExternalMatch, report: Report): void {
  const { namespace, external_id } = match
  const ids = sent === null ? [] : sent?.get(namespace)
  if (ids === undefined || ids.some(({ id }) => id === external_id)) return
  const path = `external_ids.${namespace}`
  report(path, `The ${path} must contain the value of match.value, by which the record was looked for.`)
}

function checkValueStays({ values }: RecordInput, { field, key }: FieldMatch, report: Report): void {
  const given = values.get(field)
  if (given === undefined || keysOf(field, given).includes(key)) return
  const message = `The ${field.name} must contain the value of match.value, by which the record was looked for.`
  report(`custom_fields.${field.code}`, message)
}

/** Adds the value by which a new record will be found to its input. */
export function addMatch(input: RecordInput, match: Match, report: Report): void {
  if (match.by === 'external_id') {
    const { namespace, external_id: id } = match
    if (input.external_ids === null || input.external_ids?.has(namespace)) return
    input.external_ids = new Map([...(input.external_ids ?? []), [namespace, [{ id, path: 'match.value' }]]])
    return
  }
  const { field, value } = match
  if (!input.values.has(field)) {
    const given = fieldTypes[field.type].list ? [value] : value
    const stored = fieldTypes[field.type].parse(given, { field, path: `custom_fields.${field.code}`, report })
    if (stored !== undefined && stored !== null) input.values.set(field, stored)
  }
}

/** Why several records that hold a value cannot be updated. */
export function ambiguous(match: Match, holders: readonly StoredRecord[]): RefusalReason {
  return {
    kind: 'ambiguous',
    message: `More than one record holds this ${nameOfMatch(match)} value. Merge the duplicates, then retry.`,
    matches: holders.slice(0, MATCHES_MAX).map(({ id }) => id),
  }
}

/** `ifMatch`: only update. `ifNoneMatch`: only create. Both take nothing but `*`. */
export type UpsertConditions = { ifMatch?: Expected; ifNoneMatch?: Expected }

export function checkConditions({ ifMatch, ifNoneMatch }: UpsertConditions, report: Report): void {
  if (ifMatch !== undefined && ifMatch !== '*') {
    report('if_match', 'On an upsert, If-Match must be *: it then only updates a record and creates none.')
  }
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    report('if_none_match', 'On an upsert, If-None-Match must be *: it then only creates a record and updates none.')
  }
}

/** Why the number of records that hold the value is not as expected. */
export function unmetCondition(
  { ifMatch, ifNoneMatch }: UpsertConditions,
  match: Match,
  holders: readonly StoredRecord[],
): RefusalReason | undefined {
  const name = nameOfMatch(match)
  if (ifMatch !== undefined && holders.length === 0) {
    const message = `No record holds this ${name} value, and If-Match: * only updates. Nothing was written.`
    return { kind: 'precondition_failed', message, updated_at: null }
  }
  const [current, other] = holders
  if (ifNoneMatch === undefined || !current) return undefined
  const held = other ? 'Several records hold' : 'A record holds'
  return {
    kind: 'precondition_failed',
    message: `${held} this ${name} value, and If-None-Match: * only creates. Nothing was written.`,
    updated_at: other ? null : current.updated_at,
    matches: holders.slice(0, MATCHES_MAX).map(({ id }) => id),
  }
}
