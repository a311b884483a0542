import type { Outcome } from '@kith/contract/jobs'
import { definitionsOf } from '../../fields/definitions.ts'
import { inRehearsal, type Scope } from '../../scope/scope.ts'
import { findJobClaims, insertJobClaims, type JobClaim } from '../../storage/tables/job-claims.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'
import { claimsOfRow, type RowClaims } from './row-claims.ts'
import type { RowEntry, RowFailure } from './row-entry.ts'
import { type DoneRow, outcomeOf, writeEntries } from './write-entries.ts'

/** What would become of a row. A record that would be created has no id. */
type RehearsedRow = { entry: RowEntry } & ({ failure: RowFailure } | { outcome: Outcome; record_id: string | null })

/** What the rows of a chunk claim, by row, and who has it of the rows of earlier chunks. */
type Claimed = { byRow: ReadonlyMap<number, RowClaims>; earlier: ReadonlyMap<string, JobClaim> }

/**
 * Checks the rows of a chunk and takes back what they write. What they claim is kept, so that the rows of later chunks
 * find out that a value is taken, or that the record that they match would be there by then.
 */
export async function rehearseRows(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<RehearsedRow[]> {
  const claimed = await claimedBy(inside, job, entries)
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

async function claimedBy(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<Claimed> {
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
  const errors = Map.groupBy(taken, ({ path }) => path)
  const texts = [...errors].map(([path, all]) => [path, all.map((one) => one.message)] as const)
  return [[row, { message: first.message, errors: Object.fromEntries(texts) }]]
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

function shown(rows: readonly DoneRow[], claimed: Claimed): RehearsedRow[] {
  const created = new Set(rows.flatMap((row) => ('written' in row && row.written.created ? [row.written.id] : [])))
  return rows.map((done): RehearsedRow => {
    if ('failure' in done) return done
    const { entry, written } = done
    const outcome = matchedIn(done, claimed) && written.created ? 'updated' : outcomeOf(written)
    return { entry, outcome, record_id: created.has(written.id) ? null : written.id }
  })
}
