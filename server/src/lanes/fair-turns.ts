/** Lets each name have so many at once, and the others of that name wait in their order: who asks for much waits for itself. */
export function fairTurns(most: number): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const rows = new Map<string, { running: number; waiting: (() => void)[] }>()
  return async (name, work) => {
    const row = rows.get(name) ?? { running: 0, waiting: [] }
    rows.set(name, row)
    if (row.running >= most) await new Promise<void>((turn) => row.waiting.push(turn))
    else row.running++
    try {
      return await work()
    } finally {
      const next = row.waiting.shift()
      // Whoever comes next takes over the place.
      if (next) next()
      else if (--row.running === 0) rows.delete(name)
    }
  }
}
