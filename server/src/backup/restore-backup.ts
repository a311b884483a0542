import { abilities } from '@kith/contract/abilities'
import { newId } from '@kith/contract/id'
import type { ContentName, ContentStore } from '../contents/content-store.ts'
import { withSchema } from '../fields/definitions.ts'
import { reindexWorkspace } from '../records/reindex.ts'
import { type Runtime, type Tenancy, tenancyFor, type WorkspaceFacts } from '../scope/scope.ts'
import type { Db, Engine } from '../storage/engines/engine.ts'
import type { StoredTable } from '../storage/engines/stored-table.ts'
import { applyMigrations, foreignOrigin, loadApplied, migrations } from '../storage/migrations/migrate.ts'
import type { Migration } from '../storage/migrations/migration.ts'
import { restartFeeds } from '../storage/tables/changes.ts'
import { clearTables, findFilled } from '../storage/tables/expiry.ts'
import { raiseVersion } from '../storage/tables/records.ts'
import { loadWorkspaces } from '../storage/tables/workspaces.ts'
import { CONTENTS, type ContentCounts, readContents, storeContent } from './contents.ts'
import { type BackupHead, type BackupLine, type RowCounts, refuseFile, type TableHead } from './encryption.ts'
import { readBackup, refuseDamaged } from './read-backup.ts'

type RestoreReport = {
  made_at: string
  tables: RowCounts
  rows: number
  records: number
  without_files: boolean
} & ContentCounts

/**
 * Loads a backup into an empty database, or with `replace` into a database whose content it replaces, in one
 * transaction. A backup of an older version is loaded into its own schema and then migrated. Derived data is rebuilt.
 * `key` is the file with the private key. `migrations` are those of this version; tests add one.
 */
export async function restoreBackup(
  runtime: Runtime,
  path: string,
  options: {
    replace: boolean
    key?: string | undefined
    migrations?: readonly Migration[]
    /** Where the contents of files are stored, before the rows are committed. Not needed if the backup has none. */
    store?: ContentStore
  },
): Promise<RestoreReport> {
  const { engine } = runtime
  const all = options.migrations ?? migrations
  const restored = await engine.transaction(async (inside) => {
    await engine.lock(inside, ['kith migrations'])
    const lines = readBackup(path, options.key)
    const head = await headOf(lines)
    refuseForeignBackup(path, head, all)
    await refuseOccupied({ engine, inside }, head, options.replace)
    await applyMigrations(engine, inside, { now: runtime.now(), only: new Set(head.migrations), all })
    const tables = await engine.loadTables(inside)
    await clearTables(engine, inside, tables)
    const { store } = options
    const take = (name: ContentName, bytes: AsyncIterable<Buffer>) => {
      if (!store) throw new Error('The backup has files, and there is no place for them.')
      return storeContent(store, { name, bytes, now: runtime.now() })
    }
    const loaded = await loadRows({ engine, inside }, { lines, path, take }, tables)
    const { counts, ...contents } = loaded
    await engine.continueNumbers(inside)
    await applyMigrations(engine, inside, { now: runtime.now(), all })
    // Sequences continue from the current time, which is higher than any sequence of the lost data.
    await restartFeeds(inside, { epoch: newId(runtime.now().getTime()), at: runtime.now() })
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const records = await deriveAll(runtime, inside)
    const { made_at, without_files = false } = head
    return { made_at, tables: counts, rows, records, without_files, ...contents }
  })
  await engine.analyze()
  return restored
}

type Target = { engine: Engine; inside: Db }

async function headOf(lines: AsyncGenerator<BackupLine>): Promise<BackupHead> {
  const { value } = await lines.next()
  if (value && 'head' in value) return value.head
  throw new Error('A backup was read that does not begin with its head.')
}

function refuseForeignBackup(path: string, { migrations: names }: BackupHead, all: readonly Migration[]): void {
  const origin = foreignOrigin(names, all)
  if (origin) refuseFile(`${path} was made by ${origin.version}. Restore it with that version.`)
}

async function refuseOccupied({ engine, inside }: Target, head: BackupHead, replace: boolean): Promise<void> {
  const tables = await engine.loadTables(inside)
  if (tables.length === 0) return
  if (!replace && (await findFilled(inside, tables)) !== undefined) {
    refuseFile('The database is not empty. Restore into an empty one, or add --replace to delete everything in it.')
  }
  const ahead = [...(await loadApplied(inside))].filter((name) => !head.migrations.includes(name))
  if (ahead.length === 0) return
  refuseFile(
    `The database is ahead of the backup (it has ${ahead.join(', ')}). ` +
      'Restore into a new database: the backup is then brought to this version.',
  )
}

const BATCH_ROWS = 500
const BATCH_CHARACTERS = 4 * 1024 * 1024

type Lines = {
  lines: AsyncGenerator<BackupLine>
  path: string
  take(name: ContentName, bytes: AsyncIterable<Buffer>): Promise<boolean>
}

async function loadRows(
  { engine, inside }: Target,
  { lines, path, take }: Lines,
  tables: readonly StoredTable[],
): Promise<{ counts: RowCounts } & ContentCounts> {
  let contents: ContentCounts = { contents: 0, missing: 0 }
  const counts = new Map<string, number>()
  let into: Pick<StoredTable, 'name' | 'columns'> | undefined
  let waiting: (readonly unknown[])[] = []
  let size = 0
  const flush = async () => {
    if (into && waiting.length > 0)
      await engine.insertRows(inside, { table: `"${into.name}"`, columns: into.columns }, waiting)
    waiting = []
    size = 0
  }
  for await (const line of lines) {
    if ('row' in line) {
      if (!into) throw new Error('A backup holds a row that belongs to no table.')
      counts.set(into.name, (counts.get(into.name) ?? 0) + 1)
      waiting.push(line.row)
      for (const value of line.row) size += typeof value === 'string' ? value.length : 8
      if (waiting.length >= BATCH_ROWS || size >= BATCH_CHARACTERS) await flush()
    } else {
      await flush()
      if ('table' in line && line.table.table === CONTENTS.table) {
        contents = await readContents(lines, take, () => refuseDamaged(path))
      } else if ('table' in line) {
        into = targetOf(line.table, tables)
        counts.set(into.name, 0)
      }
    }
  }
  return { counts: Object.fromEntries(counts), ...contents }
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

/** Rebuilds the index over the values, the search texts and the counts. Returns the number of live records. */
async function deriveAll(runtime: Runtime, inside: Db): Promise<number> {
  let records = 0
  for (const workspace of await loadWorkspaces(inside)) {
    const scope = await withSchema(insideOf(runtime, inside, workspace))
    records += await reindexWorkspace(scope)
    await raiseVersion(scope, runtime.now())
  }
  return records
}

function insideOf(runtime: Runtime, inside: Db, { id, number, slug, name, fields_version }: WorkspaceFacts): Tenancy {
  const actor = { user_id: '', role: 'owner', abilities, token_id: null, source: 'import' } as const
  return {
    ...tenancyFor(runtime, { workspace: { id, number, slug, name, fields_version }, actor }),
    db: inside,
    inside: 'transaction',
  }
}
