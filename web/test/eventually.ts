const PATIENCE_MS = 60_000
const PAUSE_MS = 100

/** Asks again until what is expected holds; what the page shows at once, the service knows a moment later. */
export async function eventually(expectation: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (true) {
    try {
      return await expectation()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}
