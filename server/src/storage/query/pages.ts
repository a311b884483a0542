import { fieldTypes } from '@kith/contract/field-types'
import type { Condition, Test } from '@kith/contract/filter'
import type { SortKey } from '@kith/contract/list-query'
import type { LinkingRelation, Relation, Resource } from '@kith/contract/resource'
import type { Reader } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { isOf } from '../tables/numbers.ts'
import { type LightRow, listedColumns, liveCount, loadLiveCount, type WithFields } from '../tables/records.ts'
import {
  idsFor,
  isBehind,
  isOneOf,
  isValueOf,
  keyColumn,
  keyOf,
  type ListedRow,
  liveRows,
  orderBy,
  type Place,
  rowsOf,
} from './order.ts'
import { conjunctsOf, type Plan, planList, wholeList } from './plan.ts'
import { compileAll, compileFilter, needsEntryOnly } from './predicates.ts'
import type { RecordSet } from './sets.ts'

type NumberedPart = ListFilter & { page: number; per_page: number }

export type ListFilter = { filter?: Condition; sort: readonly SortKey[] }

type NumberedPage = { rows: WithFields<LightRow>[]; total: number }

/** Up to this offset a page behind the last one is cheap to find. */
const NEAR = 1000

/** Whether a page and its total are one statement. Otherwise they are read in a snapshot. */
export function isOneStatement({ filter, sort }: ListFilter, offset: number): boolean {
  return !filter && offset <= NEAR && sort.every((key) => key.by !== 'field')
}

/**
 * One numbered page, and the number of records on all pages. Undefined if it seems to be behind the last page and is
 * not read in a snapshot: `loadUnfiltered` finds out in one, in which records that were added since are shown.
 */
export async function loadPage(
  scope: Reader,
  resource: Resource,
  { filter, sort, page, per_page }: NumberedPart,
): Promise<NumberedPage | undefined> {
  const offset = (page - 1) * per_page
  const part = { sort, limit: per_page, offset }
  if (isOneStatement({ filter, sort }, offset)) return loadWhole(scope, resource, part)
  if (!filter) return loadUnfiltered(scope, resource, { sort, page, per_page })
  const live = await loadLiveCount(scope, resource.type)
  const plan = await planList(scope, resource, { filter, sort, live, counting: true })
  const count = () => countMatches(scope, resource, { filter, live, plan })
  if (plan.narrow && plan.total === undefined) {
    const { rows, total } = await loadCounted(scope, resource, {
      ...part,
      plan,
      total: plan.dated ? IN_SET : sql`count(*) over ()`,
    })
    return { rows, total: total ?? (offset === 0 ? 0 : await count()) }
  }
  // A remote database gets both statements at once, so that the request waits for it once.
  const counting = scope.engine.remote ? count() : undefined
  const [rows, counted] = await Promise.all([loadSorted(scope, resource, { ...part, plan, filter }), counting])
  // A page that is not full is the last one, which gives the total.
  const isLast = rows.length > 0 && rows.length < per_page
  return { rows, total: isLast ? offset + rows.length : (counted ?? (await count())) }
}

/** A page of the whole list, each row with the size of the list. */
async function loadWhole(scope: Reader, resource: Resource, part: PagePart): Promise<NumberedPage | undefined> {
  const counted = { ...part, plan: wholeList(scope, resource), total: liveCount(scope, resource.type) }
  const { rows, total } = await loadCounted(scope, resource, counted)
  return total === undefined && part.offset > 0 ? undefined : { rows, total: total ?? 0 }
}

/** A page whose rows have the total. A page without rows has none. */
async function loadCounted(
  scope: Reader,
  resource: Resource,
  counted: PagePart & { plan: Plan; total: Sql<unknown> },
): Promise<{ rows: ListedRow[]; total: number | undefined }> {
  const rows = await loadRows(scope, resource, counted)
  // The statement selects it, too.
  const [first] = rows as (ListedRow & { matches: number })[]
  return { rows, total: first?.matches }
}

/** A page of the whole list, and first its size. */
export async function loadUnfiltered(
  inside: Reader,
  resource: Resource,
  { sort, page, per_page }: NumberedPart,
): Promise<NumberedPage> {
  const total = await loadLiveCount(inside, resource.type)
  const offset = (page - 1) * per_page
  if (offset >= total) return { rows: [], total }
  const whole = { sort, plan: wholeList(inside, resource) }
  const isNearStart = offset <= total / 2 || sort.some(({ by }) => by === 'field')
  if (isNearStart) return { rows: await loadSorted(inside, resource, { ...whole, limit: per_page, offset }), total }
  // From the other end there are fewer to pass over.
  const limit = Math.min(per_page, total - offset)
  const back = { ...whole, limit, offset: total - offset - limit, backwards: true }
  return { rows: (await loadRows(inside, resource, back)).reverse(), total }
}

function loadSorted(
  scope: Reader,
  resource: Resource,
  wanted: PagePart & { plan: Plan; filter?: Condition },
): Promise<WithFields<LightRow>[]> {
  const [key, ...others] = wanted.sort
  return key?.by === 'field' && others.length === 0 && !wanted.plan.narrow
    ? loadFieldOrder(scope, resource, { ...wanted, key })
    : loadRows(scope, resource, wanted)
}

type PagePart = {
  sort: readonly SortKey[]
  limit: number
  offset: number
  place?: Place
  backwards?: boolean
  /** Counts the records on all pages, as a column `matches` of each row. */
  total?: Sql<unknown>
  /** Others than those of a list. */
  columns?: Sql<unknown>
}

/** The rows of a plan in the order of the list, from an offset or behind a place. */
export async function loadRows(
  scope: Reader,
  resource: Resource,
  { plan, sort, limit, offset, place, backwards = false, total, columns: shown }: PagePart & { plan: Plan },
): Promise<ListedRow[]> {
  const order = orderBy(scope, { sort, backwards })
  const behind = place ? sql`and ${isBehind({ sort, backwards }, place)}` : sql``
  const skip = offset === 0 ? sql`` : sql`offset ${offset}`
  const few = plan.dated ? nearestOf({ sort, limit, offset, place, backwards }) : undefined
  const page = sql`${plan.from} ${few ?? sql``} ${behind} order by ${plan.order ?? order} limit ${sql.unseen(limit)} ${skip}`
  const columns = sql`${shown ?? listedColumns(scope, resource)}, r0.name_key`
  const counted = total ? sql`, ${total} as matches` : sql``
  if (offset < limit && (few || !(plan.narrow && total))) {
    return sql<ListedRow>`${plan.with} select ${columns} ${counted} ${page}`.all(scope.db)
  }
  // Only entries are read up to a deep page, or of a set that is counted, and then the rows of that page.
  const each = sql`(select r0.number as record ${counted} ${page}) p`
  const rows = rowsOf(scope, resource.type, { each, where: sql`r0.number = p.record` })
  const kept = total ? sql`, p.matches` : sql``
  return sql<ListedRow>`${plan.with} select ${columns} ${kept} ${rows} order by ${order}`.all(scope.db)
}

/** How many records a dated set has. */
const IN_SET = sql`(select count(*) from matching)`

/**
 * `and …` for the entries of a dated set that can be on a page in the order of creation, so that only their records are
 * read. Several entries may have the same time, so the page itself is sorted again.
 */
function nearestOf({ sort, limit, offset, place, backwards }: PagePart): Sql<unknown> | undefined {
  const [key, ...others] = sort
  if (key?.by !== 'attribute' || key.name !== 'created_at' || others.length > 0) return undefined
  const [further, direction, end] = key.descending !== backwards ? ['<', 'desc', ''] : ['>', 'asc', '~']
  const from = place?.keys[0]
  const behind = from === undefined ? sql`` : sql`where created_at ${sql.raw(further)} ${from}`
  const last = sql`(select created_at from matching ${behind} order by created_at ${sql.raw(direction)}
    limit 1 offset ${offset + limit - 1})`
  const start = from === undefined ? sql`` : sql`and matching.created_at ${sql.raw(further)}= ${from}`
  const nearer = sql.raw(further === '<' ? '>=' : '<=')
  return sql`${start} and matching.created_at ${nearer} coalesce(${last}, ${end})`
}

/** How many records meet a filter. Complements are subtracted from the number of live records. */
export async function countMatches(
  scope: Reader,
  resource: Resource,
  counted: { filter: Condition; live: number; plan?: Plan },
): Promise<number> {
  const { filter, live, plan } = counted
  if (plan?.total !== undefined) return plan.total
  const opposite = oppositeOf(filter)
  if (opposite) return live - (await countMatches(scope, resource, { filter: opposite, live }))
  const query =
    countHeld(scope, filter) ??
    countReferring(scope, filter) ??
    (plan?.narrow
      ? sql`${plan.with} select count(*) as total ${plan.dated ? sql`from matching` : plan.from}`
      : countBroad(scope, resource, filter))
  return query.count(scope.db)
}

/** Broad sets are intersected, and other conditions are checked on what remains. Without sets the list is scanned. */
function countBroad(scope: Reader, resource: Resource, filter: Condition): Sql<unknown> {
  const sets: RecordSet[] = []
  const others: Condition[] = []
  for (const { condition, set } of conjunctsOf(scope, resource, filter)) {
    if (set?.exact || set?.range) sets.push(set)
    else others.push(condition)
  }
  if (sets.length > 0) return countAmong(scope, resource, { sets, others })
  return sql`select count(*) as total ${liveRows(scope, resource.type, 0)} and ${compileFilter(scope, filter)}`
}

/** Counts the records that are in all of the sets and meet the other conditions. */
function countAmong(
  scope: Reader,
  resource: Resource,
  { sets, others }: { sets: readonly RecordSet[]; others: readonly Condition[] },
): Sql<unknown> {
  if (others.length === 0) return sql`select count(*) as total from (${intersection(scope, sets)}) s`
  // The index holds live records only: the records themselves are read only if a condition needs more than the entry.
  const from =
    sets.every(({ dated }) => dated) && others.every(needsEntryOnly)
      ? sql`from (select record as number, created_at from (${intersection(scope, sets, sql`, created_at`)}) s) r0 where`
      : sql`from (${intersection(scope, sets)}) s cross join records r0
        where ${isOf(scope, resource.type, 'r0')} and r0.number = s.record and r0.deleted_at is null and`
  return sql`select count(*) as total ${from} ${compileAll(scope, others)}`
}

/** The entries that are in all of the sets, each once. */
function intersection(scope: Reader, sets: readonly RecordSet[], other = sql``): Sql<unknown> {
  // Those of an exact set are distinct already.
  const [first, ...others] = sets.toSorted((one, other) => Number(other.exact) - Number(one.exact))
  if (!first) throw new Error('An intersection needs a set.')
  if (others.length === 0 && first.exact) return first.select
  const distinct = first.exact ? sql`` : sql`distinct`
  // In the order of records SQLite would read the values of all records of the workspace.
  const columns = sql`${scope.engine.hints.unindexed(sql`one.record`)} as record ${other}`
  const entries = sql`select ${distinct} ${columns} from (${first.select}) one`
  if (others.length === 0) return entries
  return scope.engine.hints.within(
    entries,
    others.map(({ select }) => sql`select ${columns} from (${select}) one`),
  )
}

/** The condition of which this one is the complement, if that is easier to count. */
function oppositeOf(condition: Condition): Condition | undefined {
  switch (condition.node) {
    case 'not':
      return condition.condition
    case 'field': {
      const test = oppositeTest(condition.test)
      return test && { ...condition, test }
    }
    case 'external-ids': {
      const { test } = condition
      if (test.test === 'none') return { ...condition, test: { ...test, test: 'any' } }
      return test.test === 'empty' && test.empty ? { ...condition, test: { test: 'empty', empty: false } } : undefined
    }
    case 'link':
      if (condition.test.test === 'not-in') return { ...condition, test: { test: 'in', ids: condition.test.ids } }
      return condition.test.test === 'empty' && condition.test.empty
        ? { ...condition, test: { test: 'empty', empty: false } }
        : undefined
    default:
      return undefined
  }
}

function oppositeTest(test: Test): Test | undefined {
  switch (test.test) {
    case 'none':
      return { ...test, test: 'any' }
    case 'host-none':
      return { ...test, test: 'host-any' }
    case 'empty':
      return test.empty ? { test: 'empty', empty: false } : undefined
    default:
      return undefined
  }
}

/** Counts the records that have any value in a field, in the part of the index that belongs to the field. */
function countHeld(scope: Reader, condition: Condition): Sql<unknown> | undefined {
  if (condition.node !== 'field' || condition.test.test !== 'empty' || condition.test.empty) return undefined
  const { field } = condition
  // Long texts have no key, so that only the index by record has them.
  const { valueKey, list } = fieldTypes[field.type]
  if (valueKey === undefined) return undefined
  const key = sql.ref(`v.${valueKey}`)
  const held = sql`select v.record from field_values v where ${isValueOf(scope, field)} and ${key} is not null`
  return sql`select count(*) as total from (${list ? scope.engine.hints.distinctRecords(held) : held}) s`
}

/**
 * Counts the records that refer to any live record or member, or to one of some, in the index of the references. What
 * many records refer to is looked up once.
 */
function countReferring(scope: Reader, condition: Condition): Sql<unknown> | undefined {
  if (condition.node !== 'link') return undefined
  const { resource, relation, test } = condition
  if (test.test === 'not-in' || (test.test === 'empty' && test.empty)) return undefined
  const found = referringRows(scope, resource, relation)
  if (!found) return undefined
  const { column, from } = found
  const among = test.test === 'in' ? isOneOf(column, idsFor(scope, test.ids)) : sql`${column} is not null`
  const referring = sql`select ${column} as id, count(*) as records ${from} and ${among} group by ${column}`
  return sql`select coalesce(sum(s.records), 0) as total from (${referring}) s
    where exists (select 1 ${liveRows(scope, relation.to, 2)} and ${sql.ref(`r2.${keyOf(relation.to)}`)} = s.id)`
}

type FieldKey = SortKey & { by: 'field' }

type FieldOrder = { key: FieldKey; filter?: Condition; limit: number; offset: number }

/** A section of the list: the records with one value, with any value, or without a value. */
type Section = { of: 'value'; value: string } | { of: 'values' } | { of: 'nothing' }

/**
 * Rows of a list in the order of one custom field, read from the index of its values. The filter is checked on each
 * record. The list has several sections, and a page reads from one or two of them.
 */
async function loadFieldOrder(scope: Reader, resource: Resource, ordered: FieldOrder): Promise<WithFields<LightRow>[]> {
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

type SectionOrder = FieldOrder & { section: Section }

function countSection(scope: Reader, resource: Resource, { section, ...ordered }: SectionOrder): Promise<number> {
  const among =
    section.of === 'value' ? sql`v.match_key = ${section.value}` : sql`${keyColumn(ordered.key.field)} is not null`
  const values = ordered.filter
    ? valuesOf(scope, resource, ordered)
    : sql`from field_values v where ${isValueOf(scope, ordered.key.field)}`
  return sql`select count(*) as size ${values} and ${among}`.count(scope.db)
}

/** `from … where …` of the values of the field, with their records that meet the filter. */
function valuesOf(
  scope: Reader,
  resource: Resource,
  { key, filter }: Pick<FieldOrder, 'key' | 'filter'>,
): Sql<unknown> {
  const where = sql`r0.number = v.record and r0.deleted_at is null`
  const records = rowsOf(scope, resource.type, { each: sql`field_values v`, where })
  return sql`${records} and ${isValueOf(scope, key.field)} and ${compileAll(scope, filter ? [filter] : [])}`
}

async function loadSection(
  scope: Reader,
  resource: Resource,
  sectioned: SectionOrder,
): Promise<WithFields<LightRow>[]> {
  const { key, section, limit, offset } = sectioned
  const ids = sql`${sectionIds(scope, resource, sectioned)} limit ${limit} offset ${offset}`
  const descending = section.of === 'values' && key.descending
  const rows = rowsOf(scope, resource.type, { each: sql`(${ids}) p`, where: sql`r0.number = p.record` })
  return sql<WithFields<LightRow>>`select ${listedColumns(scope, resource)} ${rows}
    order by ${descending ? sql`p.sort_key desc` : sql`p.sort_key`}, r0.id`.all(scope.db)
}

/** Selects `record` and `sort_key` of a section in its order. */
function sectionIds(scope: Reader, resource: Resource, { key, section, filter }: SectionOrder): Sql<unknown> {
  const values = valuesOf(scope, resource, { key, filter })
  switch (section.of) {
    case 'value':
      // An id begins with the time of creation, so that the index has the order of ids.
      return sql`select v.record, v.created_at as sort_key ${values} and v.match_key = ${section.value}
        order by v.created_at, r0.id`
    case 'values': {
      const column = keyColumn(key.field)
      return sql`select v.record, ${column} as sort_key ${values} and ${column} is not null
        order by ${key.descending ? sql`${column} desc` : column}, r0.id`
    }
    case 'nothing':
      return sql`select r0.number as record, r0.id as sort_key ${liveRows(scope, resource.type, 0)} and not exists (
          select 1 from field_values v where ${isValueOf(scope, key.field)} and v.record = r0.number
          ${scope.engine.hints.notJoined})
          and ${filter ? compileFilter(scope, filter) : sql`1 = 1`}
        order by r0.id`
  }
}

/** The rows with the references of the records, if each has one at most. */
function referringRows(scope: Reader, resource: Resource, relation: Relation | LinkingRelation) {
  if (relation.kind === 'reference') {
    return { column: sql.ref(`r1.${relation.column}`), from: liveRows(scope, resource.type, 1) }
  }
  if (relation.kind !== 'field' || relation.many) return undefined
  return { column: sql`v.match_key`, from: sql`from field_values v where ${isValueOf(scope, relation.field)}` }
}
