import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { exportFormats } from '@kith/contract/export-query'
import type { Client, ImportOptions, JobObject } from '@kith/sdk'
import { type Answer, BadUsage, type Context, defineCommand, Failure, requireOneOf } from './command.ts'
import { remoteOptions, withClient } from './remote.ts'
import { newProgress } from './table.ts'

const importCommand = defineCommand({
  about: 'Import CSV or NDJSON, also in gzip (.csv.gz, .ndjson.gz).',
  options: {
    resource: { value: 'RESOURCE', about: 'The code of a resource, such as companies.', required: true, operand: true },
    file: { value: 'FILE', about: 'The file to send; - for standard input.', required: true, operand: true },
    format: {
      value: 'F',
      about: `One of ${exportFormats.join(', ')}. Default: by the name of the file, or its content.`,
    },
    match: { value: 'M', about: 'Update the records that hold this: id, a unique code or external_ids.NAMESPACE.' },
    map: { value: 'C=T', about: 'Write a column to a target; without a target it is left out.', repeats: true },
    'dry-run': { about: 'Check everything and store nothing.' },
    wait: { about: 'Wait until the import has ended. Rows that failed are named, and the exit code is 1.' },
    ...remoteOptions,
  },
  async run(values, context) {
    const { resource } = values
    const { file, match, map } = values
    const content = file === '-' ? new Blob([await context.readInput()]) : await opened(file)
    const format = values.format && requireOneOf('--format', exportFormats, values.format)
    const options = {
      ...(file === '-' ? await formOfContent(content) : formOf(file)),
      ...(format && { format }),
      ...(match === undefined ? {} : { match }),
      ...(map === undefined ? {} : { mapping: mappingIn(map) }),
      dry_run: values['dry-run'],
    }
    return withClient(values, context, async (client) => {
      const job = (await client.resource(resource).import(content, options)).data
      return values.wait ? waitFor(client, job, context) : answerOf(job)
    })
  },
})

export { importCommand as import }

async function opened(file: string): Promise<Blob> {
  try {
    if ((await stat(file)).isFile()) return await openAsBlob(file)
  } catch {
    throw new Failure(`The file ${file} cannot be read.`)
  }
  throw new Failure(`${file} is a folder or a pipe. Send a file, or - for standard input.`)
}

/** The format from the file extension. */
function formOf(file: string): ImportOptions {
  const gzip = extname(file) === '.gz'
  const name = gzip ? file.slice(0, -'.gz'.length) : file
  return { format: ['.ndjson', '.jsonl'].includes(extname(name)) ? 'ndjson' : 'csv', gzip }
}

/** Standard input has no name. Lines of NDJSON begin with a brace. In gzip they need `--format`. */
async function formOfContent(content: Blob): Promise<ImportOptions> {
  const start = new Uint8Array(await content.slice(0, START_BYTES).arrayBuffer())
  const gzip = start[0] === 0x1f && start[1] === 0x8b
  const isJson = new TextDecoder().decode(start).trimStart().startsWith('{')
  return { format: isJson ? 'ndjson' : 'csv', gzip }
}

const START_BYTES = 1024

function mappingIn(lines: readonly string[]): Record<string, string | null> {
  const pairs = lines.map((line) => {
    const at = line.lastIndexOf('=')
    if (at === -1) throw new BadUsage('--map must be a column and a target such as Website=custom_fields.domains.')
    return [line.slice(0, at), line.slice(at + 1) || null]
  })
  return Object.fromEntries(pairs)
}

/** Shows the progress of a job until it has ended. Fails if rows are missing, so that a script notices it. */
export async function waitFor(client: Client, { id, attributes }: JobObject, context: Context): Promise<Answer> {
  const progress = newProgress(context, { what: 'rows', total: attributes.progress.rows })
  const { data } = await client.jobs.ended(id, { onProgress: (job) => progress.show(job.attributes.progress.done) })
  progress.end(data.attributes.progress.done)
  if (data.attributes.state === 'failed') throw new Failure(data.attributes.message ?? 'The job failed.')
  const answer = await answerWithFailures(client, data)
  return { ...answer, failed: data.attributes.state !== 'done' || data.attributes.progress.failed > 0 }
}

const SHOWN_MAX = 20

/** The answer with the first failed rows, and the address of the full list. */
export async function answerWithFailures(client: Client, job: JobObject): Promise<Answer> {
  const answer = answerOf(job)
  const { failed } = job.attributes.progress
  if (failed === 0) return answer
  const lines: string[] = []
  for await (const { row, message } of client.jobs.results(job.id, { outcome: 'failed' })) {
    if (lines.length === SHOWN_MAX) break
    lines.push(`Row ${row}: ${message}`)
  }
  const all = `GET /v1/jobs/${job.id}/results?outcome=failed&format=csv`
  const more = failed > lines.length ? [`${failed} rows failed. All of them: ${all}`] : []
  return { ...answer, text: [answer.text, ...lines, ...more].join('\n') }
}

export function answerOf(job: JobObject): Answer {
  const { state, progress, message, type, dry_run, resource } = job.attributes
  const { rows, done, created, updated, unchanged, failed } = progress
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`
  const what = `${dry_run ? 'dry run of an ' : ''}${type} of ${resource}`
  const line = `Job ${job.id} (${what}) is ${state}: ${done} of ${rows} ${rows === 1 ? 'row' : 'rows'}, ${counts}.`
  return { text: message === null ? line : `${line}\n${message}`, json: job }
}
