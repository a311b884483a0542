import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { notOne, type RecordInput, type WrongValue } from '@kith/contract/record-input'
import { type RelatedType, type Resource, resourceNames } from '@kith/contract/resource'
import { type Claim, findTaken } from '../db/field-values.ts'
import { findExisting, holdExisting } from '../db/links.ts'
import type { Scope } from '../scope.ts'

/**
 * Reports every id of the input that is no member or live record of the workspace: one statement for each kind. Those that the record does not
 * name yet are held until the transaction ends; with those that it does, a merge moves the record itself.
 */
export async function checkReferences(
  inside: Scope,
  resource: Resource,
  input: RecordInput,
  { isNew, report }: { isNew(id: string): boolean; report: Report },
): Promise<void> {
  const named: { to: RelatedType; path: string; id: string }[] = []
  for (const [key, id] of input.references) {
    const reference = resource.references[key]
    if (id !== null && reference) named.push({ to: reference.to, path: key, id })
  }
  for (const [key, ids] of input.links) {
    const list = resource.links[key]
    // An empty id stands for one that was reported when it was read.
    for (const [index, id] of ids.entries()) {
      if (list && id !== '') named.push({ to: list.to, path: `${key}.${index}`, id })
    }
  }
  if (named.length === 0) return
  // In the order in which merges take records and then those that refer to them, so that nobody waits in a circle.
  for (const to of [...resourceNames, 'users'] as const) {
    const asked = named.filter((one) => one.to === to)
    const { fresh = [], known = [] } = Object.groupBy(new Set(asked.map((one) => one.id)), (id) =>
      isNew(id) ? 'fresh' : 'known',
    )
    const existing = (await holdExisting(inside, to, fresh)).union(await findExisting(inside, to, known))
    for (const { id, path } of asked) if (!existing.has(id)) report(path, notOne(path, to))
  }
}

/** Reports what is wrong with the values of a new record, and required fields that it would not have. */
export function checkNewValues(
  fields: readonly FieldDefinition[],
  { values, wrong }: RecordInput,
  report: Report,
): void {
  for (const value of wrong.values()) reportWrong(value, report)
  for (const field of fields) {
    const missing = (values.get(field) ?? null) === null && !wrong.has(field)
    if (field.required && missing) reportRequired(field, report)
  }
}

export function reportWrong({ issues }: WrongValue, report: Report): void {
  for (const { path, message } of issues) report(path, message)
}

export function reportRequired(field: FieldDefinition, report: Report): void {
  report(`custom_fields.${field.code}`, `The ${field.name} field is required.`)
}

/** The values of unique fields that the input brings. */
export function claimsOf(values: ReadonlyMap<FieldDefinition, StoredValue | null>): Claim[] {
  const claims: Claim[] = []
  for (const [field, stored] of values) {
    if (!field.unique || stored === null) continue
    for (const key of keysOf(field, stored)) claims.push({ field, key })
  }
  return claims
}

export function keysOf(field: FieldDefinition, stored: StoredValue): (string | number)[] {
  const keys = new Set<string | number>()
  for (const { match_key, number_key } of fieldTypes[field.type].index(stored, field)) {
    const key = match_key ?? number_key
    if (key !== null) keys.add(key)
  }
  return [...keys]
}

/** Makes everyone else wait who is about to claim one of these values. Comes before any lock on a record. */
export function lockClaims(inside: Scope, claims: readonly Claim[]): Promise<void> {
  return inside.engine.lock(
    inside.db,
    claims.map(({ field, key }) => `${inside.workspace.id} ${field.id} ${key}`),
  )
}

/** Reports every claim that a live record other than these already holds. */
export async function checkClaims(
  inside: Scope,
  claims: readonly Claim[],
  except: readonly string[],
  report: Report,
): Promise<void> {
  const taken = await findTaken(inside, claims, except)
  for (const field of new Set(taken.map((claim) => claim.field))) {
    const values = taken.filter((claim) => claim.field === field).map((claim) => claim.key)
    const named = String(values[0]).slice(0, 100)
    report(`custom_fields.${field.code}`, `The ${field.name} value ${named} is already taken by another record.`)
  }
}
