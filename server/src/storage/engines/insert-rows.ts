import type { Db, InsertTarget, Rows } from './engine.ts'

type LateRows = {
  append: NonNullable<Db['append']>
  /** Inserts what was appended, table by table. */
  insertAll(insert: (into: InsertTarget, rows: Rows) => Promise<void>): Promise<void>
}

/** The rows that a transaction inserts at its end. */
export function lateRows(): LateRows {
  const appended = new Map<InsertTarget, (readonly unknown[])[]>()
  return {
    append(into, rows) {
      const all = appended.getOrInsertComputed(into, () => [])
      for (const row of rows) all.push(row)
    },
    async insertAll(insert) {
      for (const [into, rows] of appended) await insert(into, rows)
    },
  }
}

type TextOf = (into: InsertTarget, rows: number) => string

/** Makes the text of a statement that inserts so many rows only once: it takes longer than a small insert itself. */
export function keptTexts(make: TextOf): TextOf {
  const kept = new WeakMap<InsertTarget, Map<number, string>>()
  return (into, rows) => {
    const texts = kept.getOrInsertComputed(into, () => new Map())
    return texts.getOrInsertComputed(rows, () => make(into, rows))
  }
}
