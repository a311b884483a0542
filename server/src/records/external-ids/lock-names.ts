import { createHash } from 'node:crypto'
import type { Scope } from '../../scope/scope.ts'
import type { ExternalClaim } from '../../storage/tables/external-ids.ts'

/**
 * A record can get thousands of ids by merges, and a database has room for some thousand locks. So the ids of a
 * workspace share this many.
 */
const LOCKS = 1024

/** The names of the locks under which other writes of these ids wait. */
export function lockNamesOf({ workspace }: Scope, claims: readonly ExternalClaim[]): string[] {
  const numbers = claims.map(({ namespace, external_id }) => {
    return createHash('sha1').update(`${namespace} ${external_id}`).digest().readUInt16BE(0) % LOCKS
  })
  return [...new Set(numbers)].map((number) => `${workspace.id} external_ids ${number}`)
}
