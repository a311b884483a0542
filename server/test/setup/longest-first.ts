import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that take minutes, the longest first. */
const long = [
  'server/test/fuzz/fuzz.test.ts',
  'server/test/faults/kill.test.ts',
  'server/test/both/backup/directions.test.ts',
  'server/test/derived/index.test.ts',
]

/**
 * Where nothing is known of an earlier run, files would go by their size. What takes longest begins first instead, so
 * that at the end nobody waits for one file alone. The runner makes the sequencer itself, which is why it is a class.
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
