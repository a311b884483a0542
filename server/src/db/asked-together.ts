/** Asks once for all who wait: the question goes out when all of them have come, and as soon as the one before is answered. */
export function askedTogether<T>(ask: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined
  let before: Promise<unknown> = Promise.resolve()
  return () => {
    next ??= before.then(() => {
      next = undefined
      const asking = ask()
      // Those who come next wait for the end, however it is.
      before = asking.catch(() => {})
      return asking
    })
    return next
  }
}
