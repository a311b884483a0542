import { refuseIfAny } from '@kith/contract/refusal'
import { abilitiesOf, type Batch, parseOperations, type ReadableBatch, readBatch } from '../../batch/parse-batch.ts'
import { asBatch, batchDocument, isFailed, type Result, runInChunks, runWhole } from '../../batch/run-batch.ts'
import type { Answer } from '../../calls/answer.ts'
import { jsonIn, type V1Handler, type V1Request } from '../../calls/call.ts'
import { keyedRequest, keyIn, requirePaid } from '../../calls/idempotency.ts'
import { cancelJob, expectFile, rerunJob, takeFile, undoJob } from '../../jobs/change-job.ts'
import { createImport } from '../../jobs/create-import.ts'
import { type JobObject, listJobs, readJob, readResults } from '../../jobs/job.ts'
import { once, onceInSteps } from '../../records/once.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import type { Scope } from '../../scope/scope.ts'
import { answerDocument, answerFile, answerPage, askedInQuery, nothingIn, refuseParameters } from './requests.ts'

export const batchHandlers = {
  batch: async (given, request) => {
    const scope = asBatch(given, keyIn(request))
    const readable = readBatch(jsonIn(request.body), { resource: request.resource })
    requireAbilities(scope, abilitiesOf(readable))
    const { atomic, dry_run } = readable.raw
    // A dry run uses no key.
    if (dry_run === true) {
      requirePaid(request)
      return answerWhole(scope, request, readable)
    }
    const keyed = keyedRequest(scope, request)
    if (atomic === true) return once(scope, keyed, (inside) => answerWhole(inside, request, readable))
    return onceInSteps(scope, keyed, async (runStep) => {
      const batch = parse(scope, request, readable)
      const results = await runInChunks(scope, batch, (work, { number, before, isLast }) =>
        runStep({ number, work, end: isLast ? (last) => answerBatch(batch, [...before, ...last]) : undefined }),
      )
      return answerBatch(batch, results)
    })
  },
} satisfies Record<string, V1Handler>

/** Parses the batch after the check of its key. */
function parse({ schema }: Scope, request: V1Request, readable: ReadableBatch): Batch {
  const { issues } = askedInQuery(request, true)
  return parseOperations(readable, { schema, issues, namesResource: request.resource === null })
}

async function answerWhole(scope: Scope, request: V1Request, readable: ReadableBatch): Promise<Answer> {
  const batch = parse(scope, request, readable)
  return answerBatch(batch, await runWhole(scope, batch))
}

function answerBatch(batch: Batch, results: readonly Result[]): Answer {
  return { status: results.some(isFailed) ? 207 : 200, body: batchDocument(results, batch) }
}

/** Imports and their undo. */
export const jobHandlers = {
  'create-job': async (scope, request) => {
    refuseParameters(request)
    return answerNew(request, await createImport(scope, jsonIn(request.body)))
  },
  jobs: async (scope, request) => {
    const asked = askedInQuery(request)
    const { wait, ...listed } = await listJobs(scope, asked)
    return holdable(answerPage(listed, { path: request.path, parameters: asked.raw }), wait)
  },
  job: async (scope, request) => {
    const { data, wait } = await readJob(scope, { id: request.id, asked: askedInQuery(request) })
    return holdable(answerDocument(200, { data }), wait)
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
  return { ...answer, effects: [{ kind: 'job_queued' }] }
}

function holdable(answer: Answer, wait: number): Answer {
  return { ...answer, next: { kind: 'unchanged', wait } }
}
