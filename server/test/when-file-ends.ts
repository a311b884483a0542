type Work = () => unknown

const waiting: Work[] = []

/**
 * Puts off what is to be closed or taken away until the tests of the file that is running are done, whether they pass
 * or not.
 */
export function whenFileEnds(work: Work): void {
  waiting.push(work)
}

/** Does all that was put off, the last of it first, and the rest also where something fails. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = []
  for (const work of waiting.splice(0).reverse()) {
    try {
      await work()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed.')
}
