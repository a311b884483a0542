import { excerpt } from '@kith/contract/excerpt'
import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import type { Issue, Report } from '@kith/contract/issue'
import { MATCHES_MAX } from '@kith/contract/limits'
import { type ExternalMatch, type FieldMatch, type Match, nameOfMatch } from '@kith/contract/match'
import type { RecordInput } from '@kith/contract/parsed-input'
import '@kith/contract/numbering-plans'
import type { RefusalReason } from '@kith/contract/refusal'
import { type RelatedType, type Resource, withArchived } from '@kith/contract/resource'
import { atVersion } from '../fields/definitions.ts'
import { requireResource } from '../scope/read-input.ts'
import { inGroupTransaction, inTransaction, type Scope } from '../scope/scope.ts'
import { Conflict } from '../storage/engines/transactions.ts'
import { findHolders, findHoldersOfIds, type Holders } from '../storage/tables/external-ids.ts'
import { lockRows, type RowLock } from '../storage/tables/links.ts'
import { findForChange, type StoredRecord } from '../storage/tables/records.ts'
import type { Changes } from './changes.ts'
import { type CheckedInput, keysOf, lockClaims, type UniqueClaims } from './check-input.ts'
import type { Precondition } from './expected.ts'
import { idsIn, parseStored } from './stored-values.ts'

/** The record that a write changes. If several hold the value of an upsert, it is not one of them. */
export type Target = { current: StoredRecord | undefined; holders: readonly StoredRecord[] }

/**
 * Finds and locks the records that writes of one kind change: all by id, or all by the same field or namespace.
 * Stops before the first write that finds a record that an earlier one changes.
 */
export async function findTargets(inside: Scope, resource: Resource, writes: readonly Write[]): Promise<Target[]> {
  const ids = writes.flatMap((write) => ('id' in write && !write.read ? [write.id] : []))
  const rows = ids.length === 0 ? new Map<string, StoredRecord>() : await findForChange(inside, resource, ids)
  const held = await lockHolders(
    inside,
    resource,
    writes.flatMap((write) => matchOf(write) ?? []),
  )
  const seen = new Set<string>()
  const targets: Target[] = []
  for (const write of writes) {
    const target = targetFor(write, rows, held)
    if (target.holders.some(({ id }) => seen.has(id))) break
    if (target.current) seen.add(target.current.id)
    targets.push(target)
  }
  return targets
}

function targetFor(write: Write, rows: ReadonlyMap<string, StoredRecord>, byKey: Holders): Target {
  if ('id' in write) return { current: write.read ?? rows.get(write.id), holders: [] }
  const match = matchOf(write)
  const holders = (match && byKey.get(keyOf(match))) ?? []
  return { current: holders.length === 1 ? holders[0] : undefined, holders }
}

/** The value by which a write finds its record. */
export function matchOf(write: Write): Match | undefined {
  return 'match' in write ? write.match : undefined
}

export function keyOf(match: Match): string {
  return match.by === 'field' ? match.key : match.external_id
}

/**
 * The records that hold the values, locked. If one of them lost the value before it was locked, the transaction
 * restarts.
 */
async function lockHolders(inside: Scope, resource: Resource, matches: readonly Match[]): Promise<Holders> {
  const [first] = matches
  if (!first) return new Map()
  const keys = matches.map(keyOf)
  if (first.by === 'external_id') {
    return findHoldersOfIds(inside, resource, { namespace: first.namespace, ids: keys })
  }
  const found = await findHolders(inside, resource, { field: first.field, keys })
  for (const [key, records] of found) {
    if (!records.every((record) => isHolder(record, { field: first.field, key }))) throw new Conflict()
  }
  return found
}

function isHolder(record: StoredRecord, { field, key }: Pick<FieldMatch, 'field' | 'key'>): boolean {
  return keysOf(field, parseStored(record.custom_fields)[field.key]).includes(key)
}

/** A create, update or upsert. `issues` has its problems so far. */
export type Write = Pick<CheckedInput, 'report'> & {
  /** Undefined if the body is not an object. */
  input: RecordInput | undefined
  issues: Issue[]
} & (
    | { op: 'create' }
    | ({
        op: 'update'
        expected: Precondition
        /** The change that this one undoes. */
        undo_of?: string
        /** The application has saved by itself. */
        automatic?: boolean | undefined
        /** The record, if it is read and locked already: a second read may show other references. */
        read?: StoredRecord
      } & NamedRecord)
    | { op: 'upsert'; match: Match | undefined; conditions: UpsertConditions }
  )

/** The record of an update or deletion. `sent_id` is the id as it was sent, for messages. */
export type NamedRecord = { id: string; sent_id: string } | { match: Match }

/**
 * After the write, the record must still hold the value that matched. Otherwise the same call would not find it again.
 */
export function checkStillHeld(
  { input, match, isNew }: { input: RecordInput; match: Match; isNew: boolean },
  report: Report,
): void {
  if (match.by === 'external_id') checkIdStays(input, { ...match, isNew }, report)
  else checkValueStays(input, { ...match, isNew }, report)
}

type Stays<M> = M & { isNew: boolean }

function checkIdStays(
  input: RecordInput,
  { namespace, external_id, isNew }: Stays<ExternalMatch>,
  report: Report,
): void {
  const { external_ids: sent, removed } = input
  const ids = sent === null ? [] : sent?.get(namespace)
  if (ids === undefined || ids.some(({ id }) => id === external_id)) return
  if (!isNew && removed.external_ids.get(namespace)?.includes(external_id) === false) return
  const path = `external_ids.${namespace}`
  report(path, `The ${path} must contain the value of match.value, by which the record was looked for.`)
}

function checkValueStays(input: RecordInput, { field, key, isNew }: Stays<FieldMatch>, report: Report): void {
  const given = input.values.get(field)
  if (given === undefined || keysOf(field, given).includes(key)) return
  const lost = input.removed.values.get(field)
  if (!isNew && lost && !keysOf(field, lost).includes(key)) return
  const message = `The ${field.name} must contain the value of match.value, by which the record was looked for.`
  report(`custom_fields.${field.code}`, message)
}

/** Adds the match value to the input of a new record. */
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

/** Why an update or deletion by a value is refused, if not exactly one record holds the value. */
export function notOneHolder(resource: Resource, match: Match, holders: readonly string[]): RefusalReason | undefined {
  if (holders.length > 1) return ambiguous(match, holders)
  if (holders.length === 1) return undefined
  const value = excerpt(match.by === 'field' ? match.value : match.external_id)
  return { kind: 'not_found', message: `No ${resource.one} holds the ${nameOfMatch(match)} value ${value}.` }
}

/** Why several records that hold a value cannot be written. */
export function ambiguous(match: Match, holders: readonly string[]): RefusalReason {
  return {
    kind: 'ambiguous',
    message: `More than one record holds this ${nameOfMatch(match)} value. Merge the duplicates, then retry.`,
    matches: holders.slice(0, MATCHES_MAX),
  }
}

/** `ifMatch`: only update. `ifNoneMatch`: only create. Both accept only `*`. */
export type UpsertConditions = { ifMatch?: Precondition; ifNoneMatch?: Precondition }

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

/** Runs a write in a transaction. The schema is locked, so it stays the same until the transaction ends. */
export function writing<T>(scope: Scope, work: (inside: Scope) => Promise<T>): Promise<T> {
  return inTransaction(scope, async (inside) => work(await holdSchema(inside)))
}

/** Like `writing`, for a single record, which may share a transaction with others of the same resource. */
export function writingOne<T>(
  scope: Scope,
  { type }: Resource,
  work: (inside: Scope, resource: Resource) => Promise<T>,
): Promise<T> {
  return inGroupTransaction(scope, type, async (inside) => {
    const held = await holdSchema(inside)
    return work(held, requireResource(held.schema, type))
  })
}

async function holdSchema(inside: Scope): Promise<Scope> {
  return atVersion(inside, await inside.engine.holdFields(inside.db, inside.workspace.id))
}

export type Locks = Partial<UniqueClaims> & { rows: readonly RowLock[] }

/**
 * For a write that must read rows to know its locks: reads them, locks in the order of decision 14, and reads them
 * again. The result does not change until the transaction ends. If the second read needs more locks than the first, the
 * transaction restarts.
 */
export async function lockWhatIsRead<T>(
  inside: Scope,
  read: () => Promise<T>,
  locksOf: (seen: T) => Locks,
): Promise<T> {
  const seen = await read()
  const locks = locksOf(seen)
  await lockClaims(inside, [{ claims: [], externalIds: [], ...locks }])
  const othersWrite = await lockRows(inside, locks.rows)
  if (!othersWrite) return seen
  const again = await read()
  if (!namesIn(locksOf(again)).isSubsetOf(namesIn(locks))) throw new Conflict()
  return again
}

function namesIn({ claims = [], externalIds = [], rows }: Locks): Set<string> {
  return new Set([
    ...externalIds.map(({ namespace, external_id }) => `${namespace} ${external_id}`),
    ...claims.map(({ field, key }) => `${field.id} ${key}`),
    ...rows.flatMap(({ of, ids }) => ids.map((id) => `${of} ${id}`)),
  ])
}

/** The newly referenced records. None of them may be deleted or merged meanwhile. */
export function namedRows(
  resource: Resource,
  { references, links, values }: Pick<Changes, 'references' | 'links'> & { values: Iterable<FieldChange> },
): RowLock[] {
  const held = [...values].flatMap(([field, value]) =>
    fieldTypes[field.type].refersTo === 'records' ? [{ to: targetOf(field), ids: [...idsIn(value)] }] : [],
  )
  const named = [...references].map(([column, id]) => ({ to: resource.references[column]?.to, ids: id ? [id] : [] }))
  const linked = links.map(({ relation, added }) => ({ to: linkedTo(resource, relation), ids: added }))
  return [...named, ...linked, ...held].flatMap(({ to, ids }) => {
    const of = to === undefined || to === 'users' ? undefined : withArchived(resource.schema).get(to)?.number
    return of === undefined ? [] : [{ of, ids, mode: 'refer' as const }]
  })
}

type FieldChange = readonly [FieldDefinition, StoredValue | null]

function linkedTo(resource: Resource, relation: string): RelatedType | undefined {
  return Object.values(resource.links).find((list) => list.relation === relation)?.to
}
