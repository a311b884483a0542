import { createHash } from 'node:crypto'
import { excerpt } from '@kith/contract/excerpt'
import type { Definitions } from '@kith/contract/field-definition'
import { outcomes } from '@kith/contract/jobs'
import type { Match } from '@kith/contract/match'
import { errorsByPath } from '@kith/contract/refusal-details'
import { registry } from '@kith/contract/registry'
import { prepare, withNames } from '../../batch/operation.ts'
import { definitionsOf } from '../../fields/definitions.ts'
import { claimedBy } from '../../records/write-set.ts'
import { inRehearsal, type Scope } from '../../scope/scope.ts'
import {
  findJobClaims,
  insertJobClaims,
  insertResults,
  type JobClaim,
  type ResultRow,
} from '../../storage/tables/job-rows.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'
import type { Step } from '../job-type.ts'
import { beforeOf } from './before.ts'
import type { RowEntry, RowFailure } from './row-entry.ts'
import { type DoneRow, outcomeOf, writeEntries } from './write-entries.ts'

type RowsInput = { done: number; entries: RowEntry[] }

/** Writes the rows of a chunk, with their results and the progress of the job. */
export const importRows: Step = async (inside, job, input) => {
  // Sent by runImport.
  const { done, entries } = input as RowsInput
  // Another attempt of the same step has done these rows.
  if (job.done !== done) return {}
  const rows = job.dry_run === 1 ? await rehearse(inside, job, entries) : await write(inside, job, entries)
  await insertResults(inside, job.id, rows)
  return progressOf(job, rows)
}

/** What the results of some rows add to the progress. */
export function progressOf(job: JobRow, rows: readonly ResultRow[]): Partial<JobRow> {
  const counts = outcomes.map((outcome) => [
    outcome,
    job[outcome] + rows.filter((row) => row.outcome === outcome).length,
  ])
  return { done: job.done + rows.length, ...Object.fromEntries(counts) }
}

const NOTHING = { updated_at: null, message: null, errors: null, source: null, before: null }

async function write(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<ResultRow[]> {
  const resource = registry[job.resource]
  const rows = await writeEntries(inside, job, entries)
  return rows.map((one): ResultRow => {
    if ('failure' in one) return failedRow(one.entry, one.failure)
    const { id, updated_at, changing } = one.written
    const before = changing ? JSON.stringify(beforeOf(resource, changing)) : null
    return { ...NOTHING, row: one.entry.row, outcome: outcomeOf(one.written), record_id: id, updated_at, before }
  })
}

function failedRow({ row, source }: RowEntry, { message, errors }: RowFailure): ResultRow {
  const told = { message, errors: errors && JSON.stringify(errors), source: JSON.stringify(source) }
  return { ...NOTHING, row, outcome: 'failed', record_id: null, ...told }
}

/** What the rows of a chunk claim, by row, and who has it of the rows of earlier chunks. */
type Claimed = { byRow: ReadonlyMap<number, RowClaims>; earlier: ReadonlyMap<string, JobClaim> }

/**
 * Checks the rows of a chunk and takes back what they write. What they claim is kept, so that the rows of later chunks
 * find out that a value is taken, or that the record that they match would be there by then.
 */
async function rehearse(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<ResultRow[]> {
  const claimed = await claimsOfRows(inside, job, entries)
  for (let checked = entries; ; ) {
    const rows = await inRehearsal(inside, (scope) => writeEntries(scope, job, checked))
    const failures = new Map(rows.flatMap((row) => takenIn(row, claimed)))
    if (failures.size === 0) {
      await insertJobClaims(inside, job.id, newClaims(rows, claimed))
      return shown(rows, claimed)
    }
    // Again without the rows that fail, because others may depend on them.
    checked = checked.map((entry) => {
      const failure = failures.get(entry.row)
      return failure ? { row: entry.row, source: entry.source, failure } : entry
    })
  }
}

async function claimsOfRows(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<Claimed> {
  const definitions = await definitionsOf(inside)
  const byRow = new Map(entries.map((entry) => [entry.row, claimsOfRow(entry, job, definitions)]))
  const names = new Set([...byRow.values()].flatMap(({ claims }) => claims.map(({ claim }) => claim)))
  return { byRow, earlier: await findJobClaims(inside, job.id, [...names]) }
}

/** The record of an earlier row that an upsert would find. */
function matchedIn({ entry }: DoneRow, { byRow, earlier }: Claimed): JobClaim | undefined {
  return earlier.get(byRow.get(entry.row)?.match ?? '')
}

/** Why a row fails that claims what another record would have by then. */
function takenIn(done: DoneRow, claimed: Claimed): [number, RowFailure][] {
  if ('failure' in done) return []
  const { row } = done.entry
  const own = matchedIn(done, claimed)?.record_id ?? done.written.id
  const taken = (claimed.byRow.get(row)?.claims ?? []).flatMap(({ claim, path, message }) => {
    const holder = claimed.earlier.get(claim)
    return holder && holder.record_id !== own ? [{ path, message: message(holder.row) }] : []
  })
  const [first] = taken
  if (!first) return []
  return [[row, { message: first.message, errors: errorsByPath(taken) }]]
}

/** What the rows claim and earlier ones did not. */
function newClaims(rows: readonly DoneRow[], claimed: Claimed): JobClaim[] {
  const claims = new Map<string, JobClaim>()
  for (const done of rows) {
    if ('failure' in done) continue
    const { row } = done.entry
    const record_id = matchedIn(done, claimed)?.record_id ?? done.written.id
    for (const { claim } of claimed.byRow.get(row)?.claims ?? []) {
      if (!claimed.earlier.has(claim)) claims.getOrInsert(claim, { claim, record_id, row })
    }
  }
  return [...claims.values()]
}

/** What would become of the rows. A record that would be created has no id, and failures name its row instead. */
function shown(rows: readonly DoneRow[], claimed: Claimed): ResultRow[] {
  const created = new Map(
    rows.flatMap((one) => ('written' in one && one.written.created ? [[one.written.id, `row ${one.entry.row}`]] : [])),
  )
  return rows.map((done): ResultRow => {
    if ('failure' in done) return failedRow(done.entry, withNames(done.failure, created))
    const { entry, written } = done
    const outcome = matchedIn(done, claimed) && written.created ? 'updated' : outcomeOf(written)
    return { ...NOTHING, row: entry.row, outcome, record_id: created.has(written.id) ? null : written.id }
  })
}

/** What only one record may have: a value of a unique field, or an external id. */
type RowClaim = { claim: string; path: string; message(row: number): string }

/** The claims of a row. `match` is the one by which an upsert finds its record. */
type RowClaims = { claims: readonly RowClaim[]; match: string | undefined }

/** The id of an update that finds its record by a value. What a row claims does not depend on it. */
const ANY_ID = '0'.repeat(26)

const NO_CLAIMS: RowClaims = { claims: [], match: undefined }

function claimsOfRow(entry: RowEntry, { resource }: JobRow, definitions: Definitions): RowClaims {
  if ('failure' in entry) return NO_CLAIMS
  const { operation } = entry
  const named = { ...operation, id: operation.id ?? ANY_ID, resource }
  const prepared = prepare(named, { definitions, lids: new Map() })
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
