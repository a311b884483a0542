import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { lengthOf } from '@kith/contract/fold'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { MATCH_VALUE_MAX, MATCHES_MAX } from '@kith/contract/limits'
import { matchKeyOf } from '@kith/contract/match-key'
import { suggestion } from '@kith/contract/nearest'
import { isObject } from '@kith/contract/raw-input'
import { parseRecordInput, type RecordInput } from '@kith/contract/record-input'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { Conflict } from '../storage/engines/conflict.ts'
import { findHolders } from '../storage/tables/holders.ts'
import type { RecordRow, StoredRecord } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { parseAsked, parseBody, type Sent } from './ask.ts'
import {
  type Checked,
  checkClaims,
  checkNewValues,
  claimsOf,
  findNamed,
  keysOf,
  lockClaims,
  reportMissing,
  reportWrong,
} from './check-input.ts'
import { insertRecord } from './create.ts'
import { type Presented, parseStored, presentRecords } from './present.ts'
import { changeRecord, checkChanges } from './update.ts'
import { writingOne } from './writing.ts'

export type Upserted = Presented & { created: boolean }

type Match = { field: FieldDefinition; value: string; key: string }

/** Updates the one record that holds a value, or creates it. Upserts of one value wait for each other. */
export async function upsertRecord(scope: Scope, resource: Resource, sent: Sent): Promise<Upserted> {
  requireAbilities(scope, ['create', 'update'])
  // Many upserts of one value wait here, and not each with a connection in its hand that other workspaces need.
  return scope.engine.inTurn(turnOf(scope, resource, sent), () =>
    writingOne(scope, resource, async (inside, definitions) => {
      const fields = definitions[resource.type]
      const issues: Issue[] = []
      const report = reportInto(issues)
      const answer = parseAsked(sent.asked, { resource, definitions }, report)
      const shown = async (row: RecordRow, created: boolean): Promise<Upserted> =>
        Object.assign(await presentRecords(inside, resource, { definitions, rows: [row], ...answer }), { created })
      const raw = parseBody(sent.body, report)
      const input = raw && parseRecordInput(raw, { resource, fields, creating: true, besides: ['match'] }, report)
      const match = raw && parseMatch(raw.match, fields, report)
      if (!input || !match) {
        if (input) checkByItself(resource, { input, existing: await findNamed(inside, resource, { input }) }, report)
        refuseIfAny(issues)
        throw new Error('An upsert went on without a match.')
      }
      await lockClaims(inside, [match, ...claimsOf(input.values)])
      // In the lock order: what it refers to, then the record itself.
      const [existing, holders] = await Promise.all([
        findNamed(inside, resource, { input }),
        lockHolders(inside, resource, match),
      ])
      const checked = { input, existing }
      const [current, other] = holders
      if (current && !other) {
        checkKept(input, match, report)
        return shown(await updateHolder(inside, resource, { current, ...checked, issues }), false)
      }
      if (current) checkByItself(resource, checked, report)
      else await checkNew(inside, resource, { ...checked, fields, match, report })
      refuseIfAny(issues)
      if (current) refuseAmbiguous(match, holders)
      return shown(await insertRecord(inside, resource, input), true)
    }),
  )
}

/** The same for the same value in the same spelling; whatever is spelled otherwise waits for the lock. */
function turnOf({ workspace }: Scope, { type }: Resource, { body }: Sent): string {
  const match = isObject(body) && isObject(body.match) ? body.match : {}
  // Anything but texts is refused soon, whatever else waits.
  const texts = [match.field, match.value].map((part) =>
    typeof part === 'string' ? part.slice(0, 300).toLowerCase() : '',
  )
  return [workspace.id, type, ...texts].join(' ')
}

/** The records that hold the value, locked. One that was changed while it was looked for may have let go of it. */
async function lockHolders(inside: Scope, resource: Resource, match: Match): Promise<StoredRecord[]> {
  const found = await findHolders(inside, resource, match)
  if (found.every((record) => holds(record, match))) return found
  throw new Conflict()
}

function holds({ custom_fields }: StoredRecord, { field, key }: Match): boolean {
  const stored = parseStored(custom_fields)[field.key]
  return stored !== undefined && keysOf(field, stored).includes(key)
}

async function updateHolder(
  inside: Scope,
  resource: Resource,
  { issues, ...changing }: Checked & { current: StoredRecord; issues: Issue[] },
): Promise<RecordRow> {
  const changes = await checkChanges(inside, resource, { ...changing, report: reportInto(issues) })
  refuseIfAny(issues)
  return changeRecord(inside, resource, { current: changing.current, changes })
}

/** The record must still hold the value by which it was found, else the same call again would not find it. */
function checkKept({ values }: RecordInput, { field, key }: Match, report: Report): void {
  const given = values.get(field)
  if (given === undefined || (given !== null && keysOf(field, given).includes(key))) return
  const message = `The ${field.name} must contain the value of match.value, by which the record was looked for.`
  report(`custom_fields.${field.code}`, message)
}

/** A new record must hold the value it will be found by. */
async function checkNew(
  inside: Scope,
  resource: Resource,
  { input, existing, fields, match, report }: Checked & { fields: FieldSet; match: Match; report: Report },
): Promise<void> {
  const { field, value } = match
  checkKept(input, match, report)
  if (!input.values.has(field)) {
    const given = fieldTypes[field.type].list ? [value] : value
    const stored = fieldTypes[field.type].parse(given, { field, path: `custom_fields.${field.code}`, report })
    if (stored !== undefined && stored !== null) input.values.set(field, stored)
  }
  checkNewValues(fields.list, input, report)
  reportMissing(resource, { input, existing }, report)
  await checkClaims(inside, { claims: claimsOf(input.values) }, report)
}

/** What is wrong with an input of which no record is made or changed. */
function checkByItself(resource: Resource, { input, existing }: Checked, report: Report): void {
  for (const value of input.wrong.values()) reportWrong(value, report)
  reportMissing(resource, { input, existing }, report)
}

function refuseAmbiguous({ field }: Match, holders: readonly StoredRecord[]): never {
  refuse({
    kind: 'ambiguous',
    message: `More than one record holds this ${field.code} value. Merge the duplicates, then retry.`,
    matches: holders.slice(0, MATCHES_MAX).map(({ id }) => id),
  })
}

function parseMatch(raw: unknown, fields: FieldSet, report: Report): Match | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    const problem = raw === undefined || raw === null ? 'field is required' : 'must be an object'
    report('match', `The match ${problem}: {"field": …, "value": …}.`)
    return undefined
  }
  for (const key of Object.keys(raw)) {
    if (key === 'field' || key === 'value') continue
    report(`match.${key.slice(0, 100)}`, `The match takes field and value only.${suggestion(key, ['field', 'value'])}`)
  }
  const field = parseMatchField('field' in raw ? raw.field : undefined, fields, report)
  const value = parseMatchValue('value' in raw ? raw.value : undefined, report)
  if (!field || value === undefined) return undefined
  const key = matchKeyOf(field, value)
  if (key !== undefined) return { field, value, key }
  report('match.value', `The match.value is not a value that the ${field.type} field ${field.code} can hold.`)
  return undefined
}

function parseMatchField(raw: unknown, fields: FieldSet, report: Report): FieldDefinition | undefined {
  const eligible = fields.list.filter((field) => field.unique && fieldTypes[field.type].textLike)
  const field = eligible.find((candidate) => candidate.code === raw)
  if (field) return field
  const codes = eligible.map((candidate) => candidate.code)
  const accepted = codes.length === 0 ? 'This resource has none yet.' : `Accepted: ${codes.join(', ')}.`
  const near = typeof raw === 'string' ? suggestion(raw, codes) : ''
  const problem = raw === undefined || raw === null ? 'field is required' : 'must be the code of a unique field'
  report('match.field', `The match.field ${problem}. ${accepted}${near}`)
  return undefined
}

function parseMatchValue(raw: unknown, report: Report): string | undefined {
  if (raw === undefined || raw === null) report('match.value', 'The match.value field is required.')
  else if (typeof raw !== 'string') report('match.value', 'The match.value must be a string.')
  else {
    const value = raw.trim()
    if (value === '') report('match.value', 'The match.value field is required.')
    else if (lengthOf(value) > MATCH_VALUE_MAX) {
      report('match.value', `The match.value must not be greater than ${MATCH_VALUE_MAX} characters.`)
    } else return value
  }
  return undefined
}
