import { fieldTypes } from '@kith/contract/field-types'
import type { Condition } from '@kith/contract/filter'
import type { SortKey } from '@kith/contract/list-query'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { type LightRow, listedColumns, type WithFields } from '../tables/records.ts'
import { liveRows, rowsOf } from './fragments.ts'
import { sortsByNumber } from './order.ts'
import { compileAll, compileFilter } from './predicates.ts'

type FieldKey = SortKey & { by: 'field' }

type Ordered = { key: FieldKey; filter?: Condition; limit: number; offset: number }

/** A section of the list: the records with one value, with any value, or without a value. */
type Section = { of: 'value'; value: string } | { of: 'values' } | { of: 'nothing' }

/**
 * Rows of a list in the order of one custom field, read from the index of its values. The filter is checked on each
 * record. The list has several sections, and a page reads from one or two of them.
 */
export async function loadFieldOrder(
  scope: Scope,
  resource: Resource,
  ordered: Ordered,
): Promise<WithFields<LightRow>[]> {
  const { limit } = ordered
  const rows: WithFields<LightRow>[] = []
  let { offset } = ordered
  for (const section of sectionsOf(ordered.key)) {
    const found = await loadSection(scope, resource, { ...ordered, section, limit: limit - rows.length, offset })
    rows.push(...found)
    if (rows.length === limit || section.of === 'nothing') break
    // If the section ends before the offset, the rest is skipped in the next one.
    const skipsAll = found.length === 0 && offset > 0
    offset = skipsAll ? offset - (await countSection(scope, resource, { ...ordered, section })) : 0
  }
  return rows
}

/** Records without a value come last in both directions. */
function sectionsOf(key: FieldKey): Section[] {
  const keys = fieldTypes[key.field.type].orderedKeys?.(key.field)
  if (keys === undefined) return [{ of: 'values' }, { of: 'nothing' }]
  const values = keys.map((value): Section => ({ of: 'value', value }))
  return [...(key.descending ? values.reverse() : values), { of: 'nothing' }]
}

type Sectioned = Ordered & { section: Section }

function countSection(scope: Scope, resource: Resource, { section, ...ordered }: Sectioned): Promise<number> {
  const among =
    section.of === 'value' ? sql`v.match_key = ${section.value}` : sql`${keyColumn(ordered.key)} is not null`
  return sql`select count(*) as size ${valuesOf(scope, resource, ordered)} and ${among}`.count(scope.db)
}

/** `from … where …` of the values of the field, of the records that meet the filter. */
function valuesOf(scope: Scope, resource: Resource, { key, filter }: Pick<Ordered, 'key' | 'filter'>): Sql<unknown> {
  const workspace = scope.workspace.id
  const ours = sql`v.workspace_id = ${workspace} and v.field_id = ${key.field.id}`
  if (!filter) return sql`from field_values v where ${ours}`
  const where = sql`r0.id = v.record_id and r0.deleted_at is null`
  const records = rowsOf(scope, resource.type, { each: sql`field_values v`, where })
  return sql`${records} and ${ours} and ${compileAll(scope, [filter])}`
}

function keyColumn({ field }: FieldKey): Sql<unknown> {
  return sortsByNumber(field.type) ? sql`v.number_key` : sql`v.match_key`
}

async function loadSection(scope: Scope, resource: Resource, sectioned: Sectioned): Promise<WithFields<LightRow>[]> {
  const { key, section, limit, offset } = sectioned
  const ids = sql`${sectionIds(scope, resource, sectioned)} limit ${limit} offset ${offset}`
  const descending = section.of === 'values' && key.descending
  const rows = rowsOf(scope, resource.type, { each: sql`(${ids}) p`, where: sql`r0.id = p.record_id` })
  return sql<WithFields<LightRow>>`select ${listedColumns(scope, resource)} ${rows}
    order by ${descending ? sql`p.sort_key desc` : sql`p.sort_key`}, r0.id`.all(scope.db)
}

/** Selects `record_id` and `sort_key` of a section in its order. */
function sectionIds(scope: Scope, resource: Resource, { key, section, filter }: Sectioned): Sql<unknown> {
  const values = valuesOf(scope, resource, { key, filter })
  switch (section.of) {
    case 'value':
      // An id begins with the time of creation, so that the index has the order of ids.
      return sql`select v.record_id, v.created_at as sort_key ${values} and v.match_key = ${section.value}
        order by v.created_at, v.record_id`
    case 'values': {
      const column = keyColumn(key)
      return sql`select v.record_id, ${column} as sort_key ${values} and ${column} is not null
        order by ${key.descending ? sql`${column} desc` : column}, v.record_id`
    }
    case 'nothing':
      return sql`select r0.id as record_id, r0.id as sort_key ${liveRows(scope, resource.type, 0)} and not exists (
          select 1 from field_values v where v.workspace_id = ${scope.workspace.id} and v.record_id = r0.id
          and v.field_id = ${key.field.id} ${scope.engine.hints.notJoined})
          and ${filter ? compileFilter(scope, filter) : sql`1 = 1`}
        order by r0.id`
  }
}
