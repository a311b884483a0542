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

/** Likewise for questions that differ by what they ask about: once for all who wait to know the same. */
export function askedTogetherAbout<T>(ask: (about: string) => Promise<T>): (about: string) => Promise<T> {
  const questions = new Map<string, { asked: () => Promise<T>; waiting: number }>()
  return async (about) => {
    const question = questions.get(about) ?? { asked: askedTogether(() => ask(about)), waiting: 0 }
    questions.set(about, question)
    question.waiting++
    try {
      return await question.asked()
    } finally {
      question.waiting--
      if (question.waiting === 0) questions.delete(about)
    }
  }
}
