import { BATCH_CHUNK, BATCH_MAX } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import { success } from './answers.ts'
import type { Described } from './described.ts'
import { examplesNamed } from './examples.ts'
import { manyOf } from './names.ts'
import { ref } from './schema.ts'

const says = `Carries out 1 to ${BATCH_MAX} operations in their order; later ones see what earlier ones did. Each operation is a write of its own, with the status, the paths and the messages of the single request, at most ${BATCH_CHUNK} in one transaction. With \`atomic\`, all are written or none: then everything that is wrong is 422, by path. With \`dry_run\`, everything is checked and nothing is written. A batch costs one write, and as many items as it has operations. Repeated with the same \`Idempotency-Key\` after a crash, it carries out the rest.`

const common = {
  parameters: ['IdempotencyKey'],
  answers: {
    200: success('All operations succeeded.', ref('BatchResults'), examplesNamed('BatchResults')),
    207: success('At least one operation failed.', ref('BatchResults'), examplesNamed('BatchFailures')),
  },
  refusals: { 409: 'KeyBusy', 413: 'BatchTooLarge' },
}

export const batchOperations = {
  batch: {
    ...common,
    operationId: 'runBatch',
    summary: 'Write many records',
    says,
    tag: { name: 'Batch', description: 'Many writes in one request.' },
    body: 'Batch',
  },
} satisfies Record<string, Described>

export function batchOperationOf(resource: Resource): Described {
  const { type, about: description } = resource
  return {
    ...common,
    operationId: `run${manyOf(resource)}Batch`,
    summary: `Write many ${type}`,
    says,
    tag: { name: manyOf(resource), description },
    body: 'ResourceBatch',
  }
}
