import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { RECORD_MAX_BYTES } from '@kith/contract/limits'
import type { RecordInput, WrongValue } from '@kith/contract/record-input'
import { notOne } from '@kith/contract/reference-input'
import { registry } from '@kith/contract/registry'
import { type RelatedType, type Resource, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { ExternalClaim } from '../storage/tables/external-ids.ts'
import { type Claim, loadHolders } from '../storage/tables/field-values.ts'
import { lockLive } from '../storage/tables/lock-rows.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { lockNamesOf } from './external-ids.ts'
import { reportMerged } from './merge/merged-into.ts'
import { changedJson, type ValueChanges } from './stored-values.ts'

/** A member or record that an input names, and the path of its id. */
type Named = { to: RelatedType; path: string; id: string }

/** The named members and live records that exist, by type. */
export type Existing = ReadonlyMap<RelatedType, ReadonlySet<string>>

/** An input of a set, and where its problems are reported. */
export type Checked = { input: RecordInput; report: Report }

/** Finds the ids of one type that exist. */
type LookUp = (inside: Scope, to: RelatedType, ids: readonly string[]) => Promise<Set<string>>

/**
 * Looks for what the inputs name: one statement for each kind, in the lock order, all sent at once. `lockLive` locks
 * what it finds, and so comes before any lock on a record of the resource itself.
 */
export async function findNamed(
  inside: Scope,
  resource: Resource,
  { checked, lookUp = lockLive }: { checked: readonly Checked[]; lookUp?: LookUp },
): Promise<Existing> {
  const all = checked.flatMap(({ input }) => namedIn(resource, input))
  const named = Map.groupBy(all, ({ to }) => to)
  const kinds = [...resourceNames, 'users' as const].filter((to) => named.has(to))
  const found = kinds.map(async (to) => {
    const ids = new Set(named.get(to)?.map(({ id }) => id))
    return [to, await lookUp(inside, to, [...ids])] as const
  })
  return new Map(await Promise.all(found))
}

/** Reports every id of the inputs that is no member or live record of the workspace. */
export async function reportMissing(
  inside: Scope,
  resource: Resource,
  { checked, existing }: { checked: readonly Checked[]; existing: Existing },
): Promise<void> {
  const missing = checked.flatMap(({ input, report }) =>
    namedIn(resource, input).flatMap((named) => (existing.get(named.to)?.has(named.id) ? [] : [{ ...named, report }])),
  )
  for (const [to, some] of Map.groupBy(missing, (one) => one.to)) {
    const named = some.map((one) => ({ ...one, message: notOne(one.path, to) }))
    if (to === 'users') for (const { report, path, message } of named) report(path, message)
    else await reportMerged(inside, registry[to], named)
  }
}

function namedIn(resource: Resource, input: RecordInput): Named[] {
  const named: Named[] = []
  for (const [key, id] of input.references) {
    const reference = resource.references[key]
    // An empty id was invalid and is reported already.
    if (id !== null && id !== '' && reference) named.push({ to: reference.to, path: key, id })
  }
  for (const [key, ids] of input.links) {
    const list = resource.links[key]
    for (const [index, id] of ids.entries()) {
      if (list && id !== '') named.push({ to: list.to, path: `${key}.${index}`, id })
    }
  }
  return named
}

/** Reports required fields of a new record that have no value. A wrong value is reported already. */
export function reportUnset(fields: readonly FieldDefinition[], { values, wrong }: RecordInput, report: Report): void {
  for (const field of fields) {
    const missing = (values.get(field) ?? null) === null && !wrong.has(field)
    if (field.required && missing) reportRequired(field, report)
  }
}

/** Reports required fields that would be cleared. */
export function reportCleared(values: ValueChanges, report: Report): void {
  for (const [field, value] of values) if (field.required && value === null) reportRequired(field, report)
}

export function reportWrong({ issues }: WrongValue, report: Report): void {
  for (const { path, message } of issues) report(path, message)
}

function reportRequired(field: FieldDefinition, report: Report): void {
  report(`custom_fields.${field.code}`, `The ${field.name} field is required.`)
}

/** The values of unique fields. */
export function claimsOf(values: Iterable<readonly [FieldDefinition, StoredValue | null]>): Claim[] {
  return [...values].flatMap(([field, stored]) =>
    field.unique ? keysOf(field, stored).map((key) => ({ field, key })) : [],
  )
}

/** The keys under which the index has a value. */
export function keysOf(field: FieldDefinition, stored: StoredValue | null | undefined): (string | number)[] {
  if (stored === undefined || stored === null) return []
  const keys = new Set<string | number>()
  for (const { match_key, number_key } of fieldTypes[field.type].index(stored, field)) {
    const key = match_key ?? number_key
    if (key !== null) keys.add(key)
  }
  return [...keys]
}

/** What only one record may have: values of unique fields, and external ids. */
export type Claimed = { claims: readonly Claim[]; externalIds: readonly ExternalClaim[] }

/** Makes other writes of these values and external ids wait. Comes before any lock on a record. */
export function lockClaims(inside: Scope, claimed: readonly Claimed[]): Promise<void> {
  const claims = claimed.flatMap((one) => one.claims)
  const names = claims.map(({ field, key }) => `${inside.workspace.id} ${field.id} ${key}`)
  const ids = claimed.flatMap((one) => one.externalIds)
  return inside.engine.lock(inside.db, [...names, ...lockNamesOf(inside, ids)])
}

/** The values that a record will hold, and the records that may hold them already. */
type Claiming = { claims: readonly Claim[]; except?: readonly string[]; report: Report }

/** Reports every claim that another live record already holds. Returns these records, for each of the claiming ones. */
export async function checkClaims(inside: Scope, all: readonly Claiming[]): Promise<readonly string[][]> {
  const holdersOf = await loadHolders(
    inside,
    all.flatMap(({ claims }) => claims),
  )
  return all.map(({ claims, except = [], report }) => {
    const taken = claims.flatMap((claim) => {
      const holders = holdersOf(claim).filter((id) => !except.includes(id))
      return holders.length === 0 ? [] : [{ ...claim, holders }]
    })
    for (const field of new Set(taken.map((claim) => claim.field))) {
      const values = taken.filter((claim) => claim.field === field).map((claim) => claim.key)
      const named = String(values[0]).slice(0, 100)
      const [holder] = taken.find((claim) => claim.field === field)?.holders ?? []
      const told = inside.actor.abilities.includes('read') ? ` (ID ${holder})` : ''
      const path = `custom_fields.${field.code}`
      report(path, `The ${field.name} value ${named} is already taken by another record${told}.`)
    }
    return taken.flatMap(({ holders }) => holders)
  })
}

type Written = { label: string | undefined; values: ValueChanges }

/**
 * Reports a write that would make a record larger than a record may be. A record that is too large already, from before
 * there was a limit, can be renamed and become smaller.
 */
export function checkRecordSize(current: RecordRow | undefined, { label, values }: Written, report: Report): void {
  const before = { label: current?.name ?? current?.title ?? '', json: current?.custom_fields ?? '{}' }
  const after = bytesOf({ label: label ?? before.label, json: changedJson(before.json, values) })
  const isNotMore = after <= bytesOf(before) || values.size === 0
  if (after <= RECORD_MAX_BYTES || (bytesOf(before) > RECORD_MAX_BYTES && isNotMore)) return
  const sizes = `${grouped(after)} bytes with its name, and a record can have ${grouped(RECORD_MAX_BYTES)} (1 MiB)`
  report('custom_fields', `The custom_fields of the record would have ${sizes}. Shorten or clear some values.`)
}

function bytesOf({ label, json }: { label: string; json: string }): number {
  return Buffer.byteLength(label) + Buffer.byteLength(json)
}

export function grouped(bytes: number): string {
  return bytes.toLocaleString('en-US')
}
