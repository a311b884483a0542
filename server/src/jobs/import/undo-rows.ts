import { IMPORT_CHUNK_ROWS, IMPORT_ROWS_MAX } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import type { Operation } from '../../batch/operation.ts'
import { definitionsOf } from '../../fields/definitions.ts'
import type { Scope } from '../../scope/scope.ts'
import {
  insertResults,
  loadRowsOf,
  loadUndoable,
  markRowsUndone,
  type ResultRow,
} from '../../storage/tables/job-rows.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'
import { loadSyncLinks } from '../../storage/tables/sync-rows.ts'
import type { Step } from '../job-type.ts'
import { type Before, beforeAll, linksBefore } from './before.ts'
import { progressOf } from './import-rows.ts'
import { type Applied, applyAll, failureOf } from './write-entries.ts'

/** The rows of the import before this one are left. */
type UndoSettings = { before?: number }

/** `failure`: the rows cannot be undone, and this is why. */
type UndoInput = { limit?: number; failure?: string }

/**
 * Undoes the last rows of an import that are left. A record that several rows have changed is reverted once, to what it
 * was before the first of them. One that was changed since then stays.
 */
export const undoRows: Step = async (inside, job, input) => {
  // Sent by runUndo.
  const { limit = IMPORT_CHUNK_ROWS, failure } = input as UndoInput
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

/** The rows of each record. */
type Records = ReadonlyMap<string, readonly ResultRow[]>

async function undo(inside: Scope, job: JobRow, records: Records): Promise<ResultRow[]> {
  const operations = await operationsOf(inside, job, records)
  const applied = await applyAll(inside, operations)
  return operations.flatMap((operation, index) => {
    const outcome = applied[index]
    return outcome ? resultsOf(records.get(operation.id) ?? [], operation, outcome) : []
  })
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
  const resource = registry[type]
  const { [type]: fields } = await definitionsOf(inside)
  const links = Map.groupBy(await loadSyncLinks(inside, resource, [...records.keys()]), (link) => link.from_id)
  return [...records].map(([id, rows]) => {
    const if_match = rows.at(-1)?.updated_at ?? undefined
    if (rows.some(({ outcome }) => outcome === 'created')) return { op: 'delete', resource: type, id, if_match }
    // Written by beforeOf.
    const before = beforeAll(rows.map((row): Before => JSON.parse(row.before ?? '{"data":{},"links":[]}')))
    const { custom_fields, ...data } = before.data
    // Fields that were archived since then have no values to revert.
    const values = Object.entries(custom_fields ?? {}).filter(([code]) => fields.byCode.has(code))
    const lists = [...Map.groupBy(before.links, ({ key }) => key)].map(([key, changes]) => {
      const relation = resource.links[key]?.relation
      const now = (links.get(id) ?? []).filter((link) => link.relation === relation).map((link) => link.to_id)
      return [key, linksBefore(now, changes)]
    })
    return {
      ...{ op: 'update', resource: type, id, if_match },
      data: {
        ...data,
        ...Object.fromEntries(lists),
        ...(custom_fields ? { custom_fields: Object.fromEntries(values) } : {}),
      },
    }
  })
}

/** The last row of a record says what became of it. Nothing is left to do for the others. */
function resultsOf(rows: readonly ResultRow[], { op, id }: Operation & { id: string }, applied: Applied): ResultRow[] {
  const last = rows.at(-1)
  return rows.map((one): ResultRow => {
    const result = { row: one.row, record_id: id, updated_at: null, source: null, before: null }
    if ('refused' in applied) {
      const isGone = applied.refused.kind === 'not_found'
      // What was to be deleted is deleted.
      if (isGone && op === 'delete') return { ...result, outcome: 'unchanged', message: null, errors: null }
      const { message, errors } = failureOf(applied.refused)
      const why = applied.refused.kind === 'precondition_failed' ? 'The record was changed since the import.' : message
      const shown = isGone ? 'The record was deleted since the import.' : why
      return { ...result, outcome: 'failed', message: shown, errors: errors && JSON.stringify(errors) }
    }
    return { ...result, outcome: one === last ? 'updated' : 'unchanged', message: null, errors: null }
  })
}
