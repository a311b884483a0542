import { excerpt } from '@kith/contract/excerpt'
import type { Report } from '@kith/contract/issue'
import { MATCHES_MAX } from '@kith/contract/limits'
import { type Match, nameOfMatch } from '@kith/contract/match'
import type { RecordInput } from '@kith/contract/record-input'
import type { Lookup } from '@kith/contract/reference-input'
import { registry } from '@kith/contract/registry'
import type { RelatedType } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { Conflict } from '../storage/engines/transactions.ts'
import { findTakenIds } from '../storage/tables/external-ids.ts'
import { loadHolders } from '../storage/tables/field-values.ts'
import { findMemberIds } from '../storage/tables/members.ts'
import type { Existing } from './check-input.ts'

/**
 * Replaces what inputs name by a match or an email address with ids. Reports what no record or several have. Returns
 * the ids that it found: they were read without a lock. Few statements, however many look-ups there are, and none
 * without any.
 */
export async function resolveLookups(inside: Scope, checked: readonly Naming[]): Promise<Found> {
  const found = new Map<RelatedType, Set<string>>()
  const all = checked.flatMap(({ input, report }) => input.lookups.map((lookup) => ({ lookup, input, report })))
  if (all.length === 0) return found
  const idsOf = await finderOf(
    inside,
    all.map(({ lookup }) => lookup),
  )
  for (const { lookup, input, report } of all) {
    const { to, path, key, index } = lookup
    const [id, other] = idsOf(lookup)
    if (id === undefined || other !== undefined) {
      report(path, id === undefined ? noneMessage(lookup) : severalMessage(lookup, idsOf(lookup)))
      continue
    }
    found.getOrInsertComputed(to, () => new Set()).add(id)
    const list = index === undefined ? undefined : input.links.get(key)
    if (list && index !== undefined) list[index] = id
    else input.references.set(key, id)
  }
  // A second call finds nothing left to do.
  for (const { input } of checked) input.lookups = []
  return found
}

/** An input that names records or members, and where its problems are reported. */
type Naming = { input: Pick<RecordInput, 'lookups' | 'references' | 'links'>; report: Report }

type Found = ReadonlyMap<RelatedType, ReadonlySet<string>>

/** Begins again if a record was deleted or merged before it was locked. Another record may hold its value now. */
export function requireLocked(found: Found, existing: Existing): void {
  for (const [to, ids] of found) {
    if (to !== 'users' && !ids.isSubsetOf(existing.get(to) ?? new Set())) throw new Conflict()
  }
}

/** Finds the ids of the records or members that each look-up names. */
async function finderOf(inside: Scope, lookups: readonly Lookup[]): Promise<(lookup: Lookup) => readonly string[]> {
  const emails = lookups.flatMap(({ by }) => ('email' in by ? [by.email] : []))
  const matches = lookups.flatMap(({ to, by }) => ('match' in by && to !== 'users' ? [{ to, match: by.match }] : []))
  const fields = matches.flatMap(({ match }) => (match.by === 'field' ? [match] : []))
  const external = Map.groupBy(
    matches.flatMap(({ to, match }) => (match.by === 'external_id' ? [{ to, match }] : [])),
    ({ to }) => to,
  )
  const [members, holdersOf, taken] = await Promise.all([
    findMemberIds(inside, emails),
    loadHolders(inside, fields),
    Promise.all(
      [...external].map(async ([to, some]) => {
        const claims = some.map(({ match }) => match)
        const rows = await findTakenIds(inside, registry[to], { claims })
        return rows.map((row) => [`${to} ${row.namespace} ${row.external_id}`, row.holder.id] as const)
      }),
    ),
  ])
  const holders = new Map<string, string>(taken.flat())
  return ({ to, by }) => {
    if ('email' in by) return members.get(by.email) ?? []
    if (by.match.by === 'field') return holdersOf(by.match)
    return [holders.get(`${to} ${by.match.namespace} ${by.match.external_id}`) ?? []].flat()
  }
}

function noneMessage({ to, path, by }: Lookup): string {
  if ('email' in by) return `The ${path} names no member of this workspace: none has the email address ${by.email}.`
  return `The ${path} names no record: none in ${to} holds the ${nameOfMatch(by.match)} value ${shown(by.match)}.`
}

function severalMessage({ to, path, by }: Lookup, ids: readonly string[]): string {
  const named = ids.slice(0, MATCHES_MAX).join(', ')
  const more = ids.length > MATCHES_MAX ? ' and more' : ''
  const value = 'match' in by ? `${nameOfMatch(by.match)} value ${shown(by.match)}` : `email address ${by.email}`
  return `The ${path} names several records in ${to} that hold the ${value}: ${named}${more}. Use one of these IDs.`
}

function shown(match: Match): string {
  return excerpt(match.by === 'field' ? match.value : match.external_id)
}
