import { IMPORT_MAX_MB, IMPORT_ROWS_MAX, JOB_DAYS, JOB_FILE_HOURS } from '@kith/contract/limits'
import { success, written } from './answers.ts'
import type { Described } from './described.ts'
import { examplesNamed } from './examples.ts'
import { ref, refTo, type Schema } from './schema.ts'

const KEYED = { 409: 'KeyBusy', 413: 'TooLarge' }
const MISSING = { 404: 'JobNotFound' }
const tag = { name: 'Jobs', description: 'Imports of files, which run in the background, and their undo.' }
const shown = examplesNamed('JobDocument')
const job = ref('JobDocument')
const common = { tag, parameters: ['JobId', 'IdempotencyKey'] }

/** The answer to a request that made a job, with the address of the job. */
function placed(description: string): Schema {
  const answer = written(description, job, shown)
  return { ...answer, headers: { ...Object(answer.headers), Location: refTo('headers', 'Location') } }
}

const results: Schema = {
  ...success('The results.', {}, {}),
  content: {
    'application/x-ndjson': {
      schema: { type: 'string' },
      example: '{"row":1,"outcome":"created","id":"01kb8w4d5e6f7g8h9j0k1m2n3p","message":null,"errors":null}\n',
    },
    'text/csv': { schema: { type: 'string' }, example: 'name,errors\r\n,The name field is required.\r\n' },
  },
}

export const jobOperations = {
  jobs: {
    operationId: 'listJobs',
    summary: 'List jobs',
    says: `The jobs of the token's user, latest first; owners and admins see all. Jobs are kept for ${JOB_DAYS} days.`,
    tag,
    parameters: ['PerPage', 'Page', 'JobWait'],
    answers: { 200: success('A page of jobs.', ref('JobList'), examplesNamed('JobList')) },
  },
  'create-job': {
    operationId: 'createJob',
    summary: 'Create an import',
    says: `The import waits for its file, which is sent with \`PUT /v1/jobs/{id}/file\` within an hour. A workspace can have five jobs that are waiting, queued or running.`,
    tag,
    parameters: ['IdempotencyKey'],
    body: 'ImportCreate',
    answers: { 201: placed('The new job.') },
    refusals: KEYED,
  },
  job: {
    operationId: 'readJob',
    summary: 'Read a job',
    says: 'The state and the progress of a job.',
    tag,
    parameters: ['JobId', 'JobWait'],
    answers: { 200: success('The job.', job, shown) },
    refusals: MISSING,
  },
  'job-file': {
    ...common,
    operationId: 'sendJobFile',
    summary: 'Send the file of an import',
    says: `The file as the body, also in gzip: at most ${IMPORT_MAX_MB} MB unpacked (unless the installation allows more) and ${IMPORT_ROWS_MAX} rows. CSV has a header, and may be UTF-8, UTF-16 or Windows-1252. The lines of NDJSON are bodies of a create, with an \`id\` for \`match: "id"\`, or records as an export shows them. A file that cannot be read is refused, and the job goes on waiting.`,
    body: 'ImportFile',
    answers: { 202: written('The job, queued.', job, shown) },
    refusals: { ...MISSING, ...KEYED, 413: 'FileTooLarge' },
  },
  'job-results': {
    operationId: 'readJobResults',
    summary: 'Read the results of a job',
    says: 'One line for each row that is done: `row` (1 is the first after the header), `outcome`, `id`, `message`, `errors`.',
    tag,
    parameters: ['JobId', 'ResultOutcome', 'ResultFormat'],
    answers: { 200: results },
    refusals: MISSING,
  },
  'run-job': {
    ...common,
    operationId: 'runJob',
    summary: 'Run a dry run for real',
    says: `Runs a dry run that is done for real, as a new job with the same file, which is kept for ${JOB_FILE_HOURS} hours.`,
    answers: { 201: placed('The new job.') },
    refusals: { ...MISSING, ...KEYED },
  },
  'cancel-job': {
    ...common,
    operationId: 'cancelJob',
    summary: 'Cancel a job',
    says: 'Stops the job after the rows in progress. What was done stays, and can be undone. A job that is cancelled already stays as it is.',
    answers: { 200: written('The job.', job, shown) },
    refusals: { ...MISSING, ...KEYED },
  },
  'undo-job': {
    ...common,
    operationId: 'undoJob',
    summary: 'Undo an import',
    says: `Deletes what the import created and reverts what it changed, as a new job, for ${JOB_DAYS} days. What was changed since then stays and is reported as failed. If the import has an undo already, that job is returned.`,
    answers: { 200: written('The undo that there is.', job, shown), 201: placed('The new job.') },
    refusals: { ...MISSING, ...KEYED },
  },
} satisfies Record<string, Described>
