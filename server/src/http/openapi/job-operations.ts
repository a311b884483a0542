import { IMPORT_MAX_MB, IMPORT_ROWS_MAX, JOB_DAYS, JOB_FILE_HOURS } from '@kith/contract/limits'
import { answerOf, type Described, placed, success, textBody, written } from './answers.ts'

const results = {
  'application/x-ndjson': textBody(
    '{"row":1,"outcome":"created","id":"01kb8w4d5e6f7g8h9j0k1m2n3p","message":null,"errors":null}\n',
  ),
  'text/csv': textBody('name,errors\r\n,The name field is required.\r\n'),
}

export const jobOperations = {
  jobs: {
    operationId: 'listJobs',
    summary: 'List jobs',
    says: `The jobs of the token's user, latest first; owners and admins see all. Jobs are kept for ${JOB_DAYS} days.`,
    parameters: ['PerPage', 'Page', 'JobWait'],
    answers: { 200: success('A page of jobs.', 'JobList') },
  },
  'create-job': {
    operationId: 'createJob',
    summary: 'Create an import',
    says: `The import waits for its file, which is sent with \`PUT /v1/jobs/{id}/file\` within an hour. A workspace can have five jobs that are waiting, queued or running.`,
    body: 'ImportCreate',
    answers: { 201: placed('The new job.', 'JobDocument') },
  },
  job: {
    operationId: 'readJob',
    summary: 'Read a job',
    says: 'The state and the progress of a job.',
    parameters: ['JobWait'],
    answers: { 200: success('The job.', 'JobDocument') },
  },
  'job-file': {
    operationId: 'sendJobFile',
    summary: 'Send the file of an import',
    says: `The file as the body, also in gzip: at most ${IMPORT_MAX_MB} MB unpacked (unless the installation allows more) and ${IMPORT_ROWS_MAX} rows. CSV has a header, and may be UTF-8, UTF-16 or Windows-1252. The lines of NDJSON are bodies of a create, with an \`id\` for \`match: "id"\`, or records as an export shows them. A file that cannot be read is refused, and the job goes on waiting.`,
    body: 'ImportFile',
    answers: { 202: written('The job, queued.', 'JobDocument') },
  },
  'job-results': {
    operationId: 'readJobResults',
    summary: 'Read the results of a job',
    says: 'One line for each row that is done: `row` (1 is the first after the header), `outcome`, `id`, `message`, `errors`.',
    parameters: ['ResultOutcome', 'ResultFormat'],
    answers: { 200: answerOf('The results.', results) },
  },
  'run-job': {
    operationId: 'runJob',
    summary: 'Run a dry run for real',
    says: `Runs a dry run that is done for real, as a new job with the same file, which is kept for ${JOB_FILE_HOURS} hours.`,
    answers: { 201: placed('The new job.', 'JobDocument') },
  },
  'cancel-job': {
    operationId: 'cancelJob',
    summary: 'Cancel a job',
    says: 'Stops the job after the rows in progress. What was done stays, and can be undone. A job that is cancelled already stays as it is.',
    answers: { 200: written('The job.', 'JobDocument') },
  },
  'undo-job': {
    operationId: 'undoJob',
    summary: 'Undo an import',
    says: `Deletes what the import created and reverts what it changed, as a new job, for ${JOB_DAYS} days. What was changed since then stays and is reported as failed. If the import has an undo already, that job is returned.`,
    answers: { 200: written('The undo that there is.', 'JobDocument'), 201: placed('The new job.', 'JobDocument') },
  },
} satisfies Record<string, Described>
