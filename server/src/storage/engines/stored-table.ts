/** A column of rows that are inserted in batches. A moment is ISO text, a flag is 0 or 1. */
export type Column = { name: string; type: 'text' | 'number' | 'moment' | 'flag' }

/** Columns of text, except for some of numbers. */
export function columnsOf(names: readonly string[], numbers: readonly string[] = []): Column[] {
  return names.map((name) => ({ name, type: numbers.includes(name) ? 'number' : 'text' }))
}

/** A table as the database itself describes it, for code that knows no table by name. */
export type StoredTable = {
  name: string
  columns: readonly Column[]
  /** The order in which its rows are read, so that two copies of the same rows are identical. */
  key: readonly string[]
  /** The tables that it references. */
  references: readonly string[]
}

/** Tables of workspace data that is derived from other tables or kept for a time only. No copy holds them. */
export const derivedTables: readonly string[] = [
  'field_values',
  'record_counts',
  'key_moves',
  'changes',
  'new_changes',
  'change_heads',
  'webhook_blocked',
  'deliveries',
]

/** Other tables that no copy holds. */
const internalTables = ['migrations', 'rate_windows', 'places', 'index_builds', 'search']

/** A table that is not listed here is copied and expired without further code. */
export function isCopied(table: string): boolean {
  const excluded = [...derivedTables, ...internalTables].includes(table)
  return !excluded && !table.startsWith('search_') && !table.startsWith('sqlite_')
}

/** Every table after those that it references; otherwise by name. */
export function inOrderOfReferences(tables: readonly StoredTable[]): StoredTable[] {
  const ordered = new Map<string, StoredTable>()
  const byName = new Map(tables.map((table) => [table.name, table]))
  const visit = (table: StoredTable, above: ReadonlySet<string>) => {
    if (ordered.has(table.name) || above.has(table.name)) return
    for (const name of [...table.references].sort()) {
      const named = byName.get(name)
      if (named) visit(named, new Set([...above, table.name]))
    }
    ordered.set(table.name, table)
  }
  for (const table of [...tables].sort((one, other) => (one.name < other.name ? -1 : 1))) visit(table, new Set())
  return [...ordered.values()]
}
