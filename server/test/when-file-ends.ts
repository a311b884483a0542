type Work = () => unknown

const waiting: Work[] = []

/** Puts off what is to be closed or taken away until the tests of the file that is running are done, whether they pass or not. */
export function whenFileEnds(work: Work): void {
  waiting.push(work)
}

/** Does all that was put off, the last of it first. */
export async function endFile(): Promise<void> {
  for (const work of waiting.splice(0).reverse()) await work()
}
