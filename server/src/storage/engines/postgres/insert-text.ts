import type { Column } from '../stored-table.ts'

type Make = (table: string, columns: readonly Column[], rows: number) => string

/** Makes the text of a statement that inserts so many rows, once for as long as there is this list of columns. */
export function keptInsertText(make: Make): Make {
  const kept = new WeakMap<readonly Column[], Map<string, string>>()
  return (table, columns, rows) => {
    let texts = kept.get(columns)
    if (!texts) {
      texts = new Map()
      kept.set(columns, texts)
    }
    const key = `${table} ${rows}`
    let text = texts.get(key)
    if (text === undefined) {
      text = make(table, columns, rows)
      texts.set(key, text)
    }
    return text
  }
}
