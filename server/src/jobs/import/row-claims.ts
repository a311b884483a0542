import { createHash } from 'node:crypto'
import { excerpt } from '@kith/contract/excerpt'
import type { Definitions } from '@kith/contract/field-definition'
import type { Match } from '@kith/contract/match'
import { prepare } from '../../batch/prepare.ts'
import { claimedBy } from '../../records/write-set.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'
import type { RowEntry } from './row-entry.ts'

/** What only one record may have: a value of a unique field, or an external id. */
type RowClaim = { claim: string; path: string; message(row: number): string }

/** The claims of a row. `match` is the one by which an upsert finds its record. */
export type RowClaims = { claims: readonly RowClaim[]; match: string | undefined }

/** The id of an update that finds its record by a value. What a row claims does not depend on it. */
const ANY_ID = '0'.repeat(26)

const NOTHING: RowClaims = { claims: [], match: undefined }

export function claimsOfRow(entry: RowEntry, { resource }: JobRow, definitions: Definitions): RowClaims {
  if ('failure' in entry) return NOTHING
  const { operation } = entry
  const named = { ...operation, id: operation.id ?? ANY_ID, resource }
  const prepared = prepare(named, { definitions, lids: new Map() })
  if (!('write' in prepared)) return NOTHING
  const { write } = prepared
  const { claims, ids } = claimedBy(write)
  const values = claims.map(({ field, key }) => ({
    claim: hashOf(field.id, key),
    path: `custom_fields.${field.code}`,
    message: (row: number) => `The ${field.name} value ${excerpt(String(key))} is already taken by row ${row}.`,
  }))
  const external = ids.map(({ namespace, external_id }) => ({
    claim: hashOf(namespace, external_id),
    path: `external_ids.${namespace}`,
    message: (row: number) =>
      `The external_ids.${namespace} is already taken: row ${row} has the id ${excerpt(external_id)}.`,
  }))
  return { claims: [...values, ...external], match: write.op === 'upsert' ? claimOfMatch(write.match) : undefined }
}

function claimOfMatch(match: Match | undefined): string | undefined {
  if (!match) return undefined
  return match.by === 'field' ? hashOf(match.field.id, match.key) : hashOf(match.namespace, match.external_id)
}

/** A namespace is never the id of a field: it begins with a letter. */
function hashOf(name: string, value: string | number): string {
  return createHash('sha256').update(`${name} ${value}`).digest('base64url').slice(0, 22)
}
