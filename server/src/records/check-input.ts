import { excerpt } from '@kith/contract/excerpt'
import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { mostOf, targetOf } from '@kith/contract/field-types/reference'
import { tooMany } from '@kith/contract/field-types/value-list'
import type { Issue, Report } from '@kith/contract/issue'
import { RECORD_MAX_BYTES } from '@kith/contract/limits'
import type { RecordInput, WrongValue } from '@kith/contract/parsed-input'
import { notOne } from '@kith/contract/reference-name'
import { refuseIfAny } from '@kith/contract/refusal'
import { type RelatedType, type Resource, resourceIn } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadLabels } from '../storage/query/related.ts'
import type { DeletedRow } from '../storage/tables/expiry.ts'
import { type ExternalClaim, findTakenIds } from '../storage/tables/external-ids.ts'
import { type Claim, findTaken, loadHolders } from '../storage/tables/field-values.ts'
import { lockLive } from '../storage/tables/links.ts'
import type { RecordRow, StoredRecord } from '../storage/tables/records.ts'
import { holderOf, lockNamesOf } from './external-ids.ts'
import { reportMerged } from './merge/merged-into.ts'
import { changedJson, idsIn, parseStored, type ValueChanges, valuesIn } from './stored-values.ts'

/** A member or record that an input names, the path of its id, and whether the record holds it already. */
type NamedTarget = { to: RelatedType; path: string; id: string; held?: boolean }

/** The named members and live records that exist, by type. */
export type ExistingIds = ReadonlyMap<RelatedType, ReadonlySet<string>>

/** An input of a set, and the function that reports its problems. */
export type CheckedInput = { input: RecordInput; report: Report; current?: StoredRecord | undefined }

/** Finds the ids of one type that exist. */
type LookUp = (inside: Scope, to: RelatedType, ids: readonly string[]) => Promise<Set<string>>

/**
 * Finds the records and members that the inputs name: one statement for each kind, in the lock order, all sent at once.
 * `lockLive` locks the rows that it finds, so it comes before any lock on a record of the resource itself.
 */
export async function findNamed(
  inside: Scope,
  { checked, lookUp = lockLive }: { checked: readonly CheckedInput[]; lookUp?: LookUp },
): Promise<ExistingIds> {
  const all = checked.flatMap(({ input }) => namedIn(input))
  const named = Map.groupBy(all, ({ to }) => to)
  const kinds = [...inside.schema.keys(), 'users'].filter((to) => named.has(to))
  const found = kinds.map(async (to) => {
    const ids = new Set(named.get(to)?.map(({ id }) => id))
    return [to, await lookUp(inside, to, [...ids])] as const
  })
  return new Map(await Promise.all(found))
}

/** Reports every id in the inputs that is not a member or live record of the workspace. */
export async function reportMissing(
  inside: Scope,
  { checked, existing }: { checked: readonly CheckedInput[]; existing: ExistingIds },
): Promise<void> {
  const missing = checked.flatMap(({ input, report, current }) =>
    namedIn(input, current).flatMap((named) =>
      named.held || existing.get(named.to)?.has(named.id) ? [] : [{ ...named, report }],
    ),
  )
  for (const [to, some] of Map.groupBy(missing, (one) => one.to)) {
    const named = some.map((one) => ({ ...one, message: notOne(one.path, to) }))
    if (to === 'users') for (const { report, path, message } of named) report(path, message)
    else await reportMerged(inside, resourceIn(inside.schema, to), named)
  }
}

/** What a record holds can be sent back, also if the member has left. */
function namedIn(input: RecordInput, current?: StoredRecord): NamedTarget[] {
  const { resource } = input
  const named: NamedTarget[] = []
  for (const [key, id] of input.references) {
    const reference = resource.references[key]
    // The registry's references are columns of the row.
    const held = current?.[key as 'owner_id'] === id
    // An empty id was invalid and is already reported.
    if (id !== null && id !== '' && reference) named.push({ to: reference.to, path: key, id, held })
  }
  const stored = current && input.resource.allFields.some(isReference) ? parseStored(current.custom_fields) : {}
  for (const [field, value] of input.values) {
    if (!isReference(field)) continue
    const [to, path, own] = [targetOf(field), `custom_fields.${field.code}`, idsIn(stored[field.key])]
    for (const [index, id] of idsIn(value).entries()) {
      const held = to === 'users' && own.includes(id)
      const list = input.removed.values.has(field) ? `${path}.$add` : path
      if (id !== '') named.push({ to, path: field.multiple ? `${list}.${index}` : path, id, held })
    }
  }
  for (const [key, ids] of input.links) {
    const list = resource.links[key]
    for (const [index, id] of ids.entries()) {
      const path = input.removed.links.has(key) ? `${key}.$add.${index}` : `${key}.${index}`
      if (list && id !== '') named.push({ to: list.to, path, id })
    }
  }
  return named
}

function isReference({ type }: FieldDefinition): boolean {
  return fieldTypes[type].refersTo !== undefined
}

/** Drops repeats in reference fields, after all names are known. Reports more values than a field may hold. */
export function foldReferences({ values }: RecordInput, report: Report): void {
  for (const [field, value] of values) {
    if (!isReference(field) || value === null) continue
    const ids = [...new Set(idsIn(value))]
    values.set(field, ids)
    if (ids.length > mostOf(field)) report(`custom_fields.${field.code}`, tooMany(field, mostOf(field)))
  }
}

/** Reports required fields of a new record that have no value. A wrong value is already reported. */
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
  const claims: Claim[] = []
  for (const [field, stored] of values) {
    if (field.unique) for (const key of keysOf(field, stored)) claims.push({ field, key })
  }
  return claims
}

/** The keys of a value in the index. */
export function keysOf(field: FieldDefinition, stored: StoredValue | null | undefined): (string | number)[] {
  if (stored === undefined || stored === null) return []
  const keys = fieldTypes[field.type].index(stored, field).flatMap((row) => row.match_key ?? row.number_key ?? [])
  return keys.length < 2 ? keys : [...new Set(keys)]
}

/** Values that only one record may have: of unique fields, and external ids. */
export type UniqueClaims = { claims: readonly Claim[]; externalIds: readonly ExternalClaim[] }

/** Each claim by a name of its own. */
export function namesOfClaims({ type }: Resource, { claims, externalIds }: UniqueClaims): string[] {
  return [
    ...claims.map(({ field, key }) => `${field.id} ${key}`),
    ...externalIds.map(({ namespace, external_id }) => `${type} ${namespace} ${external_id}`),
  ]
}

/** Makes other writes of these values and external ids wait. Must come before any lock on a record. */
export function lockClaims(inside: Scope, claimed: readonly UniqueClaims[]): Promise<void> {
  const claims = claimed.flatMap((one) => one.claims)
  const names = claims.map(({ field, key }) => `${inside.workspace.id} ${field.id} ${key}`)
  const ids = claimed.flatMap((one) => one.externalIds)
  return inside.engine.lock(inside.db, [...names, ...lockNamesOf(inside, ids)])
}

/** Reports every claim that another live record already holds. Returns these records, for each claiming record. */
export async function checkClaims(
  inside: Scope,
  all: readonly { claims: readonly Claim[]; except?: readonly string[]; report: Report }[],
): Promise<readonly string[][]> {
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

/**
 * Reports a write that would exceed the size limit of a record. A record that is already too large, from before there
 * was a limit, can be renamed and become smaller.
 */
export function checkRecordSize(
  current: RecordRow | undefined,
  { label, values }: { label: string | undefined; values: ValueChanges },
  report: Report,
): void {
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

/** The unique values that records hold again after a restore. */
export function claimsOfRows(fields: readonly FieldDefinition[], rows: readonly DeletedRow[]): Claim[] {
  return rows.flatMap((row) => claimsOf(valuesIn(row, fields)))
}

/** Refuses if another record holds one of the values or external ids now, and names it. */
export async function refuseTaken(
  inside: Scope,
  resource: Resource,
  {
    claims,
    externalIds,
    except,
  }: { claims: readonly Claim[]; externalIds: readonly ExternalClaim[]; except: readonly string[] },
): Promise<void> {
  const taken = await findTaken(inside, claims, except)
  const names = await loadLabels(inside, resource, [...new Set(taken.map((claim) => claim.record_id))])
  const takenIds = await findTakenIds(inside, resource, { claims: externalIds, except })
  refuseIfAny([
    ...taken.map(({ field, key, record_id }) => {
      const holder = `the ${resource.one} "${names.get(record_id)}" (${record_id})`
      return issueOf(`custom_fields.${field.code}`, `${field.name} value ${String(key).slice(0, 100)}`, holder)
    }),
    ...takenIds.map((one) => {
      const { namespace, external_id } = one
      return issueOf(`external_ids.${namespace}`, `${namespace} id ${excerpt(external_id)}`, holderOf(resource, one))
    }),
  ])
}

function issueOf(path: string, what: string, holder: string): Issue {
  const message = `The ${what} is held by ${holder} now. Change it there, or delete that record, then restore this one.`
  return { path, message }
}
