const ATTEMPTS = 8
const SHORTEST_MS = 10
const LONGEST_MS = 250

/** Retries work that fails for a temporary reason, a few times and after random pauses. */
export async function retrying<T>(isPassing: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) throw error
    }
    // Two transactions that met once would meet again if both waited equally long.
    const longest = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** attempt)
    await new Promise((resume) => setTimeout(resume, Math.random() * longest))
  }
}
