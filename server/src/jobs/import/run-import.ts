import { resolveColumns } from '@kith/contract/import/columns'
import { IMPORT_CHUNK_ROWS } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { definitionsOf } from '../../fields/definitions.ts'
import type { Scope } from '../../scope/scope.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'
import { factsOf, mappingOf, modeOf, settingsOf } from '../job.ts'
import type { JobContext } from '../job-type.ts'
import { newOptions, withoutNewOptions } from './new-options.ts'
import { readRows } from './read-rows.ts'
import { entryOf, type RowEntry, type RowReader } from './row-entry.ts'
import { writeRows } from './write-rows.ts'

/** A chunk of long rows has fewer of them, so that the memory that it needs is bounded. */
const CHUNK_CHARACTERS = 4 * 1024 * 1024

type SourceRow = { row: number; source: string[] }

/** Reads the file of an import and writes its rows, 200 at a time. Rows that are done are only read. */
export async function runImport(context: JobContext): Promise<void> {
  const { job } = context
  if (!(await readerNow(context))) return
  let { done } = job
  for await (const chunk of chunksOf(context)) {
    // A step that was tried twice may have done some of the rows already.
    for (let left = chunk; left.length > 0; left = left.filter(({ row }) => row > done)) {
      const reached = await importChunk(context, left, done)
      if (reached === undefined) return
      done = reached
    }
  }
  if (!context.stopped.aborted) await context.step('finish', {})
}

async function* chunksOf({ job, stopped, scope: scopeNow }: JobContext): AsyncGenerator<SourceRow[]> {
  const scope = await scopeNow()
  if (!scope || job.file_id === null) return
  const { format } = settingsOf(job)
  // The first row of CSV is the header.
  let row = format === 'csv' ? -1 : 0
  let chunk: SourceRow[] = []
  let length = 0
  for await (const source of readRows(scope, job.file_id, { format, facts: factsOf(job) })) {
    if (stopped.aborted) return
    row++
    if (row <= job.done) continue
    chunk.push({ row, source })
    for (const cell of source) length += cell.length
    if (chunk.length < IMPORT_CHUNK_ROWS && length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = []
    length = 0
  }
  yield chunk
}

/** Returns how many rows are done; undefined if the job does not go on here. */
async function importChunk(context: JobContext, rows: readonly SourceRow[], done: number): Promise<number | undefined> {
  const reader = await readerNow(context)
  if (!reader) return undefined
  const entries = await withOptions(
    context,
    reader,
    rows.map(({ row, source }) => entryOf(row, source, reader)),
  )
  return entries && writeRows(context, entries, done)
}

type Reader = RowReader & { scope: Scope }

/** How rows are read with the fields as they are now. Undefined if the job does not go on here. */
async function readerNow(context: JobContext): Promise<Reader | undefined> {
  const { job } = context
  const scope = await context.scope()
  if (!scope) return undefined
  const { targets, problems } = await columnsOf(scope, job)
  if (problems.length > 0) {
    await context.step('fail', { message: problems.join(' ') })
    return undefined
  }
  const settings = settingsOf(job)
  const { match } = job
  return {
    scope,
    resource: registry[job.resource],
    format: settings.format,
    mode: modeOf(job),
    match,
    targets,
    settings,
  }
}

async function columnsOf(scope: Scope, job: JobRow) {
  if (settingsOf(job).format !== 'csv') return { targets: [], problems: [] }
  const definitions = await definitionsOf(scope)
  const wanted = { resource: registry[job.resource], definitions, mapping: mappingOf(job), match: job.match }
  return resolveColumns(factsOf(job).columns, wanted)
}

/** The rows after the options that they need have been created. A dry run leaves these values out instead. */
async function withOptions(
  context: JobContext,
  { scope }: Reader,
  entries: RowEntry[],
): Promise<RowEntry[] | undefined> {
  const { job } = context
  if (!settingsOf(job).create_options) return entries
  const { [job.resource]: fields } = await definitionsOf(scope)
  const options = newOptions(entries, fields)
  if (options.length === 0) return entries
  if (job.dry_run === 1) return withoutNewOptions(entries, fields)
  return (await context.step('add-options', { options })) && entries
}
