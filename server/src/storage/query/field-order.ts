import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { type LightRow, lightColumns } from '../tables/records.ts'
import { compileAll, compileFilter } from './filter.ts'
import { lookedUp } from './look-up.ts'
import type { Memory } from './memory.ts'
import { sortsByNumber } from './order.ts'
import { existing, keptApart } from './tests.ts'

type FieldKey = SortKey & { by: 'field' }

/** A stretch of the list: the records of one value, of all values, or of none. */
type Stretch = { of: 'value'; key: string } | { of: 'values' } | { of: 'nothing' }

/** Of these there are few values and many records to each; of other types it is the other way round. */
const fewValued: ReadonlySet<string> = new Set(['checkbox', 'toggle', 'radio', 'toggle-buttons', 'select'])

type Wanted = { filter?: Condition; memory: Memory; limit: number; offset: number }

/**
 * Rows of a list in the order of one custom field, straight from the index of its values; where there is a filter, each is
 * probed on the way. The list is laid out in stretches, and a page reads from one or two of them. How long a stretch is
 * matters only to whoever looks for what is behind it, and is then remembered until the next write.
 */
export async function loadFieldOrder(
  scope: Scope,
  resource: Resource,
  key: FieldKey,
  { filter, memory, limit, offset }: Wanted,
): Promise<LightRow[]> {
  memory.sizes ??= new Map()
  const rows: LightRow[] = []
  let skipped = offset
  for (const stretch of stretchesOf(key)) {
    const name = `${key.field.id} ${stretch.of} ${stretch.of === 'value' ? stretch.key : ''}`
    const known = memory.sizes.get(name)
    if (known !== undefined && known <= skipped) {
      skipped -= known
      continue
    }
    const part = { filter, limit: limit - rows.length, offset: skipped }
    const found = await loadStretch(scope, resource, key, stretch, part)
    rows.push(...found)
    if (rows.length === limit || stretch.of === 'nothing') break
    const size = found.length > 0 ? skipped + found.length : await countStretch(scope, resource, key, stretch, filter)
    memory.sizes.set(name, size)
    skipped = found.length > 0 ? 0 : skipped - size
  }
  return rows
}

/** Records without a value come last in both directions. */
function stretchesOf(key: FieldKey): Stretch[] {
  if (!fewValued.has(key.field.type)) return [{ of: 'values' }, { of: 'nothing' }]
  const values = valuesInOrder(key).map((value): Stretch => ({ of: 'value', key: value }))
  return [...(key.descending ? values.reverse() : values), { of: 'nothing' }]
}

function valuesInOrder({ field }: FieldKey): string[] {
  if (field.type === 'checkbox' || field.type === 'toggle') return ['false', 'true']
  return field.options.map((option) => option.id)
}

async function countStretch(
  scope: Scope,
  resource: Resource,
  key: FieldKey,
  stretch: Stretch,
  filter: Condition | undefined,
): Promise<number> {
  const among = stretch.of === 'value' ? sql`v.match_key = ${stretch.key}` : sql`${keyColumn(key)} is not null`
  const query = sql<{ size: number }>`select count(*) as size ${valuesOf(scope, resource, key, filter)} and ${among}`
  const { rows } = await query.execute(scope.db)
  return rows[0]?.size ?? 0
}

/** `from … where …` of the values of the field, of the records that meet the filter. */
function valuesOf(
  scope: Scope,
  resource: Resource,
  { field }: FieldKey,
  filter: Condition | undefined,
): RawBuilder<unknown> {
  const workspace = scope.workspace.id
  const ours = sql`v.workspace_id = ${workspace} and v.field_id = ${field.id}`
  if (!filter) return sql`from field_values v where ${ours}`
  const records = lookedUp(scope, {
    each: sql`field_values v`,
    table: resource.type,
    alias: 'r0',
    where: sql`r0.workspace_id = ${workspace} and r0.id = v.record_id and r0.deleted_at is null`,
  })
  return sql`${records} and ${ours} and ${compileAll(scope, [filter])}`
}

function keyColumn({ field }: FieldKey): RawBuilder<unknown> {
  return sortsByNumber(field.type) ? sql`v.number_key` : sql`v.match_key`
}

async function loadStretch(
  scope: Scope,
  resource: Resource,
  key: FieldKey,
  stretch: Stretch,
  { filter, limit, offset }: { filter?: Condition; limit: number; offset: number },
): Promise<LightRow[]> {
  const part = sql`limit ${limit} offset ${offset}`
  const ids = stretchIds(scope, resource, key, stretch, filter)
  const query = sql<LightRow>`
    select ${sql.raw(lightColumns(resource))} ${lookedUp(scope, {
      each: sql`(${ids} ${part}) p`,
      table: resource.type,
      alias: 'r0',
      where: sql`r0.workspace_id = ${scope.workspace.id} and r0.id = p.record_id`,
    })} order by ${stretch.of === 'values' && key.descending ? sql`p.sort_key desc` : sql`p.sort_key`}, r0.id`
  return (await query.execute(scope.db)).rows
}

/** Selects `record_id` and `sort_key` of a stretch in its order. */
function stretchIds(
  scope: Scope,
  resource: Resource,
  key: FieldKey,
  stretch: Stretch,
  filter: Condition | undefined,
): RawBuilder<unknown> {
  const values = valuesOf(scope, resource, key, filter)
  switch (stretch.of) {
    case 'value':
      // An id begins with the moment of its record's creation, so that the index has the order of ids.
      return sql`select v.record_id, v.created_at as sort_key ${values} and v.match_key = ${stretch.key}
        order by v.created_at, v.record_id`
    case 'values': {
      const column = keyColumn(key)
      return sql`select v.record_id, ${column} as sort_key ${values} and ${column} is not null
        order by ${key.descending ? sql`${column} desc` : column}, v.record_id`
    }
    case 'nothing':
      return sql`select r0.id as record_id, r0.id as sort_key ${existing(scope, resource.type, 0)} and not exists (
          select 1 from field_values v where v.workspace_id = ${scope.workspace.id} and v.record_id = r0.id
          and v.field_id = ${key.field.id} ${keptApart(scope)}) and ${filter ? compileFilter(scope, filter) : sql`1 = 1`}
        order by r0.id`
  }
}
