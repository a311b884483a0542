import { reportUnknown } from '@kith/contract/answer-options'
import { csvLine } from '@kith/contract/csv/csv-line'
import { boundedReport, type Report } from '@kith/contract/issue'
import { type Outcome, outcomes } from '@kith/contract/jobs'
import { suggestion } from '@kith/contract/nearest'
import { parseOrRefuse, refuseValue } from '@kith/contract/refusal'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import type { Scope } from '../scope/scope.ts'
import { loadResults, type ResultRow } from '../storage/tables/job-rows.ts'
import type { JobRow } from '../storage/tables/jobs.ts'
import { factsOf, requireJob, settingsOf } from './job.ts'

const PART = 1000
const FORMATS = ['ndjson', 'csv'] as const
type ResultFormat = (typeof FORMATS)[number]

/** A part of the results as text, and the row after which the next part begins. */
type ResultPart = { text: string; format: ResultFormat; next: number | null }

type Wanted = { id: string; asked: Asked; after: number }

/** The results of a job row by row, or its failed rows as they were. */
export async function readResults(scope: Scope, { id, asked, after }: Wanted): Promise<ResultPart> {
  requireAbilities(scope, ['read'])
  const job = await requireJob(scope, id)
  const { format, outcome } = parseOrRefuse(asked.issues, (report) => parseAsked(asked, report))
  if (format === 'csv') refuseUnlessCsv(job)
  const wanted = format === 'csv' ? 'failed' : outcome
  const rows = await loadResults(scope, job.id, { after, outcome: wanted, limit: PART })
  const lines = rows.map(format === 'csv' ? failedLine : resultLine)
  const head = format === 'csv' && after === 0 ? csvLine([...headerOf(job), 'errors']) : ''
  return { text: head + lines.join(''), format, next: rows.length < PART ? null : (rows.at(-1)?.row ?? null) }
}

function parseAsked({ raw }: Asked, report: Report): { format: ResultFormat; outcome: Outcome | undefined } {
  reportUnknown(raw, ['format', 'outcome'], boundedReport(report))
  const format = wordIn(raw, { key: 'format', words: FORMATS }, report) ?? 'ndjson'
  const outcome = wordIn(raw, { key: 'outcome', words: outcomes }, report)
  if (format === 'csv' && outcome !== undefined && outcome !== 'failed') {
    report('outcome', 'The outcome must be failed with format=csv, which shows the failed rows only.')
  }
  return { format, outcome }
}

function wordIn<W extends string>(
  raw: Readonly<Record<string, unknown>>,
  { key, words }: { key: string; words: readonly W[] },
  report: Report,
): W | undefined {
  const sent = raw[key]
  if (sent === undefined) return undefined
  const found = words.find((one) => one === sent)
  const near = typeof sent === 'string' ? suggestion(sent, words) : ''
  if (found === undefined) report(key, `The ${key} must be one of: ${words.join(', ')}.${near}`)
  return found
}

function refuseUnlessCsv(job: JobRow): void {
  if (job.type === 'import' && settingsOf(job).format === 'csv') return
  refuseValue('format', 'The format csv shows the rows of a CSV file, which this job does not have.')
}

function headerOf(job: JobRow): readonly string[] {
  return job.file_facts === null ? [] : factsOf(job).columns
}

function resultLine({ row, outcome, record_id, message, errors }: ResultRow): string {
  // Written by the worker.
  const shown = { row, outcome, id: record_id, message, errors: errors === null ? null : JSON.parse(errors) }
  return `${JSON.stringify(shown)}\n`
}

function failedLine({ source, message, errors }: ResultRow): string {
  const cells: string[] = source === null ? [] : JSON.parse(source)
  const all: Record<string, string[]> = errors === null ? {} : JSON.parse(errors)
  const texts = Object.values(all).flat()
  return csvLine([...cells, texts.length > 0 ? texts.join(' ') : (message ?? '')])
}
