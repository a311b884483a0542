import { type Condition, mergeRanges } from '@kith/contract/filter'
import { isToMany, type RelatedType, type Resource, type ResourceName } from '@kith/contract/resource'
import type { Reader } from '../engines/engine.ts'
import { documentField, labelField } from '../engines/search-fields.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { areIdsOf, holdersOf, numbersIn } from '../tables/external-ids.ts'
import { columnOf, isOf } from '../tables/numbers.ts'
import { hasKey, idsFor, inBounds, isOneOf, isValueOf, liveRows } from './order.ts'

/** The records that meet a condition, read from an index. */
export type RecordSet = {
  /** Selects `record`, and `created_at` if it is dated. A record may occur more than once. */
  select: Sql<unknown>
  dated: boolean
  /** Selects about as many rows, but reads less. Its rows have other columns. */
  size?: Sql<unknown>
  /** The sets from which it is made. It is cheap to read only if all of these are narrow. */
  inner: readonly RecordSet[]
  /** Whether it has exactly the live records that meet the condition, each of them once. */
  exact: boolean
  /**
   * Whether it is a range of one index with exactly the live records that meet the condition, perhaps more than once.
   */
  range: boolean
}

type Node<Name extends Condition['node']> = Condition & { node: Name }

/** The set of a condition, or undefined if no index has it. */
export function setOf(scope: Reader, resource: Resource, condition: Condition): RecordSet | undefined {
  switch (condition.node) {
    case 'field':
      return fieldSet(scope, condition)
    case 'attribute':
      return attributeSet(scope, resource, condition)
    case 'external-ids':
      return externalIdsSet(scope, condition)
    case 'link':
    case 'related':
      return relatedSet(scope, resource, condition)
    case 'search':
      return searchSet(scope, condition)
    case 'assigned-to-me':
      return condition.assigned ? assignedSet(scope, resource) : undefined
    case 'and':
      return firstSet(scope, resource, condition.conditions)
    case 'or':
      return unionSet(scope, resource, condition.conditions)
    default:
      return undefined
  }
}

function rangeSet(select: Sql<unknown>, exact = true): RecordSet {
  return { select, dated: true, inner: [], exact, range: true }
}

function fieldSet(scope: Reader, { field, test }: Node<'field'>): RecordSet | undefined {
  const values = (matching: Sql<unknown>) => sql`select v.record, v.created_at from field_values v
    where ${isValueOf(scope, field)} and ${matching}`
  switch (test.test) {
    case 'any':
      return rangeSet(values(hasKey(test)), test.keys.length === 1)
    case 'exact':
      return rangeSet(values(hasKey({ keys: [test.key], texts: [test.text] })))
    // Only types with a single value have ranges.
    case 'range':
      return rangeSet(values(inBounds(sql`v.match_key`, test.bounds)))
    case 'number':
      return rangeSet(values(inBounds(sql`v.number_key`, test.bounds)))
    case 'contains':
      return textSet(scope, field.number, [test.part])
    case 'host-any':
      return rangeSet(values(isOneOf(sql`v.host_key`, test.hosts)), false)
    default:
      return undefined
  }
}

/** The holders of ids, or of any id of a namespace. */
function externalIdsSet(scope: Reader, { resource, namespace, test }: Node<'external-ids'>): RecordSet | undefined {
  if (test.test === 'none' || (test.test === 'empty' && test.empty)) return undefined
  const among = test.test === 'any' ? sql`and ${isOneOf(sql`e.external_id`, test.keys)}` : sql``
  const ids = sql`select e.record_id from external_ids e where ${areIdsOf(scope, resource, 'e')} and e.namespace = ${namespace} and e.live = 1 ${among}`
  const select = numbersIn(scope, resource.type, ids)
  // A record may hold several ids of a namespace.
  return {
    select,
    size: ids,
    dated: false,
    inner: [],
    exact: test.test === 'any' && test.keys.length === 1,
    range: true,
  }
}

/** The records of each way in which a query can be meant. */
function searchSet(scope: Reader, { resource, ways, external_id }: Node<'search'>): RecordSet | undefined {
  const sets = ways.map((parts) => textSet(scope, documentField(resource), parts))
  if (external_id !== undefined) {
    const select = holdersOf(scope, resource, external_id)
    sets.push({ select, dated: false, inner: [], exact: false, range: false })
  }
  return sets.length > 1 ? union(sets) : sets[0]
}

function textSet(scope: Reader, field: number, parts: readonly string[]): RecordSet {
  const select = scope.engine.search.containing(scope.workspace.number, field, parts)
  return { select, dated: false, inner: [], exact: true, range: false }
}

function attributeSet(
  scope: Reader,
  resource: Resource,
  { attribute, test }: Node<'attribute'>,
): RecordSet | undefined {
  const records = (matching: Sql<unknown>) =>
    sql`select r1.number as record, r1.created_at ${liveRows(scope, resource.type, 1)} and ${matching}`
  const column = sql.ref(`r1.${columnOf(attribute)}`)
  switch (test.test) {
    case 'any':
      return attribute === 'id' ? rangeSet(records(isOneOf(column, test.keys))) : undefined
    case 'exact':
      return rangeSet(records(sql`r1.name_key = ${test.key} and ${column} = ${test.text}`))
    case 'range':
      return rangeSet(records(inBounds(column, test.bounds)))
    case 'contains':
      return textSet(scope, labelField(resource), [test.part])
    default:
      return undefined
  }
}

/** Deleted records keep their links, so that the set may have more than the live ones. */
function assignedSet(scope: Reader, { type }: Resource): RecordSet {
  const ids = sql`select l.from_id as record_id from links l where l.workspace_id = ${scope.workspace.id}
    and l.to_id = ${scope.actor.user_id} and l.from_type = ${type} and l.relation = 'assignees'`
  return { select: numbersIn(scope, type, ids), dated: false, inner: [], exact: false, range: false }
}

/** Records that are related to given ids, or to the records of an inner set. */
function relatedSet(scope: Reader, resource: Resource, node: Node<'link' | 'related'>): RecordSet | undefined {
  const named = idsIn(node)
  const ids = named && idsFor(scope, named)
  const inner = ids || node.node === 'link' ? undefined : innerSet(scope, node.condition)
  if (!ids && !inner) return undefined
  const { to } = node.relation
  const belonging: BelongingRows = ({ table, alias, column, where }) => {
    const key = sql.ref(`${alias}.${column}`)
    if (!inner)
      return sql`from ${sql.table(table)} ${sql.raw(alias)} where ${where} and ${key} in (${sql.join(ids ?? [])})`
    const related = relatedIds(scope, to, inner)
    return scope.engine.hints.lookUpEach({ each: related, table, alias, where: sql`${where} and ${key} = related.id` })
  }
  // A record refers to one other, so that it occurs once. Given ids may belong to deleted records.
  const exact = !isToMany(node.relation) && (inner?.exact ?? false)
  const select = relatedSelect(scope, { resource, node, belonging })
  return { select, dated: exact, inner: inner ? [inner] : [], exact, range: false }
}

/** The ids of the members or records of a set, each once, as `related`. */
function relatedIds(scope: Reader, to: RelatedType, { select }: RecordSet): Sql<unknown> {
  if (to === 'users') throw new Error('Members are in no set.')
  return sql`(select x.id ${scope.engine.hints.lookUpEach({
    each: sql`(${scope.engine.hints.distinctRecords(select)}) m`,
    table: 'records',
    alias: 'x',
    where: sql`${isOf(scope, to, 'x')} and x.number = m.record`,
  })}) related`
}

function idsIn(node: Node<'link' | 'related'>): readonly string[] | undefined {
  if (node.node === 'related') return node.ids
  return node.test.test === 'in' ? node.test.ids : undefined
}

/** `from … where …` of the rows whose column is one of the related ids. */
type BelongingRows = (rows: { table: string; alias: string; column: string; where: Sql<unknown> }) => Sql<unknown>

function relatedSelect(
  scope: Reader,
  { resource, node, belonging }: { resource: Resource; node: Node<'link' | 'related'>; belonging: BelongingRows },
): Sql<unknown> {
  const { relation, name } = node
  const live = (of: ResourceName) => sql`${isOf(scope, of, 'r1')} and r1.deleted_at is null`
  const links = (from: ResourceName) => sql`l.workspace_id = ${scope.workspace.id} and l.from_type = ${from}`
  switch (relation.kind) {
    case 'reference': {
      const { column } = relation
      const referring = belonging({ table: 'records', alias: 'r1', column, where: live(resource.type) })
      return sql`select r1.number as record, r1.created_at ${referring}`
    }
    case 'referring': {
      const column = sql.ref(`r1.${relation.column}`)
      const there = node.node === 'link' && node.stored ? isOf(scope, relation.to, 'r1') : live(relation.to)
      const where = sql`${there} and ${column} is not null`
      const referring = belonging({ table: 'records', alias: 'r1', column: 'id', where })
      return numbersIn(scope, resource.type, sql`select ${column} as record_id ${referring}`)
    }
    case 'linked': {
      const where = sql`${links(resource.type)} and l.relation = ${name}`
      const linked = belonging({ table: 'links', alias: 'l', column: 'to_id', where })
      return numbersIn(scope, resource.type, sql`select l.from_id as record_id ${linked}`)
    }
    case 'linking': {
      const linked = belonging({ table: 'links', alias: 'l', column: 'from_id', where: links(relation.to) })
      return numbersIn(scope, resource.type, sql`select l.to_id as record_id ${linked}`)
    }
    case 'field': {
      const where = isValueOf(scope, relation.field)
      const values = belonging({ table: 'field_values', alias: 'v', column: 'match_key', where })
      return sql`select v.record, v.created_at ${values}`
    }
    case 'inverse': {
      const referring = belonging({ table: 'records', alias: 'r1', column: 'id', where: live(relation.to) })
      const where = sql`${isValueOf(scope, relation.field)} and v.record = r1.record`
      const each = sql`(select r1.number as record ${referring}) r1`
      const values = scope.engine.hints.lookUpEach({ each, table: 'field_values', alias: 'v', where })
      return numbersIn(scope, resource.type, sql`select v.match_key as record_id ${values}`)
    }
  }
}

/** The parts of a nested condition name the resource that it applies to. */
function innerSet(scope: Reader, condition: Condition | undefined): RecordSet | undefined {
  const resource = condition && resourceIn(condition)
  return resource && setOf(scope, resource, condition)
}

function resourceIn(condition: Condition): Resource | undefined {
  switch (condition.node) {
    case 'and':
    case 'or':
      for (const part of condition.conditions) {
        const resource = resourceIn(part)
        if (resource) return resource
      }
      return undefined
    case 'not':
      return resourceIn(condition.condition)
    case 'assigned-to-me':
      return undefined
    default:
      return condition.resource
  }
}

/** One of the conditions that must all hold; the others are checked on its records. */
function firstSet(scope: Reader, resource: Resource, conditions: readonly Condition[]): RecordSet | undefined {
  const merged = mergeRanges(conditions)
  const [only, ...more] = merged
  if (only && more.length === 0) return setOf(scope, resource, only)
  for (const condition of merged) {
    const set = setOf(scope, resource, condition)
    if (set) return { ...set, exact: false, range: false }
  }
  return undefined
}

function unionSet(scope: Reader, resource: Resource, conditions: readonly Condition[]): RecordSet | undefined {
  const sets: RecordSet[] = []
  for (const condition of conditions) {
    const set = setOf(scope, resource, condition)
    if (!set) return undefined
    sets.push(set)
  }
  return union(sets)
}

function union(sets: readonly RecordSet[]): RecordSet {
  const select = sql.join(
    sets.map((set) => sql`select record from (${set.select}) one`),
    sql` union all `,
  )
  return { select, dated: false, inner: sets, exact: false, range: false }
}
