import { BATCH_CHUNK, BATCH_MAX } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import { type Described, success } from './answers.ts'
import { manyOf } from './names.ts'

/** Many writes in one request: of any resource, or of one. */
export function batchOperations(resource?: Resource) {
  return {
    batch: {
      operationId: resource ? `run${manyOf(resource)}Batch` : 'runBatch',
      summary: `Write many ${resource?.type ?? 'records'}`,
      says: `Carries out 1 to ${BATCH_MAX} operations in their order; later ones see what earlier ones did. Each operation is a write of its own, with the status, the paths and the messages of the single request, at most ${BATCH_CHUNK} in one transaction. With \`atomic\`, all are written or none: then everything that is wrong is 422, by path. With \`dry_run\`, everything is checked and nothing is written. A batch costs one write, and as many items as it has operations. Repeated with the same \`Idempotency-Key\` after a crash, it carries out the rest.`,
      body: resource ? 'ResourceBatch' : 'Batch',
      answers: {
        200: success('All operations succeeded.', 'BatchResults'),
        207: success('At least one operation failed.', 'BatchResults', ['BatchFailures']),
      },
    },
  } satisfies Record<string, Described>
}
