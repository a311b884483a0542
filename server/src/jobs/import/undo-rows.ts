import { IMPORT_CHUNK_ROWS, IMPORT_ROWS_MAX } from '@kith/contract/limits'
import { refusalIn, undoAll } from '../../changes/undo/undo-changes.ts'
import type { Scope } from '../../scope/scope.ts'
import { insertResults, loadUndoable, markRowsUndone, type ResultRow } from '../../storage/tables/jobs.ts'
import type { JobTransaction } from '../job.ts'
import { progressOf } from './import-rows.ts'
import { failureOf, type RowFailure } from './write-entries.ts'

/** The rows of the import before this one are not undone yet. */
type UndoSettings = { before?: number }

/**
 * Undoes the changes of the last rows of an import that are not undone yet, the latest first. A change that was undone
 * by itself stays undone. `failure` is the reason if the rows cannot be undone.
 */
export const undoRows: JobTransaction<'undo-rows'> = async (inside, job, { limit = IMPORT_CHUNK_ROWS, failure }) => {
  const { before = IMPORT_ROWS_MAX + 1 }: UndoSettings = JSON.parse(job.settings)
  const importId = job.undo_of ?? ''
  const page = await loadUndoable(inside, importId, { before, limit })
  const results = failure === undefined ? await undo(inside, page) : page.map((row) => failedRow(row, failure))
  await insertResults(inside, job.id, results)
  const [to = 0, from = 0] = [page.at(0)?.row, page.at(-1)?.row]
  await markRowsUndone(inside, importId, { from, to })
  const settings: UndoSettings = { before: from }
  return { ...progressOf(job, results), settings: JSON.stringify(settings) }
}

async function undo(inside: Scope, rows: readonly ResultRow[]): Promise<ResultRow[]> {
  const changes = await undoOf(
    inside,
    rows.map(({ change_id }) => change_id ?? ''),
  )
  const isUndone = ({ change_id }: ResultRow) => changes.get(change_id ?? '')?.refused === undefined
  // What a row created because it names it stays if the row stays.
  const missing = await undoOf(inside, rows.filter(isUndone).flatMap(missingOf))
  return rows.map((row) => {
    const all = [changes.get(row.change_id ?? ''), ...missingOf(row).map((id) => missing.get(id))].flatMap(
      (one) => one ?? [],
    )
    const [refused] = all.flatMap((one) => one.refused ?? [])
    if (refused) return failedRow(row, refused.message, refused.errors)
    return { ...resultOf(row), outcome: all.some(({ done }) => done) ? 'updated' : 'unchanged' }
  })
}

type Undone = { done: boolean; refused?: RowFailure }

async function undoOf(inside: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Undone>> {
  // Whether it is too late was decided when the job was created.
  const all = ids.length === 0 ? [] : await undoAll(inside, ids, { late: true })
  return new Map(
    all.map((one): [string, Undone] => {
      const { id, outcome } = one
      if (outcome && !('refused' in outcome)) return [id, { done: outcome.done }]
      return [id, { done: false, refused: failureOf(refusalIn(one)) }]
    }),
  )
}

/** The records that a row created because it names them, the latest first. Their creations have the same ids. */
function missingOf({ missing }: ResultRow): string[] {
  // Written by importRows.
  const ids: string[] = missing === null ? [] : JSON.parse(missing)
  return ids.reverse()
}

function failedRow(row: ResultRow, message: string, errors: object | null = null): ResultRow {
  return { ...resultOf(row), outcome: 'failed', message, errors: errors && JSON.stringify(errors) }
}

function resultOf({ row, record_id }: ResultRow): Omit<ResultRow, 'outcome'> {
  return { row, record_id, change_id: null, missing: null, message: null, errors: null, source: null }
}
