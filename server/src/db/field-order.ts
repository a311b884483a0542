import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import type { Scope } from '../scope.ts'
import type { Memory } from './memory.ts'
import { sortsByNumber } from './order.ts'
import { type RecordRow, shownColumns } from './records.ts'
import { type RawBuilder, sql } from './sql.ts'
import { existing } from './tests.ts'

type FieldKey = SortKey & { by: 'field' }

/** A stretch of the list: the records of one value, of all values, or of none. */
type Stretch = { of: 'value'; key: string } | { of: 'values' } | { of: 'nothing' }

/** Of these there are few values and many records to each; of other types it is the other way round. */
const fewValued: ReadonlySet<string> = new Set(['checkbox', 'toggle', 'radio', 'toggle-buttons', 'select'])

/**
 * Rows of an unfiltered list in the order of one custom field, straight from the index of its values. The list is
 * laid out in stretches whose sizes are remembered until the next write; a page reads from one or two of them.
 */
export async function loadFieldOrder(
  scope: Scope,
  resource: Resource,
  key: FieldKey,
  { memory, limit, offset }: { memory: Memory; limit: number; offset: number },
): Promise<RecordRow[]> {
  const sizes = await stretchSizes(scope, key, memory)
  const rows: RecordRow[] = []
  let start = 0
  for (const { stretch, size } of sizes) {
    const from = Math.max(0, offset + rows.length - start)
    if (rows.length < limit && from < size) {
      rows.push(...(await loadStretch(scope, resource, key, stretch, { limit: limit - rows.length, offset: from })))
    }
    start += size
  }
  return rows
}

type Sized = { stretch: Stretch; size: number }

async function stretchSizes(scope: Scope, key: FieldKey, memory: Memory): Promise<Sized[]> {
  const { field, descending } = key
  const few = fewValued.has(field.type)
  memory.sizes ??= new Map()
  let sizes = memory.sizes.get(field.id)
  if (!sizes) {
    sizes = few ? await countByValue(scope, field.id) : new Map([['', await countValues(scope, key)]])
    memory.sizes.set(field.id, sizes)
  }
  const counted = sizes
  const valued: Sized[] = few
    ? valuesInOrder(key).map((value) => ({ stretch: { of: 'value', key: value }, size: counted.get(value) ?? 0 }))
    : [{ stretch: { of: 'values' }, size: counted.get('') ?? 0 }]
  if (few && descending) valued.reverse()
  // Records without a value come last in both directions, however many they are.
  return [...valued, { stretch: { of: 'nothing' }, size: Number.POSITIVE_INFINITY }]
}

function valuesInOrder({ field }: FieldKey): string[] {
  if (field.type === 'checkbox' || field.type === 'toggle') return ['false', 'true']
  return field.options.map((option) => option.id)
}

function valuesOf(scope: Scope, fieldId: string): RawBuilder<unknown> {
  return sql`from field_values v where v.workspace_id = ${scope.workspace.id} and v.field_id = ${fieldId}`
}

async function countByValue(scope: Scope, fieldId: string): Promise<Map<string, number>> {
  const query = sql<{ match_key: string; size: number }>`
    select v.match_key, count(*) as size ${valuesOf(scope, fieldId)} and v.match_key is not null group by v.match_key`
  const { rows } = await query.execute(scope.db)
  return new Map(rows.map((row) => [row.match_key, row.size]))
}

async function countValues(scope: Scope, key: FieldKey): Promise<number> {
  const query = sql<{ size: number }>`
    select count(*) as size ${valuesOf(scope, key.field.id)} and ${keyColumn(key)} is not null`
  const { rows } = await query.execute(scope.db)
  return rows[0]?.size ?? 0
}

function keyColumn({ field }: FieldKey): RawBuilder<unknown> {
  return sortsByNumber(field.type) ? sql`v.number_key` : sql`v.match_key`
}

async function loadStretch(
  scope: Scope,
  resource: Resource,
  key: FieldKey,
  stretch: Stretch,
  { limit, offset }: { limit: number; offset: number },
): Promise<RecordRow[]> {
  const part = sql`limit ${sql.unseen(limit)} offset ${offset}`
  const ids = stretchIds(scope, resource, key, stretch)
  const query = sql<RecordRow>`
    select ${sql.raw(shownColumns(resource))} from (${ids} ${part}) p cross join ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.id = p.record_id
    order by ${stretch.of === 'values' && key.descending ? sql`p.sort_key desc` : sql`p.sort_key`}, r0.id`
  return (await query.execute(scope.db)).rows
}

/** Selects `record_id` and `sort_key` of a stretch in its order. */
function stretchIds(scope: Scope, resource: Resource, key: FieldKey, stretch: Stretch): RawBuilder<unknown> {
  const { field, descending } = key
  switch (stretch.of) {
    case 'value':
      // An id begins with the moment of its record's creation, so that the index has the order of ids.
      return sql`select v.record_id, v.created_at as sort_key ${valuesOf(scope, field.id)} and v.match_key = ${stretch.key}
        order by v.created_at, v.record_id`
    case 'values': {
      const column = keyColumn(key)
      return sql`select v.record_id, ${column} as sort_key ${valuesOf(scope, field.id)} and ${column} is not null
        order by ${descending ? sql`${column} desc` : column}, v.record_id`
    }
    case 'nothing':
      return sql`select r0.id as record_id, r0.id as sort_key ${existing(scope, resource.type, 0)} and not exists (
          select 1 from field_values v where v.workspace_id = ${scope.workspace.id} and v.record_id = r0.id
          and v.field_id = ${field.id}) order by r0.id`
  }
}
