import { abilities } from '@kith/contract/abilities'
import { reindexWorkspace } from '../records/reindex.ts'
import { type Runtime, type Scope, scopeFor, type WorkspaceFacts } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import type { StoredTable } from '../storage/engines/stored-table.ts'
import { migrations } from '../storage/migrations/all.ts'
import { applyMigrations, loadApplied } from '../storage/migrations/migrate.ts'
import { clearTables, findFilled } from '../storage/tables/clear-tables.ts'
import { loadWorkspaces } from '../storage/tables/workspaces.ts'
import type { BackupHead, RowCounts, TableHead } from './backup-file.ts'
import { type BackupLine, readBackup, refuseFile } from './read-backup.ts'

export type Restored = { made_at: string; tables: RowCounts; rows: number; records: number }

/**
 * Puts a backup into an empty database, or with `replace` in the place of all that is there, in one transaction. A backup of
 * an older version is loaded as it was and brought to this one. What is derived from the records is derived anew.
 */
export async function restoreBackup(
  runtime: Runtime,
  path: string,
  { replace }: { replace: boolean },
): Promise<Restored> {
  const { engine } = runtime
  const restored = await engine.transaction(async (inside) => {
    await engine.lock(inside, ['kith migrations'])
    const lines = readBackup(path)
    const head = await headOf(lines)
    refuseNewerBackup(path, head)
    const tables = await makeRoom(runtime, inside, head, replace)
    const counts = await loadRows(runtime, inside, lines, tables)
    await applyMigrations(engine, inside, runtime.now())
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { made_at: head.made_at, tables: counts, rows, records: await deriveAll(runtime, inside) }
  })
  await engine.analyze()
  return restored
}

async function headOf(lines: AsyncGenerator<BackupLine>): Promise<BackupHead> {
  const { value } = await lines.next()
  if (value && 'head' in value) return value.head
  throw new Error('A backup was read that does not begin with its head.')
}

function refuseNewerBackup(path: string, head: BackupHead): void {
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = head.migrations.filter((name) => !known.has(name))
  if (unknown.length === 0) return
  refuseFile(
    `${path} was made by a newer version of Kith (it has ${unknown.join(', ')}). Restore it with that version.`,
  )
}

/** The tables as they were when the backup was made, without a row. */
async function makeRoom(runtime: Runtime, inside: Db, head: BackupHead, replace: boolean): Promise<StoredTable[]> {
  const { engine } = runtime
  const before = await engine.loadTables(inside)
  if (before.length > 0) {
    const filled = await findFilled(inside, before)
    if (filled !== undefined && !replace) {
      refuseFile('The database is not empty. Restore into an empty one, or say --replace to lose all that is in it.')
    }
    const ahead = [...(await loadApplied(inside))].filter((name) => !head.migrations.includes(name))
    if (ahead.length > 0) {
      refuseFile(
        `The database is ahead of the backup (it has ${ahead.join(', ')}). Restore into a new database: the backup is then brought to this version.`,
      )
    }
  }
  await applyMigrations(engine, inside, runtime.now(), new Set(head.migrations))
  const tables = await engine.loadTables(inside)
  await clearTables(engine, inside, tables)
  return tables
}

const ROWS_TOGETHER = 500
const CHARACTERS_TOGETHER = 4 * 1024 * 1024

async function loadRows(
  { engine }: Runtime,
  inside: Db,
  lines: AsyncGenerator<BackupLine>,
  tables: readonly StoredTable[],
): Promise<RowCounts> {
  const counts = new Map<string, number>()
  let into: Pick<StoredTable, 'name' | 'columns'> | undefined
  let waiting: (readonly unknown[])[] = []
  let size = 0
  const flush = async () => {
    if (into && waiting.length > 0) await engine.insertRows(inside, `"${into.name}"`, into.columns, waiting)
    waiting = []
    size = 0
  }
  for await (const line of lines) {
    if ('row' in line) {
      if (!into) throw new Error('A backup holds a row that belongs to no table.')
      counts.set(into.name, (counts.get(into.name) ?? 0) + 1)
      waiting.push(line.row)
      for (const value of line.row) size += typeof value === 'string' ? value.length : 8
      if (waiting.length >= ROWS_TOGETHER || size >= CHARACTERS_TOGETHER) await flush()
    } else {
      await flush()
      if ('table' in line) {
        into = targetOf(line.table, tables)
        counts.set(into.name, 0)
      }
    }
  }
  return Object.fromEntries(counts)
}

function targetOf(
  { table, columns }: TableHead,
  tables: readonly StoredTable[],
): Pick<StoredTable, 'name' | 'columns'> {
  const found = tables.find((one) => one.name === table)
  if (!found) return refuseFile(`The backup holds a table ${table}, which its version of Kith does not have.`)
  const byName = new Map(found.columns.map((column) => [column.name, column]))
  return {
    name: table,
    columns: columns.map(
      (name) => byName.get(name) ?? refuseFile(`The backup holds an unknown column ${table}.${name}.`),
    ),
  }
}

/** Makes the index over the values, the search texts and the counts of every workspace. Returns the number of live records. */
async function deriveAll(runtime: Runtime, inside: Db): Promise<number> {
  let records = 0
  for (const workspace of await loadWorkspaces(inside))
    records += await reindexWorkspace(insideOf(runtime, inside, workspace))
  return records
}

function insideOf(runtime: Runtime, inside: Db, { id, slug, name, fields_version }: WorkspaceFacts): Scope {
  const actor = { user_id: '', role: 'owner', abilities, token_id: null, source: 'import' } as const
  return {
    ...scopeFor(runtime, { workspace: { id, slug, name, fields_version }, actor }),
    db: inside,
    inside: 'transaction',
  }
}
