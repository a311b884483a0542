import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that take or wait longest, the longest first. */
const long = [
  'server/test/concurrency/races.test.ts',
  'server/test/both/contract/changes-stream.test.ts',
  'server/test/both/changes/mirror.test.ts',
  'server/test/both/backup/directions.test.ts',
  'server/test/concurrency/random-clients.test.ts',
  'server/test/both/contract/changes-wait.test.ts',
  'server/test/postgres/nodes.test.ts',
  'server/test/both/contract/idempotency-concurrency.test.ts',
  'server/test/fuzz/fuzz.test.ts',
  'server/test/faults/kill.test.ts',
  'server/test/derived/index.test.ts',
  'web/test/drafts.test.ts',
  'web/test/webhooks.test.ts',
]

/**
 * Without an earlier run, Vitest orders files by size. The longest files run first instead, so that the run does not
 * end with one of them alone. Vitest constructs the sequencer itself, which is why it is a class.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => place(one) - place(other))
  }
}

function place({ moduleId }: TestSpecification): number {
  const index = long.findIndex((path) => moduleId.endsWith(path))
  return index === -1 ? long.length : index
}
