import type { InsertTarget } from './engine.ts'

type TextOf = (into: InsertTarget, rows: number) => string

/** Makes the text of a statement that inserts so many rows only once: it takes longer than a small insert itself. */
export function keptTexts(make: TextOf): TextOf {
  const kept = new WeakMap<InsertTarget, Map<number, string>>()
  return (into, rows) => {
    const texts = kept.getOrInsertComputed(into, () => new Map())
    return texts.getOrInsertComputed(rows, () => make(into, rows))
  }
}
