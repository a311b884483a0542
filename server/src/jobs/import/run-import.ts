import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import { resolveColumns } from '@kith/contract/import/columns'
import { IMPORT_CHUNK_ROWS } from '@kith/contract/limits'
import { requireResource } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { type JobRow, pieceTable } from '../../storage/tables/jobs.ts'
import { fileFactsOf, type JobContext, mappingOf, modeOf, type StepReply, settingsOf } from '../job.ts'
import { csvParser, type FileFacts, isEndLine, linesOf } from './encoding.ts'
import { newOptions, withoutNewOptions } from './import-rows.ts'
import { entryOf, type RowEntry, type RowReader } from './write-entries.ts'

/** A chunk of long rows has fewer rows, so that its memory is bounded. */
const CHUNK_CHARACTERS = 4 * 1024 * 1024

type SourceRow = { row: number; source: string[] }

/** Reads the file of an import and writes its rows, 200 at a time. Skips rows that are done. */
export async function runImport(context: JobContext): Promise<void> {
  const { job } = context
  if (!(await readerNow(context))) return
  let { done } = job
  for await (const chunk of chunksOf(context)) {
    // A step that was tried twice may have already imported some of the rows.
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
  for await (const source of readRows(scope, job.file_id, { format, facts: fileFactsOf(job) })) {
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

/** Returns how many rows are done; undefined if the job must stop here. */
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

/** A reader of rows with the current fields. Undefined if the job must stop here. */
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
    resource: requireResource(scope.schema, job.resource),
    format: settings.format,
    mode: modeOf(job),
    match,
    targets,
    settings,
  }
}

async function columnsOf(scope: Scope, job: JobRow) {
  if (settingsOf(job).format !== 'csv') return { targets: [], problems: [] }
  const wanted = { resource: requireResource(scope.schema, job.resource), mapping: mappingOf(job), match: job.match }
  return resolveColumns(fileFactsOf(job).columns, wanted)
}

/** Creates the options that the rows need. A dry run removes these values from the rows instead. */
async function withOptions(
  context: JobContext,
  { scope }: Reader,
  entries: RowEntry[],
): Promise<RowEntry[] | undefined> {
  const { job } = context
  if (!settingsOf(job).create_options) return entries
  const { fields } = requireResource(scope.schema, job.resource)
  const options = newOptions(entries, fields)
  if (options.length === 0) return entries
  if (job.dry_run === 1) return withoutNewOptions(entries, fields)
  return (await context.step('add-options', { options })) && entries
}

/** Writes the rows of a chunk. Returns how many rows of the file are done; undefined if the job must stop here. */
async function writeRows(context: JobContext, entries: readonly RowEntry[], done: number): Promise<number | undefined> {
  const reply = await context.attempt('import-rows', { done, entries })
  return reply === 'broken' ? writeOneByOne(context, entries, done) : reply?.done
}

async function writeOneByOne(
  context: JobContext,
  entries: readonly RowEntry[],
  done: number,
): Promise<number | undefined> {
  const writeOne = rowByRow(context)
  let reached = done
  for (const entry of entries) {
    // An attempt whose response was lost may have already imported some of the rows.
    if (entry.row <= reached) continue
    const { row, source } = entry
    const failed: RowEntry = { row, source, failure: { message: BROKEN_ROW, errors: null } }
    const reply = await writeOne({
      attempt: () => context.attempt('import-rows', { done: reached, entries: [entry] }, ROW_TRIES),
      note: () => context.step('import-rows', { done: reached, entries: [failed] }),
    })
    if (!reply) return undefined
    reached = reply.done
  }
  return reached
}

const unpacked = promisify(inflateRaw)

/** The rows of a stored file as texts: the cells of CSV, with the header first, or a line of NDJSON. */
function readRows(
  scope: Scope,
  fileId: string,
  { format, facts }: { format: 'csv' | 'ndjson'; facts: FileFacts },
): AsyncIterable<string[]> {
  const texts = textsOf(piecesOf(scope, fileId), facts)
  return format === 'csv' ? cellsOf(texts, facts) : recordLines(texts)
}

async function* piecesOf(scope: Scope, fileId: string): AsyncGenerator<Buffer> {
  for (let piece = 0; ; piece++) {
    const stored = await pieceTable.find(scope, { file_id: fileId, piece })
    if (!stored) return
    yield await unpacked(Buffer.from(stored.content, 'base64'))
  }
}

/** Parsing this much takes a few milliseconds. Other requests are answered in between. */
const SLICE_BYTES = 32 * 1024

/** Decodes the file, without the byte order mark. */
async function* textsOf(pieces: AsyncIterable<Buffer>, { encoding }: FileFacts): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += SLICE_BYTES) {
      await setImmediate()
      yield decoder.decode(piece.subarray(from, from + SLICE_BYTES), { stream: true })
    }
  }
  yield decoder.decode()
}

function cellsOf(texts: AsyncIterable<string>, { delimiter }: FileFacts): AsyncIterable<string[]> {
  // The parser returns lists of strings, because no columns are configured.
  return Readable.from(texts).compose(csvParser(delimiter)) as AsyncIterable<string[]>
}

async function* recordLines(texts: AsyncIterable<string>): AsyncGenerator<string[]> {
  for await (const line of linesOf(texts)) if (!isEndLine(line)) yield [line]
}

/** Undoes an import, some rows at a time. */
export async function runUndo(context: JobContext): Promise<void> {
  const { job, stopped } = context
  for (let left = job.rows - job.done; left > 0; ) {
    const reply = await undoSome(context)
    if (!reply || stopped.aborted) return
    // The remaining rows no longer exist.
    if (job.rows - reply.done === left) break
    left = job.rows - reply.done
  }
  await context.step('finish', {})
}

async function undoSome(context: JobContext): Promise<StepReply | undefined> {
  const reply = await context.attempt('undo-rows', {})
  if (reply !== 'broken') return reply
  const undoOne = rowByRow(context)
  let last: StepReply | undefined
  for (let count = 0; count < IMPORT_CHUNK_ROWS; count++) {
    last = await undoOne({
      attempt: () => context.attempt('undo-rows', { limit: 1 }, ROW_TRIES),
      note: () => context.step('undo-rows', { limit: 1, failure: BROKEN_ROW }),
    })
    if (!last || last.done === context.job.rows) break
  }
  return last
}

/** The message of a row that fails with an internal error. */
const BROKEN_ROW = 'The row failed with an internal error. The log of the service has the details.'

/** If this many rows of a chunk fail with an internal error, the rows are not the cause. */
const BROKEN_MAX = 10
/** The rows were already tried with the chunk. */
const ROW_TRIES = 2
const TOO_MANY = `${BROKEN_MAX} rows failed with an internal error. What was written stays. The log of the service has the details.`

/** Retries the rows of a chunk that failed with an internal error, one at a time, so that only the bad ones fail. */
function rowByRow(context: JobContext): (row: {
  attempt(): ReturnType<JobContext['attempt']>
  /** Records the row as failed. */
  note(): Promise<StepReply | undefined>
}) => Promise<StepReply | undefined> {
  let broken = 0
  return async ({ attempt, note }) => {
    const reply = await attempt()
    if (reply !== 'broken') return reply
    broken++
    const noted = await note()
    if (broken < BROKEN_MAX || !noted) return noted
    await context.step('fail', { message: TOO_MANY })
    return undefined
  }
}
