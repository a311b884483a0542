import { abilitiesOf, type Batch, parseOperations, type ReadableBatch, readBatch } from '../../batch/parse-batch.ts'
import { batchDocument, isFailed, type Result, runInChunks, runWhole } from '../../batch/run-batch.ts'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { requireAbilities } from '../../records/allow.ts'
import { onceInSteps } from '../../records/once.ts'
import type { Scope } from '../../scope/scope.ts'
import { jsonIn } from '../wire/body.ts'
import { answerWithKey, keyOf, requirePaid, responseOf } from './idempotency.ts'
import { askedInQuery, type V1Handler } from './requests.ts'

export const batchHandlers = {
  batch: async (scope, request) => {
    const readable = readBatch(jsonIn(request.body), { resource: request.resource })
    requireAbilities(scope, abilitiesOf(readable))
    if (request.due === 'unknown') return { status: 200, body: null, aside: { items: readable.operations.length } }
    const { atomic, dry_run } = readable.raw
    // A dry run uses no key.
    if (dry_run === true) return answerWhole(scope, request, readable)
    if (atomic === true) return answerWithKey(scope, request, (inside) => answerWhole(inside, request, readable))
    return answerInChunks(scope, request, readable)
  },
} satisfies Record<string, V1Handler>

/** What comes after the key: the items, and what else is wrong with the batch. */
function parse(request: V1Request, readable: ReadableBatch): Batch {
  requirePaid(request)
  const { issues } = askedInQuery(request, true)
  return parseOperations(readable, { issues, namesResource: request.resource === null })
}

async function answerWhole(scope: Scope, request: V1Request, readable: ReadableBatch): Promise<Answer> {
  const batch = parse(request, readable)
  return answerBatch(batch, await runWhole(scope, batch))
}

/** With a key, the results of each chunk are stored with its writes. */
async function answerInChunks(scope: Scope, request: V1Request, readable: ReadableBatch): Promise<Answer> {
  const key = keyOf(scope, request)
  if (!key) {
    const batch = parse(request, readable)
    return answerBatch(batch, await runInChunks(scope, batch))
  }
  return onceInSteps<Answer>(scope, {
    ...key,
    async run(runStep) {
      const batch = parse(request, readable)
      const results = await runInChunks(scope, batch, async (work, { number, before, isLast }) => {
        const step = { number, work: async (inside: Scope) => JSON.stringify(await work(inside)) }
        const response = (text: string) => responseOf(answerBatch(batch, [...before, ...resultsIn(text)]))
        return resultsIn(await runStep(isLast ? { ...step, response } : step))
      })
      return answerBatch(batch, results)
    },
  })
}

function resultsIn(text: string): Result[] {
  // The results of a chunk, as they were written.
  return JSON.parse(text) as Result[]
}

function answerBatch(batch: Batch, results: readonly Result[]): Answer {
  return { status: results.some(isFailed) ? 207 : 200, body: batchDocument(results, batch) }
}
