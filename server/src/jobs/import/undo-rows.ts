import { IMPORT_CHUNK_ROWS, IMPORT_ROWS_MAX } from '@kith/contract/limits'
import { refusalIn, undoAll } from '../../changes/undo/undo-changes.ts'
import type { Scope } from '../../scope/scope.ts'
import { insertResults, loadUndoable, markRowsUndone, type ResultRow } from '../../storage/tables/jobs.ts'
import type { JobTransaction } from '../job.ts'
import { progressOf } from './import-rows.ts'
import { failureOf } from './write-entries.ts'

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
  const ids = rows.map(({ change_id }) => change_id ?? '')
  // Whether it is too late was decided when the job was created.
  const undone = await undoAll(inside, ids, { late: true })
  const byId = new Map(undone.map((one) => [one.id, one]))
  return rows.map((row) => {
    const one = byId.get(row.change_id ?? '')
    if (!one) throw new Error('A change has no outcome.')
    const { outcome } = one
    if (outcome && !('refused' in outcome)) {
      return { ...resultOf(row), outcome: outcome.done ? 'updated' : 'unchanged' }
    }
    const { message, errors } = failureOf(refusalIn(one))
    return failedRow(row, message, errors)
  })
}

function failedRow(row: ResultRow, message: string, errors: object | null = null): ResultRow {
  return { ...resultOf(row), outcome: 'failed', message, errors: errors && JSON.stringify(errors) }
}

function resultOf({ row, record_id }: ResultRow): Omit<ResultRow, 'outcome'> {
  return { row, record_id, change_id: null, message: null, errors: null, source: null }
}
