import { excerpt } from '@kith/contract/excerpt'
import { newId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { MATCHES_MAX } from '@kith/contract/limits'
import { type Match, nameOfMatch } from '@kith/contract/match'
import type { Lookup, Missing, NamedBy, RecordInput } from '@kith/contract/parsed-input'
import { type RelatedType, type ResourceName, resourceIn } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { Conflict } from '../storage/engines/transactions.ts'
import { loadHolders as loadNamed, nameIndex } from '../storage/tables/duplicates.ts'
import { findTakenIds } from '../storage/tables/external-ids.ts'
import { loadHolders } from '../storage/tables/field-values.ts'
import { findMemberIds } from '../storage/tables/members.ts'
import { claimsOf, type ExistingIds, namesOfClaims, type UniqueClaims } from './check-input.ts'
import { claimedIds } from './external-ids.ts'
import { keepAdditions } from './list-edits.ts'
import { addMatch, checkStillHeld } from './write-targets.ts'

/** What look-ups have found. */
type Resolved = {
  /** The ids of records and members, which were read without a lock. */
  found: ExistingIds
  /** The records that must be created because an input names them. */
  missing: NewTarget[]
  /** How many inputs were resolved. The next one depends on a record that an earlier one creates. */
  resolved: number
}

/** A record that is created with the one whose input, `of`, names it. */
export type NewTarget = Missing & { id: string; to: ResourceName; of: object }

/** `claims`: the names of the unique values of the input. */
type Resolving = { input: Pick<RecordInput, 'lookups'>; report: Report; claims?: readonly string[] }

/**
 * Replaces matches and email addresses in inputs by ids. Reports those that no record or several records have, unless
 * the record is to be created then. Uses a few statements for any number of look-ups, and none without look-ups.
 */
export async function resolveLookups(inside: Scope, checked: readonly Resolving[]): Promise<Resolved> {
  const found = new Map<RelatedType, Set<string>>()
  const all = checked.flatMap(({ input }) => input.lookups)
  if (all.length === 0) return { found, missing: [], resolved: checked.length }
  const idsOf = await finderOf(inside, all)
  const missing: NewTarget[] = []
  /** The values that records have that are created, and those that the inputs claim. */
  const created = new Map<string, NewTarget>()
  const claimed = new Set<string>()
  let resolved = 0
  for (const { input, report, claims = [] } of checked) {
    const lacking = input.lookups.filter((lookup) => creates(lookup) && idsOf(lookup).length === 0)
    const values = [...claims, ...lacking.flatMap(({ to, by }) => valuesIn(inside, to, by))]
    if (values.some((name) => created.has(name)) || values.some((name) => claimed.has(name) && lacking.length > 0))
      break
    for (const lookup of input.lookups) {
      const ids = idsOf(lookup)
      const [id, other] = ids
      if (lacking.includes(lookup)) {
        const target = targetFor(inside, lookup, { of: input, created, claims, report })
        if (target && !missing.includes(target)) missing.push(target)
        if (target) lookup.put(target.id)
      } else if (id === undefined || other !== undefined) {
        report(lookup.path, id === undefined ? noneMessage(lookup) : severalMessage(lookup, ids))
      } else {
        // What leaves a list may be deleted meanwhile.
        if (!lookup.leaves) found.getOrInsertComputed(lookup.to, () => new Set()).add(id)
        lookup.put(id)
      }
    }
    for (const name of claims) claimed.add(name)
    // A second call has nothing left to do, unless some of the records to create are not stored by then.
    if (lacking.length === 0) input.lookups = []
    resolved++
  }
  const nested = await resolveLookups(inside, missing)
  for (const [to, ids] of nested.found) for (const id of ids) found.getOrInsertComputed(to, () => new Set()).add(id)
  return { found, missing, resolved }
}

function creates({ by }: Lookup): boolean {
  return 'create' in by && by.create !== undefined
}

/** A record that is created for its name is created once. No unique value is called like this. */
function nameOfNew(to: RelatedType, { key }: NamedBy): string {
  return `${to} name ${key}`
}

/** The names of the unique values that a record would have that is created. */
function valuesIn({ schema }: Scope, to: RelatedType, by: Lookup['by']): string[] {
  const own = 'name' in by && by.create ? [nameOfNew(to, by)] : []
  const claims = claimsOfMissing(by)
  return claims ? [...own, ...namesOfClaims(resourceIn(schema, to), claims)] : []
}

/** The values that are claimed for a record that may have to be created. */
export function claimsOfMissing(by: Lookup['by']): UniqueClaims | undefined {
  if (!('create' in by) || !by.create) return undefined
  const { input } = by.create
  const match = 'match' in by ? by.match : undefined
  return {
    claims: [...(match?.by === 'field' ? [match] : []), ...claimsOf(input.values)],
    externalIds: [...(match?.by === 'external_id' ? [match] : []), ...claimedIds(input.external_ids)],
  }
}

/** The new record that a look-up leads to: one that the same input creates already, or another one. */
function targetFor(
  inside: Scope,
  { to, path, by, put: _put }: Lookup,
  {
    of,
    created,
    claims,
    report,
  }: { of: object; created: Map<string, NewTarget>; claims: readonly string[]; report: Report },
): NewTarget | undefined {
  if (!('create' in by) || !by.create) return undefined
  const { create } = by
  // The first one is that by which it is sought.
  const values = valuesIn(inside, to, by)
  const known = created.get(values[0] ?? '')
  if (known) return known
  if (values.some((name) => created.has(name) || claims.includes(name))) {
    report(`${path}.create`, `The ${path}.create has a unique value that the request gives to another record.`)
    return undefined
  }
  keepAdditions(create.input)
  if ('match' in by) {
    checkStillHeld({ input: create.input, match: by.match, isNew: true }, create.report)
    addMatch(create.input, by.match, create.report)
  }
  const target = { ...create, id: newId(inside.now().getTime()), to, of }
  for (const name of values) created.set(name, target)
  return target
}

/** Restarts if a record was deleted or merged before it was locked. Another record may hold its value now. */
export function requireLocked(found: ExistingIds, existing: ExistingIds): void {
  for (const [to, ids] of found) {
    if (to !== 'users' && !ids.isSubsetOf(existing.get(to) ?? new Set())) throw new Conflict()
  }
}

type Sought = Pick<Lookup, 'to' | 'by'>

/** Finds the ids of the records or members for each look-up. */
export async function finderOf(
  inside: Scope,
  lookups: readonly Sought[],
): Promise<(lookup: Sought) => readonly string[]> {
  const emails = lookups.flatMap(({ by }) => ('email' in by ? [by.email] : []))
  const matches = lookups.flatMap(({ to, by }) => ('match' in by && to !== 'users' ? [{ to, match: by.match }] : []))
  const fields = matches.flatMap(({ match }) => (match.by === 'field' ? [match] : []))
  const external = Map.groupBy(
    matches.flatMap(({ to, match }) => (match.by === 'external_id' ? [{ to, match }] : [])),
    ({ to }) => to,
  )
  const names = Map.groupBy(
    lookups.flatMap(({ to, by }) => ('name' in by ? [{ to, key: by.key }] : [])),
    ({ to }) => to,
  )
  const [members, holdersOf, taken, named] = await Promise.all([
    findMemberIds(inside, emails),
    loadHolders(inside, fields),
    Promise.all(
      [...external].map(async ([to, some]) => {
        const claims = some.map(({ match }) => match)
        const rows = await findTakenIds(inside, resourceIn(inside.schema, to), { claims })
        return rows.map((row) => [`${to} ${row.namespace} ${row.external_id}`, row.holder.id] as const)
      }),
    ),
    Promise.all(
      [...names].map(async ([to, some]) => {
        const keys = [...new Set(some.map(({ key }) => key))]
        const found = await loadNamed(inside, nameIndex(inside, resourceIn(inside.schema, to)), keys)
        return found.map(({ key, id }) => ({ name: `${to} ${key}`, id }))
      }),
    ),
  ])
  const byName = Map.groupBy(named.flat(), ({ name }) => name)
  const holders = new Map<string, string>(taken.flat())
  return ({ to, by }) => {
    if ('email' in by) return members.get(by.email) ?? []
    if ('name' in by) return byName.get(`${to} ${by.key}`)?.map(({ id }) => id) ?? []
    if (by.match.by === 'field') return holdersOf(by.match)
    return [holders.get(`${to} ${by.match.namespace} ${by.match.external_id}`) ?? []].flat()
  }
}

function noneMessage({ to, path, by }: Lookup): string {
  if ('email' in by) return `The ${path} names no member of this workspace: none has the email address ${by.email}.`
  if ('name' in by) return `The ${path} names no record: none in ${to} has the name ${excerpt(by.name)}.`
  return `The ${path} names no record: none in ${to} holds the ${nameOfMatch(by.match)} value ${shown(by.match)}.`
}

function severalMessage({ to, path, by }: Lookup, ids: readonly string[]): string {
  const named = ids.slice(0, MATCHES_MAX).join(', ')
  const more = ids.length > MATCHES_MAX ? ' and more' : ''
  if ('name' in by) {
    return `The ${path} names several records in ${to} that have the name ${excerpt(by.name)}: ${named}${more}. Use one of these IDs.`
  }
  const value = 'match' in by ? `${nameOfMatch(by.match)} value ${shown(by.match)}` : `email address ${by.email}`
  return `The ${path} names several records in ${to} that hold the ${value}: ${named}${more}. Use one of these IDs.`
}

function shown(match: Match): string {
  return excerpt(match.by === 'field' ? match.value : match.external_id)
}
