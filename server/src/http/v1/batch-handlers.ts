import { abilitiesOf, readBatch } from '../../batch/parse-batch.ts'
import { type Batch, parseOperations } from '../../batch/parse-operations.ts'
import { batchDocument, isFailed, type Result } from '../../batch/present-results.ts'
import { runInChunks, runWhole } from '../../batch/run-batch.ts'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { requireAbilities } from '../../records/allow.ts'
import type { Scope } from '../../scope/scope.ts'
import { jsonIn } from '../wire/body.ts'
import { askedInQuery } from './requests.ts'

export const batchHandlers = {
  batch: async (scope: Scope, request: V1Request): Promise<Answer> => {
    const readable = readBatch(jsonIn(request.body), { resource: request.resource })
    requireAbilities(scope, abilitiesOf(readable))
    const { issues } = askedInQuery(request, true)
    const batch = parseOperations(readable, { issues, namesResource: request.resource === null })
    const isWhole = batch.atomic || batch.dry_run
    return answerBatch(batch, await (isWhole ? runWhole(scope, batch) : runInChunks(scope, batch)))
  },
}

function answerBatch(batch: Batch, results: readonly Result[]): Answer {
  return { status: results.some(isFailed) ? 207 : 200, body: batchDocument(results, batch) }
}
