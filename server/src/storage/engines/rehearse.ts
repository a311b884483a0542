import type { Work } from './group-commit.ts'

/** Ends a transaction that has done its work. */
class RollBack extends Error {}

/** Runs the work in a transaction and rolls it back. Other errors are those of the transaction. */
export async function rehearsed<T>(transaction: (work: Work<T>) => Promise<T>, work: Work<T>): Promise<T> {
  const done: T[] = []
  try {
    return await transaction(async (inside) => {
      done[0] = await work(inside)
      throw new RollBack()
    })
  } catch (error) {
    const [value] = done
    if (!(error instanceof RollBack) || value === undefined) throw error
    return value
  }
}
