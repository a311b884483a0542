import { IMPORT_CHUNK_ROWS, IMPORT_ROWS_MAX } from '@kith/contract/limits'
import type { Operation } from '../../batch/operation.ts'
import { requireResource } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { loadSyncLinks } from '../../storage/query/sync-rows.ts'
import {
  insertResults,
  type JobRow,
  loadRowsOf,
  loadUndoable,
  markRowsUndone,
  type ResultRow,
} from '../../storage/tables/jobs.ts'
import type { JobTransaction } from '../job.ts'
import { progressOf } from './import-rows.ts'
import { applyAll, type Before, beforeAll, failureOf, linksBefore, type RowOutcome } from './write-entries.ts'

/** The rows of the import before this one are not undone yet. */
type UndoSettings = { before?: number }

/**
 * Undoes the last rows of an import that are not undone yet. A record that several rows have changed is reverted once,
 * to its state before the first of them. A record that was changed since then, or by others between two rows, stays.
 * `failure` is the reason if the rows cannot be undone.
 */
export const undoRows: JobTransaction<'undo-rows'> = async (inside, job, { limit = IMPORT_CHUNK_ROWS, failure }) => {
  const { before = IMPORT_ROWS_MAX + 1 }: UndoSettings = JSON.parse(job.settings)
  const importId = job.undo_of ?? ''
  const page = await loadUndoable(inside, importId, { before, limit })
  const ids = [...new Set(page.flatMap(({ record_id }) => record_id ?? []))]
  const byRecord = Map.groupBy(await loadRowsOf(inside, importId, ids), (row) => row.record_id ?? '')
  const records = new Map(ids.map((id) => [id, byRecord.get(id) ?? []]))
  const results = failure === undefined ? await undo(inside, job, records) : notUndone(records, failure)
  await insertResults(inside, job.id, results)
  await markRowsUndone(inside, importId, ids)
  const settings: UndoSettings = { before: page.at(-1)?.row ?? 0 }
  return { ...progressOf(job, results), settings: JSON.stringify(settings) }
}

/** The rows by record. */
type Records = ReadonlyMap<string, readonly ResultRow[]>

async function undo(inside: Scope, job: JobRow, records: Records): Promise<ResultRow[]> {
  const edited = new Map([...records].filter(([, rows]) => isEditedBetween(rows)))
  const operations = await operationsOf(inside, job, new Map([...records].filter(([id]) => !edited.has(id))))
  const applied = await applyAll(inside, operations)
  const results = operations.flatMap((operation, index) => {
    const outcome = applied[index]
    return outcome ? resultsOf(records.get(operation.id) ?? [], operation, outcome) : []
  })
  return [...results, ...notUndone(edited, 'The record was changed by someone else while the import ran.')]
}

/** Whether someone else changed the record between two rows. Reverting both rows would lose that change. */
function isEditedBetween(rows: readonly ResultRow[]): boolean {
  return rows.some((row, index) => index > 0 && beforeIn(row).updated_at !== rows[index - 1]?.updated_at)
}

function beforeIn(row: ResultRow): Before {
  // Written by beforeOf. A row that created its record has none.
  return JSON.parse(row.before ?? '{"data":{},"links":[]}')
}

function notUndone(records: Records, message: string): ResultRow[] {
  return [...records].flatMap(([record_id, rows]) =>
    rows.map(({ row }): ResultRow => {
      const nothing = { updated_at: null, errors: null, source: null, before: null }
      return { row, outcome: 'failed', record_id, message, ...nothing }
    }),
  )
}

async function operationsOf(
  inside: Scope,
  { resource: type }: JobRow,
  records: Records,
): Promise<(Operation & { id: string })[]> {
  const resource = requireResource(inside.schema, type)
  const links = Map.groupBy(await loadSyncLinks(inside, resource, [...records.keys()]), (link) => link.from_id)
  return [...records].map(([id, rows]) => {
    const if_match = rows.at(-1)?.updated_at ?? undefined
    if (rows.some(({ outcome }) => outcome === 'created')) return { op: 'delete', resource: type, id, if_match }
    const before = beforeAll(rows.map(beforeIn))
    const { custom_fields, ...data } = before.data
    // Fields that were archived since then are not reverted.
    const values = Object.entries(custom_fields ?? {}).filter(([code]) => resource.fields.byCode.has(code))
    const lists = [...Map.groupBy(before.links, ({ key }) => key)].map(([key, changes]) => {
      const relation = resource.links[key]?.relation
      const now = (links.get(id) ?? []).filter((link) => link.relation === relation).map((link) => link.to_id)
      return [key, linksBefore(now, changes)]
    })
    return {
      op: 'update',
      resource: type,
      id,
      if_match,
      data: {
        ...data,
        ...Object.fromEntries(lists),
        ...(custom_fields ? { custom_fields: Object.fromEntries(values) } : {}),
      },
    }
  })
}

/** The last row of a record has the result. The other rows need no further step. */
function resultsOf(
  rows: readonly ResultRow[],
  { op, id }: Operation & { id: string },
  applied: RowOutcome,
): ResultRow[] {
  const last = rows.at(-1)
  return rows.map((one): ResultRow => {
    const result = { row: one.row, record_id: id, updated_at: null, source: null, before: null }
    if ('refused' in applied) {
      const isGone = applied.refused.kind === 'not_found'
      // A record that should be deleted is already deleted.
      if (isGone && op === 'delete') return { ...result, outcome: 'unchanged', message: null, errors: null }
      const { message, errors } = failureOf(applied.refused)
      const why = applied.refused.kind === 'precondition_failed' ? 'The record was changed since the import.' : message
      const shown = isGone ? 'The record was deleted since the import.' : why
      return { ...result, outcome: 'failed', message: shown, errors: errors && JSON.stringify(errors) }
    }
    return { ...result, outcome: one === last ? 'updated' : 'unchanged', message: null, errors: null }
  })
}
