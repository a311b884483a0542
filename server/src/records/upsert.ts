import type { FieldSet } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { MATCHES_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import type { RecordInput } from '@kith/contract/record-input'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { Conflict } from '../storage/engines/conflict.ts'
import { findHolderOfId, findHolders } from '../storage/tables/holders.ts'
import type { RecordRow, StoredRecord } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { parseWrite, type Sent } from './ask.ts'
import {
  type Checked,
  checkNewRecord,
  claimsOf,
  findNamed,
  keysOf,
  lockClaims,
  reportMissing,
  reportWrong,
} from './check-input.ts'
import { insertRecord } from './create.ts'
import { claimedIds } from './external-ids/check.ts'
import { type Presented, presentRecords } from './present.ts'
import { storeChanges } from './store.ts'
import { parseStored } from './stored-values.ts'
import { checkChanges } from './update.ts'
import { checkConditions, requireConditions, type UpsertConditions } from './upsert-conditions.ts'
import { type ExternalMatch, type FieldMatch, type Match, parseMatch } from './upsert-match.ts'
import { writingOne } from './writing.ts'

type SentUpsert = Sent & UpsertConditions
type Upserted = Presented & { created: boolean }

/** Updates the one record that holds a value, or creates it. Upserts of one value wait for each other. */
export async function upsertRecord(scope: Scope, resource: Resource, sent: SentUpsert): Promise<Upserted> {
  requireAbilities(scope, ['create', 'update'])
  // A transaction that has begun does not wait here: what it waits for may wait for the transaction.
  if (scope.inside) return upsertInside(scope, resource, sent)
  // Queue upserts of the same value here, so that they do not each hold a connection.
  return scope.engine.inTurn(upsertTurn(scope, resource, sent), () => upsertInside(scope, resource, sent))
}

function upsertInside(scope: Scope, resource: Resource, sent: SentUpsert): Promise<Upserted> {
  return writingOne(scope, resource, async (inside, definitions) => {
    const fields = definitions[resource.type]
    const context = { resource, definitions, creating: true, besides: ['match'] }
    const { answer, input, issues, report } = parseWrite(sent, context)
    const shown = async (row: RecordRow, created: boolean): Promise<Upserted> =>
      Object.assign(await presentRecords(inside, resource, { definitions, rows: [row], ...answer }), { created })
    checkConditions(sent, report)
    const match = isObject(sent.body) ? parseMatch(sent.body.match, fields, report) : undefined
    if (!input || !match) {
      if (input) {
        const existing = await findNamed(inside, resource, { input })
        await checkAlone(inside, resource, { input, existing, report })
      }
      return refuse({ kind: 'invalid', issues })
    }
    await lockMatch(inside, match, input)
    // In the lock order: what it refers to, then the record itself.
    const [existing, holders] = await Promise.all([
      findNamed(inside, resource, { input }),
      lockHolders(inside, resource, match),
    ])
    const checked = { input, existing }
    const [current, other] = holders
    if (current && !other) {
      checkStillHeld(input, match, report)
      const changes = await checkChanges(inside, resource, { current, ...checked, report })
      refuseIfAny(issues)
      requireConditions(sent, match, holders)
      return shown(await storeChanges(inside, resource, { current, changes }), false)
    }
    if (current) await checkAlone(inside, resource, { ...checked, report })
    else await checkNew(inside, resource, { ...checked, fields, match, report })
    refuseIfAny(issues)
    requireConditions(sent, match, holders)
    // At most one live record holds an external id.
    if (current && match.by === 'field') refuseAmbiguous(match, holders)
    return shown(await insertRecord(inside, resource, input), true)
  })
}

/** Makes other writes of the match, and of the values and external ids of the input, wait. */
function lockMatch(inside: Scope, match: Match, { values, external_ids }: RecordInput): Promise<void> {
  const claims = match.by === 'field' ? [match] : []
  const ids = match.by === 'field' ? [] : [match]
  return lockClaims(inside, [...claims, ...claimsOf(values)], [...ids, ...claimedIds(external_ids)])
}

/** The same for the same value in the same spelling. Other spellings wait for the lock. */
export function upsertTurn({ workspace }: Scope, { type }: Resource, { body }: { body: unknown }): string {
  const match = isObject(body) && isObject(body.match) ? body.match : {}
  // Anything but texts is refused soon.
  const texts = [match.field, match.value].map((part) =>
    typeof part === 'string' ? part.slice(0, 300).toLowerCase() : '',
  )
  return [workspace.id, type, ...texts].join(' ')
}

/** The records that hold the value, locked. If one of them lost it before it was locked, the transaction restarts. */
async function lockHolders(inside: Scope, resource: Resource, match: Match): Promise<StoredRecord[]> {
  if (match.by === 'external_id') return findHolderOfId(inside, resource, match)
  const { field, key } = match
  const found = await findHolders(inside, resource, match)
  const isHolder = (record: StoredRecord) => keysOf(field, parseStored(record.custom_fields)[field.key]).includes(key)
  if (found.every(isHolder)) return found
  throw new Conflict()
}

/** The record must still hold the value by which it was found. Otherwise the same call would not find it again. */
function checkStillHeld(input: RecordInput, match: Match, report: Report): void {
  if (match.by === 'external_id') checkIdStays(input, match, report)
  else checkValueStays(input, match, report)
}

function checkIdStays({ external_ids: sent }: RecordInput, match: ExternalMatch, report: Report): void {
  const { namespace, external_id } = match
  const ids = sent === null ? [] : sent?.get(namespace)
  if (ids === undefined || ids.some(({ id }) => id === external_id)) return
  const path = `external_ids.${namespace}`
  report(path, `The ${path} must contain the value of match.value, by which the record was looked for.`)
}

function checkValueStays({ values }: RecordInput, { field, key }: FieldMatch, report: Report): void {
  const given = values.get(field)
  if (given === undefined || keysOf(field, given).includes(key)) return
  const message = `The ${field.name} must contain the value of match.value, by which the record was looked for.`
  report(`custom_fields.${field.code}`, message)
}

/** A new record must hold the value by which it will be found. */
async function checkNew(
  inside: Scope,
  resource: Resource,
  { input, existing, fields, match, report }: Checked & { fields: FieldSet; match: Match; report: Report },
): Promise<void> {
  checkStillHeld(input, match, report)
  addMatch(input, match, report)
  await checkNewRecord(inside, resource, { fields: fields.list, input, existing, report })
}

/** Adds the value by which a new record will be found to its input. */
function addMatch(input: RecordInput, match: Match, report: Report): void {
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

/** What is wrong with an input that neither creates nor changes a record. */
async function checkAlone(
  inside: Scope,
  resource: Resource,
  { input, existing, report }: Checked & { report: Report },
): Promise<void> {
  for (const value of input.wrong.values()) reportWrong(value, report)
  await reportMissing(inside, resource, { input, existing, report })
}

function refuseAmbiguous({ field }: FieldMatch, holders: readonly StoredRecord[]): never {
  refuse({
    kind: 'ambiguous',
    message: `More than one record holds this ${field.code} value. Merge the duplicates, then retry.`,
    matches: holders.slice(0, MATCHES_MAX).map(({ id }) => id),
  })
}
