import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { notOne, type RecordInput, type WrongValue } from '@kith/contract/record-input'
import { registry } from '@kith/contract/registry'
import { type RelatedType, type Resource, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { ExternalClaim } from '../storage/tables/external-ids.ts'
import { type Claim, findTaken } from '../storage/tables/field-values.ts'
import { lockLive } from '../storage/tables/lock-rows.ts'
import { externalIdsChange } from './external-ids/changes.ts'
import { checkExternalIds } from './external-ids/check.ts'
import { lockNamesOf } from './external-ids/lock-names.ts'
import { reportMerged } from './merge/merged-into.ts'
import { checkRecordSize } from './record-size.ts'
import type { ValueChanges } from './stored-values.ts'

/** A member or record that an input names, and the path of its id. */
type Named = { to: RelatedType; path: string; id: string }

/** The named members and live records that exist, by type. */
type Existing = ReadonlyMap<RelatedType, ReadonlySet<string>>

/** An input, and the records and members that it names and that exist. */
export type Checked = { input: RecordInput; existing: Existing }

/** Finds the ids of one type that exist. */
type LookUp = (inside: Scope, to: RelatedType, ids: readonly string[]) => Promise<Set<string>>

/**
 * Looks for what an input names: one statement for each kind, in the lock order, all sent at once. `lockLive` locks
 * what it finds, and so comes before any lock on a record of the resource itself.
 */
export async function findNamed(
  inside: Scope,
  resource: Resource,
  { input, lookUp = lockLive }: { input: RecordInput; lookUp?: LookUp },
): Promise<Existing> {
  const named = Map.groupBy(namedIn(resource, input), ({ to }) => to)
  const kinds = [...resourceNames, 'users' as const].filter((to) => named.has(to))
  const found = kinds.map(async (to) => {
    const ids = new Set(named.get(to)?.map(({ id }) => id))
    return [to, await lookUp(inside, to, [...ids])] as const
  })
  return new Map(await Promise.all(found))
}

/** Reports every id of the input that is no member or live record of the workspace. */
export async function reportMissing(
  inside: Scope,
  resource: Resource,
  { input, existing, report }: Checked & { report: Report },
): Promise<void> {
  const missing = namedIn(resource, input).filter(({ to, id }) => !existing.get(to)?.has(id))
  for (const [to, some] of Map.groupBy(missing, (one) => one.to)) {
    const named = some.map(({ path, id }) => ({ path, id, message: notOne(path, to) }))
    if (to === 'users') for (const { path, message } of named) report(path, message)
    else await reportMerged({ scope: inside, resource: registry[to] }, named, report)
  }
}

function namedIn(resource: Resource, input: RecordInput): Named[] {
  const named: Named[] = []
  for (const [key, id] of input.references) {
    const reference = resource.references[key]
    if (id !== null && reference) named.push({ to: reference.to, path: key, id })
  }
  for (const [key, ids] of input.links) {
    const list = resource.links[key]
    // An empty id was invalid and is reported already.
    for (const [index, id] of ids.entries()) {
      if (list && id !== '') named.push({ to: list.to, path: `${key}.${index}`, id })
    }
  }
  return named
}

/** Reports everything wrong with the input of a new record. */
export async function checkNewRecord(
  inside: Scope,
  resource: Resource,
  { fields, input, existing, report }: Checked & { fields: readonly FieldDefinition[]; report: Report },
): Promise<void> {
  const { label, values, external_ids, wrong } = input
  for (const value of wrong.values()) reportWrong(value, report)
  for (const field of fields) {
    const missing = (values.get(field) ?? null) === null && !wrong.has(field)
    if (field.required && missing) reportRequired(field, report)
  }
  checkRecordSize(undefined, { label, values }, report)
  await reportMissing(inside, resource, { input, existing, report })
  await checkClaims(inside, { claims: claimsOf(values) }, report)
  const change = externalIdsChange({ id: '', held: [], sent: external_ids })
  await checkExternalIds(inside, resource, { change, sent: external_ids, report })
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

/** Makes other writes of these values and external ids wait. Comes before any lock on a record. */
export function lockClaims(
  inside: Scope,
  claims: readonly Claim[],
  externalIds: readonly ExternalClaim[] = [],
): Promise<void> {
  const names = claims.map(({ field, key }) => `${inside.workspace.id} ${field.id} ${key}`)
  return inside.engine.lock(inside.db, [...names, ...lockNamesOf(inside, externalIds)])
}

/** Reports every claim that a live record other than these already holds. */
export async function checkClaims(
  inside: Scope,
  { claims, except = [] }: { claims: readonly Claim[]; except?: readonly string[] },
  report: Report,
): Promise<void> {
  const taken = await findTaken(inside, claims, except)
  for (const field of new Set(taken.map((claim) => claim.field))) {
    const values = taken.filter((claim) => claim.field === field).map((claim) => claim.key)
    const named = String(values[0]).slice(0, 100)
    report(`custom_fields.${field.code}`, `The ${field.name} value ${named} is already taken by another record.`)
  }
}
