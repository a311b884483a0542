import type { Report } from '@kith/contract/issue'
import { MATCHES_MAX } from '@kith/contract/limits'
import { type Match, nameOfMatch } from '@kith/contract/match'
import type { RefusalReason } from '@kith/contract/refusal'
import type { StoredRecord } from '../storage/tables/records.ts'
import type { Expected } from './expected.ts'

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
