import type { ResourceRow } from '@kith/contract/resource'
import type { Db, Engine, NumberedTenant, Tenant } from '../engines/engine.ts'
import { documentField, labelField } from '../engines/search-fields.ts'
import { sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'
import { raiseFieldsVersion } from './custom-fields.ts'

const numbers = ['number', 'position'] as const
const texts = [
  'workspace_id',
  'code',
  'singular_code',
  'name',
  'singular',
  'description',
  'icon',
  'color',
  'created_at',
  'updated_at',
  'archived_at',
  'since',
] as const
const names = [...numbers, ...texts]
const into = { table: 'resources', columns: columnsOf(names, numbers) }
const shown = sql.raw(
  names
    .filter((name) => name !== 'workspace_id')
    .map((name) => `r.${name}`)
    .join(', '),
)

/**
 * The resources that a workspace has made or renamed and not deleted, in their order; when the workspace was created,
 * the highest number that it has used, and the version of its definitions.
 */
export async function loadResources(
  scope: Tenant,
): Promise<{ version: number | undefined; created_at: string | undefined; lastNumber: number; rows: ResourceRow[] }> {
  type Columns = { [column in keyof ResourceRow]: ResourceRow[column] | null }
  const found = await sql<Columns & { version: number; since_workspace: string; last_number: number }>`
    select w.fields_version as version, w.created_at as since_workspace,
      (select coalesce(max(x.number), 0) from resources x where x.workspace_id = w.id) as last_number, ${shown}
    from workspaces w
    left join resources r on r.workspace_id = w.id and r.deleted_at is null
    where w.id = ${scope.workspace.id} order by r.position, r.number`.all(scope.db)
  const [first] = found
  const rows = found.flatMap(({ version: _, since_workspace: _since, last_number: _last, ...row }) =>
    // All columns of a row are there, or none.
    row.code === null ? [] : [row as ResourceRow],
  )
  return { version: first?.version, created_at: first?.since_workspace, lastNumber: first?.last_number ?? 0, rows }
}

/** Whether an earlier resource, which is deleted, had this code. */
export function wasUsed(inside: Tenant, code: string): Promise<boolean> {
  return sql`select 1 from resources
    where workspace_id = ${inside.workspace.id} and code = ${code} and deleted_at is not null`.exists(inside.db)
}

/*
 * Each of the following is one change of the schema, and the only one in its transaction: it adds one to the version.
 */

export async function insertResource(inside: Tenant, row: ResourceRow): Promise<void> {
  const values = { ...row, workspace_id: inside.workspace.id }
  await inside.engine.insertRows(inside.db, into, [names.map((name) => values[name])])
  await raiseFieldsVersion(inside)
}

/** Writes what can change. A built-in resource has no row until it is renamed. */
export async function replaceResource(inside: Tenant, row: ResourceRow): Promise<void> {
  const { name, singular, description, icon, color, position, updated_at, archived_at } = row
  const changed = await sql`update resources
    set ${sql.set({ name, singular, description, icon, color, position, updated_at, archived_at })}
    where workspace_id = ${inside.workspace.id} and number = ${row.number}`.run(inside.db)
  if (changed === 0) return insertResource(inside, row)
  await raiseFieldsVersion(inside)
}

/** Puts own resources in an order. */
export async function replaceResourceOrder(inside: Tenant, rows: readonly ResourceRow[]): Promise<void> {
  for (const { number, position, updated_at } of rows) {
    await sql`update resources set position = ${position}, updated_at = ${updated_at}
      where workspace_id = ${inside.workspace.id} and number = ${number}`.run(inside.db)
  }
  await raiseFieldsVersion(inside)
}

/**
 * Marks a resource as deleted, with its fields. What refers to it by its code goes at once, because another resource
 * may get the code; its records go in the background. The row stays, so that its number is not used again.
 */
export async function markResourceDeleted(inside: Tenant, { number, code }: ResourceRow, at: string): Promise<void> {
  const { id } = inside.workspace
  await sql`update resources set deleted_at = ${at} where workspace_id = ${id} and number = ${number}`.run(inside.db)
  await sql`update custom_fields set deleted_at = ${at}, unsettled = null
    where workspace_id = ${id} and entity_type = ${code} and deleted_at is null`.run(inside.db)
  for (const table of ['record_counts', 'views', 'merges']) {
    await sql`delete from ${sql.table(table)} where workspace_id = ${id} and resource = ${code}`.run(inside.db)
  }
  await raiseFieldsVersion(inside)
}

/** The deleted resources of all workspaces that may still have rows. */
export async function findDeletedResources(
  db: Db,
): Promise<{ workspace: NumberedTenant['workspace']; number: number }[]> {
  const rows = await sql<{ id: string; workspace: number; number: number }>`
    select w.id, w.number as workspace, r.number from resources r join workspaces w on w.id = r.workspace_id
    where r.deleted_at is not null and r.purged_at is null order by r.workspace_id, r.number`.all(db)
  return rows.map(({ id, workspace, number }) => ({ workspace: { id, number: workspace }, number }))
}

/**
 * Deletes the rest of a deleted resource once its records are gone: search fields, files of imports, and what merges
 * moved.
 */
export async function closeResource(
  { single, search }: Engine,
  workspace: NumberedTenant['workspace'],
  number: number,
): Promise<void> {
  const { id } = workspace
  for (const field of [labelField({ number }), documentField({ number })]) {
    await search.removeField(single, workspace.number, field)
  }
  await sql`delete from job_files where workspace_id = ${id} and file_id in (
    select j.file_id from jobs j join resources r on r.workspace_id = j.workspace_id and r.code = j.resource
    where j.workspace_id = ${id} and r.number = ${number} and j.created_at <= r.deleted_at)`.run(single)
  for (const table of ['merge_moves', 'merge_losers']) {
    await sql`delete from ${sql.table(table)} where workspace_id = ${id}
      and merge_id not in (select m.id from merges m where m.workspace_id = ${id})`.run(single)
  }
  await sql`update resources set purged_at = deleted_at
    where workspace_id = ${id} and number = ${number}`.run(single)
}
