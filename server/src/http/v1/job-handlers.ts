import { refuseIfAny } from '@kith/contract/refusal'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { cancelJob, expectFile, rerunJob, takeFile, undoJob } from '../../jobs/change-job.ts'
import { createImport } from '../../jobs/create-import.ts'
import type { JobObject } from '../../jobs/job.ts'
import { listJobs, readJob } from '../../jobs/list-jobs.ts'
import { readResults } from '../../jobs/results.ts'
import { jsonIn } from '../wire/body.ts'
import { answerDocument, answerFile, answerPage } from './json-api.ts'
import { askedInQuery, nothingIn, refuseParameters, type V1Handler } from './requests.ts'

/** Imports and their undo. */
export const jobHandlers = {
  'create-job': async (scope, request) => {
    refuseParameters(request)
    return answerNew(request, await createImport(scope, jsonIn(request.body)))
  },
  jobs: async (scope, request) => {
    const asked = askedInQuery(request)
    const { wait, ...listed } = await listJobs(scope, asked)
    return { ...answerPage(listed, { path: request.path, parameters: asked.raw }), aside: { unchanged: { wait } } }
  },
  job: async (scope, request) => {
    const { data, wait } = await readJob(scope, { id: request.id, asked: askedInQuery(request) })
    return { ...answerDocument(200, { data }), aside: { unchanged: { wait } } }
  },
  'expect-job-file': async (scope, request) => {
    refuseParameters(request)
    return answerDocument(200, await expectFile(scope, request.id, request.headers.idempotency_key !== null))
  },
  'job-file': async (scope, request) => {
    if (!request.file) throw new Error('The request has no file.')
    return queued(answerDocument(202, { data: await takeFile(scope, request.id, request.file) }))
  },
  'job-results': async (scope, request) => {
    const after = request.continuation === undefined ? 0 : Number(request.continuation)
    const part = await readResults(scope, { id: request.id, asked: askedInQuery(request), after })
    const continuation = part.next === null ? null : String(part.next)
    return answerFile({ ...part, name: `results-${request.id}`, continuation })
  },
  'run-job': async (scope, request) => {
    refuseIfAny(nothingIn(request))
    return queued(answerNew(request, await rerunJob(scope, request.id)))
  },
  'cancel-job': async (scope, request) => {
    refuseIfAny(nothingIn(request))
    return answerDocument(200, { data: await cancelJob(scope, request.id) })
  },
  'undo-job': async (scope, request) => {
    refuseIfAny(nothingIn(request))
    const { job, created } = await undoJob(scope, request.id)
    return created ? queued(answerNew(request, job)) : answerDocument(200, { data: job })
  },
} satisfies Record<string, V1Handler>

/** A new job, with its address. */
function answerNew({ path }: V1Request, data: JobObject): Answer {
  const jobs = path.slice(0, path.lastIndexOf('/v1/jobs'))
  return { ...answerDocument(201, { data }), headers: { Location: `${jobs}/v1/jobs/${data.id}` } }
}

/** Lets a worker of this process begin at once. */
function queued(answer: Answer): Answer {
  return { ...answer, aside: { queued: true } }
}
