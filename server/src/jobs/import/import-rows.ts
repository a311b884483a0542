import { createHash } from 'node:crypto'
import { excerpt } from '@kith/contract/excerpt'
import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import { outcomes } from '@kith/contract/jobs'
import { addedItems, isListEdit } from '@kith/contract/list-edit'
import type { Match } from '@kith/contract/match'
import type { NamedBy } from '@kith/contract/parsed-input'
import '@kith/contract/numbering-plans'
import { isObject } from '@kith/contract/raw-input'
import { Refusal } from '@kith/contract/refusal'
import { errorsByPath } from '@kith/contract/refusal-details'
import type { RelatedType, Schema } from '@kith/contract/resource'
import { prepare, withNames } from '../../batch/operation.ts'
import { finderOf } from '../../records/lookups.ts'
import { claimedBy } from '../../records/write-set.ts'
import { updateField } from '../../schema/define.ts'
import { inRehearsal, type Scope } from '../../scope/scope.ts'
import {
  findJobClaims,
  insertJobClaims,
  insertResults,
  type JobClaim,
  type JobRow,
  type ResultRow,
} from '../../storage/tables/jobs.ts'
import { type JobSteps, type JobTransaction, settingsOf } from '../job.ts'
import { type DoneRow, outcomeOf, type RowEntry, type RowFailure, writeEntries } from './write-entries.ts'

/** Writes the rows of a chunk, with their results and the progress of the job. */
export const importRows: JobTransaction<'import-rows'> = async (inside, job, { done, entries }) => {
  // Another attempt of the same step has already imported these rows.
  if (job.done !== done) return {}
  const rows = job.dry_run === 1 ? await rehearse(inside, job, entries) : await write(inside, job, entries)
  await insertResults(inside, job.id, rows)
  return { ...progressOf(job, rows), ...(job.dry_run === 1 ? await countNamed(inside, job, { entries, rows }) : {}) }
}

/** The progress that the results of some rows add. */
export function progressOf(job: JobRow, rows: readonly ResultRow[]): Partial<JobRow> {
  const counts = outcomes.map((outcome) => [
    outcome,
    job[outcome] + rows.filter((row) => row.outcome === outcome).length,
  ])
  return { done: job.done + rows.length, ...Object.fromEntries(counts) }
}

const NOTHING = { change_id: null, missing: null, message: null, errors: null, source: null }

async function write(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<ResultRow[]> {
  const rows = await writeEntries(inside, writtenIn(job), entries)
  return rows.map((one): ResultRow => {
    if ('failure' in one) return failedRow(one.entry, one.failure)
    const { row, change_id = null, missing } = one.written
    const made = { record_id: row.id, change_id, missing: missing.length === 0 ? null : JSON.stringify(missing) }
    return { ...NOTHING, row: one.entry.row, outcome: outcomeOf(one.written), ...made }
  })
}

/** What all rows write to, and whether records that they name by name are created. */
function writtenIn(job: JobRow) {
  return { resource: job.resource, byName: settingsOf(job).create_related ? ('create' as const) : ('find' as const) }
}

function failedRow({ row, source }: RowEntry, { message, errors }: RowFailure): ResultRow {
  const told = { message, errors: errors && JSON.stringify(errors), source: JSON.stringify(source) }
  return { ...NOTHING, row, outcome: 'failed', record_id: null, ...told }
}

/** What a real run would do with the records that the rows name by their name. Each is created once. */
async function countNamed(
  inside: Scope,
  job: JobRow,
  { entries, rows }: { entries: readonly RowEntry[]; rows: readonly ResultRow[] },
): Promise<Partial<JobRow>> {
  const settings = settingsOf(job)
  const failed = new Set(rows.flatMap(({ row, outcome }) => (outcome === 'failed' ? [row] : [])))
  const lookups = entries.flatMap((entry) =>
    namedIn(entry, job, inside.schema).map((one) => ({ ...one, row: entry.row, claim: claimOfName(one) })),
  )
  if (lookups.length === 0) return {}
  const idsOf = await finderOf(inside, lookups)
  const earlier = await findJobClaims(inside, job.id, [...new Set(lookups.map(({ claim }) => claim))])
  const created = new Map<string, JobClaim>()
  const { linked = 0, created: before = 0, open = 0 } = settings.named ?? {}
  const named = { linked, created: before, open }
  for (const lookup of lookups) {
    const { row, claim } = lookup
    const { length } = idsOf(lookup)
    if (length > 1 || (length === 0 && !settings.create_related)) named.open++
    else if (failed.has(row)) continue
    else if (length === 1 || earlier.has(claim) || created.has(claim)) named.linked++
    else {
      named.created++
      created.set(claim, { claim, record_id: '', row })
    }
  }
  await insertJobClaims(inside, job.id, [...created.values()])
  return { settings: JSON.stringify({ ...settings, named }) }
}

type Named = { to: RelatedType; by: NamedBy }

function namedIn(entry: RowEntry, job: JobRow, schema: Schema): Named[] {
  if ('failure' in entry) return []
  const prepared = prepare({ ...entry.operation, ...writtenIn(job) }, { schema, lids: new Map() })
  const { lookups = [] } = ('write' in prepared && prepared.write.input) || {}
  return lookups.flatMap(({ to, by }) => ('name' in by ? [{ to, by }] : []))
}

function claimOfName({ to, by }: Named): string {
  return hashOf(`${to} name`, by.key)
}

/** The claims of the rows of a chunk, by row, and the holders of these claims among earlier chunks. */
type ChunkClaims = { byRow: ReadonlyMap<number, RowClaims>; earlier: ReadonlyMap<string, JobClaim> }

/**
 * Checks the rows of a chunk and rolls back their writes. Their claims are stored, so that the rows of later chunks
 * detect that a value is taken, or that the record that they match would exist.
 */
async function rehearse(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<ResultRow[]> {
  const claimed = await claimsOfRows(inside, job, entries)
  for (let checked = entries; ; ) {
    const rows = await inRehearsal(inside, (scope) => writeEntries(scope, writtenIn(job), checked))
    const failures = new Map(rows.flatMap((row) => takenIn(row, claimed)))
    if (failures.size === 0) {
      await insertJobClaims(inside, job.id, newClaims(rows, claimed))
      return shown(rows, claimed)
    }
    // Repeat without the failed rows, because others may depend on them.
    checked = checked.map((entry) => {
      const failure = failures.get(entry.row)
      return failure ? { row: entry.row, source: entry.source, failure } : entry
    })
  }
}

async function claimsOfRows(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<ChunkClaims> {
  const byRow = new Map(entries.map((entry) => [entry.row, claimsOfRow(entry, job, inside.schema)]))
  const names = new Set([...byRow.values()].flatMap(({ claims }) => claims.map(({ claim }) => claim)))
  return { byRow, earlier: await findJobClaims(inside, job.id, [...names]) }
}

/** The record of an earlier row that an upsert would find. */
function matchedIn({ entry }: DoneRow, { byRow, earlier }: ChunkClaims): JobClaim | undefined {
  return earlier.get(byRow.get(entry.row)?.match ?? '')
}

/** The failure of a row that claims a value which another record would have. */
function takenIn(done: DoneRow, claimed: ChunkClaims): [number, RowFailure][] {
  if ('failure' in done) return []
  const { row } = done.entry
  const own = matchedIn(done, claimed)?.record_id ?? done.written.row.id
  const taken = (claimed.byRow.get(row)?.claims ?? []).flatMap(({ claim, path, message }) => {
    const holder = claimed.earlier.get(claim)
    return holder && holder.record_id !== own ? [{ path, message: message(holder.row) }] : []
  })
  const [first] = taken
  if (!first) return []
  return [[row, { message: first.message, errors: errorsByPath(taken) }]]
}

/** The claims of the rows that earlier rows do not have. */
function newClaims(rows: readonly DoneRow[], claimed: ChunkClaims): JobClaim[] {
  const claims = new Map<string, JobClaim>()
  for (const done of rows) {
    if ('failure' in done) continue
    const { row } = done.entry
    const record_id = matchedIn(done, claimed)?.record_id ?? done.written.row.id
    for (const { claim } of claimed.byRow.get(row)?.claims ?? []) {
      if (!claimed.earlier.has(claim)) claims.getOrInsert(claim, { claim, record_id, row })
    }
  }
  return [...claims.values()]
}

/**
 * The results that the rows would have. A record that would be created has no id, and failures name its row instead.
 */
function shown(rows: readonly DoneRow[], claimed: ChunkClaims): ResultRow[] {
  const created = new Map(
    rows.flatMap((one) =>
      'written' in one && one.written.created ? [[one.written.row.id, `row ${one.entry.row}`]] : [],
    ),
  )
  return rows.map((done): ResultRow => {
    if ('failure' in done) return failedRow(done.entry, withNames(done.failure, created))
    const { entry, written } = done
    const outcome = matchedIn(done, claimed) && written.created ? 'updated' : outcomeOf(written)
    const { id } = written.row
    return { ...NOTHING, row: entry.row, outcome, record_id: created.has(id) ? null : id }
  })
}

/** A value that only one record may have: of a unique field, or an external id. */
type RowClaim = { claim: string; path: string; message(row: number): string }

/** The claims of a row. `match` is the one by which an upsert finds its record. */
type RowClaims = { claims: readonly RowClaim[]; match: string | undefined }

const NO_CLAIMS: RowClaims = { claims: [], match: undefined }

function claimsOfRow(entry: RowEntry, job: JobRow, schema: Schema): RowClaims {
  if ('failure' in entry) return NO_CLAIMS
  const { operation } = entry
  const prepared = prepare({ ...operation, ...writtenIn(job) }, { schema, lids: new Map() })
  if (!('write' in prepared)) return NO_CLAIMS
  const { write } = prepared
  const { claims, externalIds } = claimedBy(write)
  const values = claims.map(({ field, key }) => ({
    claim: hashOf(field.id, key),
    path: `custom_fields.${field.code}`,
    message: (row: number) => `The ${field.name} value ${excerpt(String(key))} is already taken by row ${row}.`,
  }))
  const external = externalIds.map(({ namespace, external_id }) => ({
    claim: hashOf(namespace, external_id),
    path: `external_ids.${namespace}`,
    message: (row: number) =>
      `The external_ids.${namespace} is already taken: row ${row} has the id ${excerpt(external_id)}.`,
  }))
  return { claims: [...values, ...external], match: write.op === 'upsert' ? claimOfMatch(write.match) : undefined }
}

function claimOfMatch(match: Match | undefined): string | undefined {
  if (!match) return undefined
  return match.by === 'field' ? hashOf(match.field.id, match.key) : hashOf(match.namespace, match.external_id)
}

/** A namespace is never the id of a field: it begins with a letter. */
function hashOf(name: string, value: string | number): string {
  return createHash('sha256').update(`${name} ${value}`).digest('base64url').slice(0, 22)
}

/** The labels in rows that are not options of their fields yet. */
export function newOptions(entries: readonly RowEntry[], fields: FieldSet): JobSteps['add-options']['options'] {
  const found = new Map<string, Map<string, string>>()
  for (const { field, unknown } of entries.flatMap((entry) => choicesIn(entry, fields))) {
    const labels = found.getOrInsertComputed(field.code, () => new Map())
    for (const label of unknown) labels.getOrInsert(fold(label.trim()), label.trim())
  }
  return [...found].map(([code, labels]) => ({ code, labels: [...labels.values()] }))
}

/** The rows without values that are not options yet: a real run would create these options. */
export function withoutNewOptions(entries: readonly RowEntry[], fields: FieldSet): RowEntry[] {
  return entries.map((entry) => {
    if ('failure' in entry) return entry
    const custom_fields: Record<string, unknown> = { ...valuesIn(entry) }
    for (const { field, unknown } of choicesIn(entry, fields)) {
      const sent = custom_fields[field.code]
      const known = addedItems(sent).filter((item) => !unknown.some((one) => one === item))
      if (isListEdit(sent)) custom_fields[field.code] = { ...sent, $add: known }
      else if (known.length > 0) custom_fields[field.code] = known
      else delete custom_fields[field.code]
    }
    return { ...entry, operation: { ...entry.operation, data: { ...entry.operation.data, custom_fields } } }
  })
}

function choicesIn(entry: RowEntry, { byCode }: FieldSet): { field: FieldDefinition; unknown: string[] }[] {
  return Object.entries(valuesIn(entry)).flatMap(([code, value]) => {
    const field = byCode.get(code)
    if (!field || !fieldTypes[field.type].hasOptions) return []
    const unknown = addedItems(value).filter((item) => isUnknown(item, field))
    return unknown.length === 0 ? [] : [{ field, unknown }]
  })
}

function valuesIn(entry: RowEntry): Record<string, unknown> {
  if ('failure' in entry) return {}
  const { custom_fields } = entry.operation.data
  return isObject(custom_fields) ? custom_fields : {}
}

function isUnknown(item: unknown, field: FieldDefinition): item is string {
  if (typeof item !== 'string' || item.trim() === '') return false
  const type = fieldTypes[field.type]
  return type.parse(type.list ? [item] : item, { field, path: '', report() {} }) === undefined
}

/** Creates the missing options. If that is refused, the rows report the problem. */
export const addOptions: JobTransaction<'add-options'> = async (inside, { resource }, { options }) => {
  for (const { code, labels } of options) {
    try {
      await updateField(inside, { entity_type: resource, code }, { add_options: labels })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  return {}
}
