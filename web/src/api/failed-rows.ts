import { failureOf } from '@kith/sdk'

/** A row of a job that was not written. */
export type FailedRow = {
  row: number
  id: string | null
  message: string
  errors: Readonly<Record<string, readonly string[]>>
}

/** The first failed rows of a job, and the same rows as CSV, if the job has a file. */
export async function loadFailedRows(
  slug: string,
  job: { id: string; hasFile: boolean; most: number },
  signal: AbortSignal,
): Promise<{ rows: FailedRow[]; csv: string }> {
  const path = `/api/app/w/${slug}/v1/jobs/${job.id}/results`
  const [lines, csv] = await Promise.all([
    startOf(`${path}?outcome=failed`, job.most, signal),
    job.hasFile ? startOf(`${path}?format=csv`, Number.POSITIVE_INFINITY, signal) : '',
  ])
  const rows = lines
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, job.most)
  return { rows: rows.map(rowIn), csv }
}

const MOST_CHARACTERS = 2_000_000

/** A response of any length, read to a number of lines. The part after the last whole line is left out. */
async function startOf(address: string, lines: number, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal })
  if (!response.ok) throw failureOf(response.status, response.headers, await response.json().catch(() => undefined))
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let found = 0; reader && found < lines && text.length < MOST_CHARACTERS; ) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
    found += value.split('\n').length - 1
  }
  await reader?.cancel()
  return text.slice(0, text.lastIndexOf('\n') + 1)
}

function rowIn(line: string): FailedRow {
  // As the API writes it.
  const { row, id, message, errors } = JSON.parse(line)
  return { row, id, message: message ?? '', errors: errors ?? {} }
}
