import { stampColumns, type stamps } from '@kith/contract/declare'
import { duplicateKey } from '@kith/contract/duplicate-key'
import { targetOf } from '@kith/contract/field-types/reference'
import { boundedKey, fold } from '@kith/contract/fold'
import { OWN_FROM, type RelatedType, type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import type { Db, Engine, Reader, RecordTenant, Tenant } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql, syntaxOf } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'
import { lockRows } from './links.ts'
import { columnOf, isOf } from './numbers.ts'

/** A record as it is shown: references to deleted records and former members are null. */
export type RecordRow = Own & { id: string } & { [column in 'name' | 'title']?: string } & {
  [column in ReferenceColumn]?: string | null
} & {
  /** The ids in its reference fields that are no live records. Only of resources with such fields. */
  gone?: string | null
}

/** Stands for the id of the workspace in the text of columns. */
const WORKSPACE_ID = '$workspace'

/** The columns of all records whose content is clear from their names. */
type Own = { creator_id: string | null; custom_fields: string } & { [column in keyof typeof stamps]: string }

const ownColumns: readonly (keyof Own)[] = ['creator_id', ...stampColumns, 'custom_fields']

type ReferenceColumn = 'account_owner_id' | 'company_id' | 'contact_id' | 'owner_id'

/**
 * A row of a list. The custom fields of a large record are left out: `records/complete-rows.ts` loads them in parts.
 */
export type LightRow = Omit<RecordRow, 'custom_fields'> & { custom_fields: string | null; custom_bytes: number }

/** With the version of the workspace's field definitions at the moment at which the row was read. */
export type WithFields<Row> = Row & { fields_version: number }

/** A record with its number and its stored references, to be changed. */
export type StoredRecord = NumberedRecord & { stored: Readonly<Record<string, string | null>> }

export type NumberedRecord = RecordRow & { number: number }

/** The columns of a `RecordRow`, for the table alias `r0`. */
export const shownColumns = columnsOfEach((resource) => columnsWith(resource, idIfThere))

function columnsWith(
  resource: Resource,
  shown: (resource: Resource, to: RelatedType, column: string) => string,
): string {
  const references = Object.entries(resource.references).map(([column, { to }]) => {
    return `${shown(resource, to, column)} as ${column}`
  })
  const own = ownColumns.map((column) => `r0.${column}`)
  return ['r0.id', `r0.name as ${resource.label}`, ...references, ...own].join(', ')
}

/** Custom fields up to this size are read together with their row. */
const LIGHT_BYTES = 16 * 1024

/** The columns of a `LightRow`. Neither database reads a large text only to tell its length. */
export const lightColumns = columnsOfEach((resource) => lightened(columnsWith(resource, idIfThere)))

/** The columns of a list: those of a `LightRow` and the version of the fields. */
export function listedColumns(scope: RecordTenant, resource: Resource): Sql<unknown> {
  return sql`${lightColumns(scope, resource)}, ${fieldsVersionColumn(scope)}`
}

/** The columns of the sync form, which still refers to members who have left. */
export const syncColumns = columnsOfEach((resource) =>
  lightened(
    columnsWith(resource, (_, to, column) => (to === 'users' ? `r0.${column}` : idIfThere(resource, to, column))),
  ),
)

function lightened(columns: string): string {
  const bytes = 'octet_length(r0.custom_fields)'
  const light = `case when ${bytes} <= ${LIGHT_BYTES} then r0.custom_fields end as custom_fields, ${bytes} as custom_bytes`
  return columns.replace('r0.custom_fields', light)
}

/**
 * The member or live record that a column of `r0` refers to. A subselect of the value: PostgreSQL may answer `exists`
 * with a hash of the whole table. The owner of an own record stays, also after having left.
 */
function idIfThere({ schema, number }: Resource, to: RelatedType, column: string): string {
  if (to === 'users' && number >= OWN_FROM) return `r0.${column}`
  return to === 'users'
    ? `(select m.user_id from members m where m.workspace_id = ${WORKSPACE_ID} and m.user_id = r0.${column})`
    : `(select x.id from records x where x.workspace = r0.workspace and x.resource = ${resourceIn(schema, to).number}
        and x.id = r0.${column} and x.deleted_at is null)`
}

/** The texts of a resource's columns are made once. */
function columnsOfEach(textOf: (resource: Resource) => string): (scope: Tenant, resource: Resource) => Sql<unknown> {
  const partsOf = eachResource((resource) => textOf(resource).split(WORKSPACE_ID))
  return ({ workspace }, resource) => {
    const parts = partsOf(resource)
    const columns = sql(parts, ...parts.slice(1).map(() => workspace.id))
    return resource.fields.references.length === 0 ? columns : sql`${columns}, ${goneColumn(resource)} as gone`
  }
}

/** The ids in the reference fields of `r0` that are no live records of their targets. */
export function goneColumn({ fields, schema }: Resource): Sql<unknown> {
  if (fields.references.length === 0) return sql`null`
  const numbers = fields.references.map((field) => sql.lit(field.number))
  const targets = fields.references.map((field) => {
    return sql`when ${sql.lit(field.number)} then ${sql.lit(schema.get(targetOf(field))?.number ?? 0)}`
  })
  return sql`(select string_agg(v.match_key, ' ') from field_values v
    where v.workspace = r0.workspace and v.record = r0.number and v.field in (${sql.join(numbers)})
    and (select x.id from records x where x.workspace = v.workspace
      and x.resource = case v.field ${sql.join(targets, sql` `)} end
      and x.id = v.match_key and x.deleted_at is null) is null)`
}

/** The version of the field definitions as a column, so that it is read at the same moment as the rows. */
function fieldsVersionColumn({ workspace }: RecordTenant): Sql<unknown> {
  return sql`(select w.fields_version from workspaces w where w.number = ${workspace.number}) as fields_version`
}

export function findRecord(
  scope: RecordTenant,
  resource: Resource,
  id: string,
): Promise<WithFields<RecordRow> | undefined> {
  return sql<
    WithFields<RecordRow>
  >`select ${shownColumns(scope, resource)}, ${fieldsVersionColumn(scope)} from records r0
    where ${isOf(scope, resource.type, 'r0')} and r0.id = ${id} and r0.deleted_at is null`.one(scope.db)
}

export type ForChange = NumberedRecord & { [stored: `stored_${string}`]: string | null }

export const columnsForChange = columnsOfEach((resource) => {
  const stored = Object.keys(resource.references).map((column) => `, r0.${column} as stored_${column}`)
  return `r0.number, ${columnsWith(resource, idIfThere)}${stored.join('')}`
})

/** Live records with their stored references, locked: other transactions wait before they change them. */
export async function findForChange(
  inside: RecordTenant,
  resource: Resource,
  ids: readonly string[],
): Promise<Map<string, StoredRecord>> {
  await lockRows(inside, [{ of: resource.number, ids, mode: 'change' }])
  return new Map((await loadStored(inside, resource, ids)).map((row) => [row.id, row]))
}

/** Several live records with their stored references, in the order of their ids. */
export async function loadStored(
  scope: RecordTenant,
  resource: Resource,
  ids: readonly string[],
): Promise<StoredRecord[]> {
  const rows = await sql<ForChange>`select ${columnsForChange(scope, resource)} from records r0
    where ${isOf(scope, resource.type, 'r0')} and r0.id ${sql.among(ids)} and r0.deleted_at is null
    order by r0.id`.all(scope.db)
  return rows.map((row) => storedRecord(resource, row))
}

export function storedRecord(resource: Resource, row: ForChange): StoredRecord {
  const stored = Object.keys(resource.references).map((column) => [column, row[`stored_${column}`] ?? null])
  return { ...row, stored: Object.fromEntries(stored) }
}

export async function insertRecords(
  inside: RecordTenant,
  resource: Resource,
  records: readonly NumberedRecord[],
): Promise<void> {
  const { into, shown } = insertOf(resource)
  const rows = records.map((record) => {
    const { name_key, duplicate_key } = keysOfName(resource, record[resource.label] ?? '')
    const row: unknown[] = [record.number, inside.workspace.number, resource.number, name_key, duplicate_key]
    for (const column of shown) row.push(record[column] ?? null)
    return row
  })
  await inside.engine.insertRows(inside.db, into, rows)
}

const rowNumbers = ['number', 'workspace', 'resource']
const keys = ['name_key', 'duplicate_key']

const insertOf = eachResource((resource) => {
  // The registry's references are columns of the row.
  const references = Object.keys(resource.references) as ReferenceColumn[]
  const shown: readonly (keyof RecordRow)[] = ['id', resource.label, ...references, ...ownColumns]
  return {
    into: { table: 'records', columns: columnsOf([...rowNumbers, ...keys, ...shown.map(columnOf)], rowNumbers) },
    shown,
  }
})

/**
 * The folded name by which records sort and are found, and the key by which likely duplicates are found. Titles are
 * often the same and have none.
 */
export function keysOfName({ label }: Resource, text: string): { name_key: string; duplicate_key: string } {
  return { name_key: boundedKey(fold(text)), duplicate_key: label === 'name' ? duplicateKey(text) : '' }
}

/** New values of a record's columns. */
export type RowChanges = Readonly<Record<string, string | null>>

/** Updates records. Those that change in the same columns share a statement. */
export async function updateRecords(
  inside: RecordTenant,
  resource: Resource,
  changed: readonly { number: number; changes: RowChanges }[],
): Promise<void> {
  const rows = changed.map(({ number, changes }) => {
    const label = changes[resource.label]
    return { number, changes: { ...changes, ...(typeof label === 'string' ? keysOfName(resource, label) : {}) } }
  })
  for (const some of Map.groupBy(rows, ({ changes }) => Object.keys(changes).join(' ')).values()) {
    const names = Object.keys(some[0]?.changes ?? {})
    const into = { workspace: inside.workspace.number, columns: names.map(columnOf) }
    const values = some.map(({ number, changes }: { number: number; changes: RowChanges }) => [
      number,
      ...names.map((name) => changes[name] ?? null),
    ])
    await inside.engine.updateRecords(inside.db, into, values)
  }
}

/** Marks live records as deleted by the actor. Returns those that were live. */
export function markDeleted(
  inside: Reader,
  { type }: Resource,
  { ids, at }: { ids: readonly string[]; at: string },
): Promise<{ id: string; number: number; name: string; updated_at: string }[]> {
  return sql<{ id: string; number: number; name: string; updated_at: string }>`
    update records set deleted_at = ${at}, deleted_by = ${inside.actor.user_id}
    where ${isOf(inside, type, 'records')} and id ${sql.among(ids)} and deleted_at is null
    returning id, number, name, updated_at`.all(inside.db)
}

/** Gives deleted records another time of their deletion. */
export async function replaceDeletedAt(
  inside: RecordTenant,
  { type }: Resource,
  { ids, at }: { ids: readonly string[]; at: string },
): Promise<void> {
  await sql`update records set deleted_at = ${at}
    where ${isOf(inside, type, 'records')} and id ${sql.among(ids)} and deleted_at is not null`.run(inside.db)
}

/** Caches the result of a function for each resource. All own resources have the same columns. */
function eachResource<T>(make: (resource: Resource) => T): (resource: Resource) => T {
  const made = new Map<string, T>()
  return (resource) =>
    made.getOrInsertComputed(resource.number < OWN_FROM ? resource.type : 'own', () => make(resource))
}

/** Records were written: adds to the number of live records and increments the version of the resource. */
export async function addToCounts(
  { engine, db, workspace }: Tenant,
  resource: ResourceName,
  live: number,
  slot = engine.countSlot(),
) {
  if (db.count) return db.count({ workspaceId: workspace.id, resource, slot, live })
  await sql`insert into record_counts (workspace_id, resource, slot, live, version)
    values (${workspace.id}, ${resource}, ${slot}, ${live}, 1)
    on conflict (workspace_id, resource, slot)
    do update set live = record_counts.live + excluded.live, version = record_counts.version + 1`.run(db)
}

/** After a restore: the version of the workspace must not be one that it had before. The time is greater. */
export async function raiseVersion({ db, workspace }: Tenant, now: Date): Promise<void> {
  await sql`insert into record_counts (workspace_id, resource, slot, live, version)
    values (${workspace.id}, 'users', 0, 0, ${now.getTime()})
    on conflict (workspace_id, resource, slot) do update set version = excluded.version`.run(db)
}

/** How many live records of a resource there are. The number is stored, not counted. */
export function loadLiveCount(scope: Tenant, resource: ResourceName): Promise<number> {
  return sql`select ${liveCount(scope, resource)} as live`.count(scope.db)
}

/** How many live records of a resource there are, as a part of another statement. */
export function liveCount({ workspace }: Tenant, resource: ResourceName): Sql<unknown> {
  return sql`(select coalesce(sum(live), 0) from record_counts
    where workspace_id = ${workspace.id} and resource = ${resource})`
}

/** The versions of a workspace's records and field definitions, to compare a replica with the primary. */
type Knowledge = { records: number; fields: number }

export async function loadKnowledge(db: Db, workspaceId: string): Promise<Knowledge> {
  const row = await sql<Knowledge>`
    select coalesce((select sum(version) from record_counts where workspace_id = w.id), 0) as records,
      w.fields_version as fields
    from workspaces w where w.id = ${workspaceId}`.one(db)
  return row ?? { records: 0, fields: 0 }
}

/** How many records there are, including deleted ones. Reads all of them. */
export function countRows(scope: RecordTenant, resource: ResourceName): Promise<number> {
  return sql`select count(*) as n from records r where ${isOf(scope, resource, 'r')}`.count(scope.db)
}

/** The versions of all resources that were ever written, and of the field definitions under `fields`. */
export async function loadVersions({ db, workspace }: Tenant): Promise<Record<string, number>> {
  const rows = await sql<{ name: string; version: number }>`
    select resource as name, sum(version) as version from record_counts
    where workspace_id = ${workspace.id} group by resource
    union all select 'fields' as name, fields_version as version from workspaces where id = ${workspace.id}`.all(db)
  return Object.fromEntries(rows.map(({ name, version }) => [name, version]))
}

/** The stored number of live records of each resource. */
export async function loadLiveCounts({ db, workspace, schema }: RecordTenant): Promise<Record<ResourceName, number>> {
  const rows = await sql<{ resource: string; live: number }>`select resource, sum(live) as live from record_counts
    where workspace_id = ${workspace.id} group by resource`.all(db)
  const live = new Map(rows.map((row) => [row.resource, row.live]))
  return Object.fromEntries([...schema.keys()].map((name) => [name, live.get(name) ?? 0]))
}

/**
 * The start of a scan along keys that may change. Every move of a record that the scan's first page did not see has
 * this clock or a later one, or belongs to a transaction in `open`. No other record was changed after `newest`.
 */
export type ScanStart = { clock: number; open: readonly number[]; newest: string }

export async function loadStart(scope: RecordTenant, resource: ResourceName): Promise<ScanStart> {
  const { clock } = syntaxOf(scope.db.session)
  const row = await sql<Omit<ScanStart, 'open'> & { open: number[] | null }>`
    select ${sql.raw(clock.now)} as clock, ${sql.raw(clock.open)} as open, coalesce((
      select r.updated_at from records r where ${isOf(scope, resource, 'r')} and r.deleted_at is null
      order by r.updated_at desc limit 1), '') as newest`.one(scope.db)
  if (!row) throw new Error('The start of a scan was not read.')
  return { ...row, open: row.open ?? [] }
}

/** Whether a row of `key_moves` under an alias came after the start of a scan. */
export function isSince(scope: Tenant, alias: string, { clock, open }: ScanStart): Sql<SqlBool> {
  const column = sql.ref(`${alias}.${syntaxOf(scope.db.session).clock.column}`)
  const [oldest] = open
  if (oldest === undefined) return sql`${column} >= ${clock}`
  return sql`(${column} >= ${oldest} and (${column} >= ${clock} or ${column} = any (${open}::bigint[])))`
}

const MOVES_MAX = 5000

/** Deletes the moves before a time, in all workspaces. */
export async function deleteExpiredMoves(engine: Engine, before: string): Promise<void> {
  if (engine.concurrentWrites) {
    await sql`delete from key_moves where moved_at < ${before}`.run(engine.single)
    return
  }
  const old = await sql`select 1 as old from (select moved_at from key_moves order by seq limit 1)
    where moved_at < ${before}`.one(engine.db)
  if (!old) return
  // In batches from the oldest on, so that no writer waits long.
  const some = sql`delete from key_moves where seq in (
    select seq from (select seq, moved_at from key_moves order by seq limit ${sql.lit(MOVES_MAX)})
    where moved_at < ${before})`
  while ((await some.run(engine.single)) === MOVES_MAX);
}
