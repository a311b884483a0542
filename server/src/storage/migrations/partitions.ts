import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/**
 * The tables that grow with the records of a workspace, and the column of the workspace, which is the first one of
 * every key. With partitions, PostgreSQL stores each as so many tables, by a hash of the workspace (decision 38).
 */
const largeTables: Readonly<Record<string, string>> = {
  records: 'workspace',
  field_values: 'workspace',
  search_texts: 'workspace',
  links: 'workspace_id',
  external_ids: 'workspace_id',
  audit_log: 'workspace_id',
  change_values: 'workspace_id',
  changes: 'workspace_id',
  comments: 'workspace_id',
  files: 'workspace_id',
}

/**
 * A statement of a migration, where it creates a large table with the partitions of that table. Only the partitions
 * have its settings (`with (…)`), because only they have rows.
 */
export function inPartitions(statement: string, partitions: number): string[] {
  const [, table = ''] = /^create table (\w+)/.exec(statement) ?? []
  const column = largeTables[table]
  if (partitions === 0 || column === undefined) return [statement]
  const [, whole = '', settings = ''] = /^(.*?)(with \([^()]*\))?\s*$/s.exec(statement) ?? []
  const parts = Array.from({ length: partitions }, (_, part) => {
    const rows = `for values with (modulus ${partitions}, remainder ${part})`
    return `create table ${table}_${part} partition of ${table} ${rows} ${settings}`
  })
  return [`${whole} partition by hash (${column})`, ...parts]
}

/** How many partitions the large tables of a PostgreSQL database have, 0 if they are plain tables. */
export function countPartitions(db: Db): Promise<number> {
  return sql`select count(*) from pg_inherits i join pg_class c on c.oid = i.inhparent
    where c.relname = 'records' and c.relnamespace = current_schema()::regnamespace`.count(db)
}
