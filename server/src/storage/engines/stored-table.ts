/** A column of rows that are inserted many at a time. A moment comes as ISO text, a flag as 0 or 1. */
export type Column = { name: string; type: 'text' | 'number' | 'moment' | 'flag' }

/** A table as the database itself describes it, for copies that know no table by name. */
export type StoredTable = {
  name: string
  columns: readonly Column[]
  /** In which order its rows are read, so that two copies of the same rows are the same. */
  key: readonly string[]
  /** The tables whose rows its own rows name. */
  references: readonly string[]
}

/** What is derived from other tables, kept for a day at most, or told by the version: no copy holds it. */
const NOT_COPIED = new Set([
  'migrations',
  'field_values',
  'record_counts',
  'key_moves',
  'search_texts',
  'search',
  'rate_windows',
  'index_builds',
])

export function isCopied(table: string): boolean {
  return !NOT_COPIED.has(table) && !table.startsWith('search_') && !table.startsWith('sqlite_')
}

/** Every table after those whose rows it names; else by name. */
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
