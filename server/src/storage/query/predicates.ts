import { type Condition, mergeRanges } from '@kith/contract/filter'
import type { LinkingRelation, RelatedType, Relation } from '@kith/contract/resource'
import type { Reader } from '../engines/engine.ts'
import { documentField, labelField } from '../engines/search-fields.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnOf, isOf } from '../tables/numbers.ts'
import { type Bool, hasKey, idsFor, inBounds, isOneOf, isValueOf, type Keys, keyOf, liveRows } from './order.ts'

const NEVER: Bool = sql`1 = 0`
const ALWAYS: Bool = sql`1 = 1`

/**
 * A condition as SQL on the row under the alias `r<depth>`. It reads only what belongs to that row. Every part is true
 * or false, never null, so that `not` is a complement.
 */
export function compileFilter(scope: Reader, condition: Condition, depth = 0): Bool {
  switch (condition.node) {
    case 'and':
      return sql`(${sql.join(parts(scope, mergeRanges(condition.conditions), depth), sql` and `)})`
    case 'or':
      return sql`(${sql.join(parts(scope, condition.conditions, depth), sql` or `)})`
    case 'not':
      return sql`not (${compileFilter(scope, condition.condition, depth)})`
    case 'attribute':
      return attributeTest(scope, condition, depth)
    case 'field':
      return fieldTest(scope, condition, depth)
    case 'external-ids':
      return externalIdsTest(scope, condition, depth)
    case 'link':
      return linkTest(scope, condition, depth)
    case 'related': {
      const { relation, name } = condition
      return someRelated(scope, { relation, name, meets: meets(scope, condition, depth + 1) }, depth)
    }
    case 'search':
      return searchTest(scope, condition, depth)
    case 'assigned-to-me':
      return assignedToMe(scope, condition.assigned, depth)
  }
}

/** The conditions that must all hold for `r0`, of which only number and `created_at` may be known. */
export function compileAll(scope: Reader, conditions: readonly Condition[]): Bool {
  if (conditions.length === 0) return ALWAYS
  return sql`(${sql.join(parts(scope, conditions, 0), sql` and `)}) ${scope.engine.hints.andInTime()}`
}

/** Whether an index entry of the record is enough to check a condition: it reads custom values only. */
export function needsEntryOnly(condition: Condition): boolean {
  switch (condition.node) {
    case 'field':
      return condition.test.test !== 'contains'
    case 'and':
    case 'or':
      return condition.conditions.every(needsEntryOnly)
    case 'not':
      return needsEntryOnly(condition.condition)
    default:
      return false
  }
}

function parts(scope: Reader, conditions: readonly Condition[], depth: number): Bool[] {
  return conditions.map((condition) => compileFilter(scope, condition, depth))
}

type Node<Name extends Condition['node']> = Condition & { node: Name }

/** A column of the row at a depth of nesting. */
function at(depth: number, column: string): Sql<unknown> {
  return sql.ref(`r${depth}.${column}`)
}

function attributeTest(scope: Reader, { resource, attribute, test }: Node<'attribute'>, depth: number): Bool {
  // A related record is found by its id; the list itself may well be found by the attribute.
  const of = (name: string) => (depth === 0 ? at(depth, name) : scope.engine.hints.unindexed(at(depth, name)))
  const column = of(columnOf(attribute))
  switch (test.test) {
    // Native attributes are never empty.
    case 'empty':
      return test.empty ? NEVER : ALWAYS
    case 'any':
      return sql`${column} in (${sql.join(test.keys)})`
    case 'none':
      return sql`${column} not in (${sql.join(test.keys)})`
    case 'exact':
      return sql`(${of('name_key')} = ${test.key} and ${column} = ${test.text})`
    case 'range':
      return inBounds(column, test.bounds)
    case 'contains':
      return scope.engine.search.contains(scope.workspace.number, labelField(resource), {
        parts: [test.part],
        depth,
      })
    default:
      throw new Error(`No native attribute takes the test ${test.test}.`)
  }
}

function fieldTest(scope: Reader, { field, test }: Node<'field'>, depth: number): Bool {
  const { hasRow, unindexed, probesByKey } = scope.engine.hints
  const values = sql`field_values v where ${isValueOf(scope, field)}`
  const held = sql`${values} and v.record = ${at(depth, 'number')}`
  // The database must read the values of the record, not all records that have the value.
  const some = (matching: Sql<unknown>): Bool => hasRow(held, 'v', matching)
  const matchKey = unindexed(sql`v.match_key`)
  const someKey = (keys: Keys): Bool =>
    probesByKey && keys.keys.length === 1
      ? sql`exists (select 1 from ${values} and ${hasKey(keys)}
          and v.created_at = ${at(depth, 'created_at')} and v.record = ${at(depth, 'number')})`
      : some(sql`and ${hasKey(keys, matchKey)}`)
  const hostKey = unindexed(sql`v.host_key`)
  switch (test.test) {
    case 'empty':
      return test.empty ? sql`not ${some(sql``)}` : some(sql``)
    case 'any':
      return someKey(test)
    case 'none':
      return sql`not ${someKey(test)}`
    case 'exact':
      return someKey({ keys: [test.key], texts: [test.text] })
    case 'range':
      return some(sql`and ${inBounds(matchKey, test.bounds)}`)
    case 'number':
      return some(sql`and ${inBounds(unindexed(sql`v.number_key`), test.bounds)}`)
    case 'contains':
      return scope.engine.search.contains(scope.workspace.number, field.number, { parts: [test.part], depth })
    case 'host-any':
      return some(sql`and ${isOneOf(hostKey, test.hosts)}`)
    case 'host-none':
      return sql`not ${some(sql`and ${isOneOf(hostKey, test.hosts)}`)}`
  }
}

/** The rows of a live record are live. */
function externalIdsTest(scope: Reader, { namespace, test }: Node<'external-ids'>, depth: number): Bool {
  const { hasRow, unindexed } = scope.engine.hints
  const held = sql`external_ids e where e.workspace_id = ${scope.workspace.id}
    and e.record_id = ${at(depth, 'id')} and e.namespace = ${namespace}`
  const some = (matching: Sql<unknown>): Bool => hasRow(held, 'e', matching)
  if (test.test === 'empty') return test.empty ? sql`not ${some(sql``)}` : some(sql``)
  const among = some(sql`and ${isOneOf(unindexed(sql`e.external_id`), test.keys)}`)
  return test.test === 'any' ? among : sql`not ${among}`
}

function linkTest(scope: Reader, node: Node<'link'>, depth: number): Bool {
  const { relation, name, test } = node
  if (node.stored) return storedTest(scope, node, depth)
  if (test.test === 'empty') {
    const some = someRelated(scope, { relation, name, meets: ALWAYS }, depth)
    return test.empty ? sql`not ${some}` : some
  }
  const among = someRelated(scope, { relation, name, meets: isAmong(scope, relation.to, test.ids, depth + 1) }, depth)
  return test.test === 'in' ? among : sql`not ${among}`
}

/** Reads the reference or the links alone, so that only a change of them changes the match. */
function storedTest(scope: Reader, { relation, name, test }: Node<'link'>, depth: number): Bool {
  const id = at(depth, 'id')
  const among = (column: Sql<unknown>) =>
    test.test === 'empty' ? sql`` : sql`and ${isOneOf(column, idsFor(scope, test.ids))}`
  const ours = (alias: string) => sql`${sql.ref(`${alias}.workspace_id`)} = ${scope.workspace.id}`
  const some = (): Bool => {
    switch (relation.kind) {
      case 'reference':
        return sql`(${at(depth, relation.column)} is not null ${among(at(depth, relation.column))})`
      case 'referring':
        return sql`exists (select 1 from records t where ${isOf(scope, relation.to, 't')}
          and ${sql.ref(`t.${relation.column}`)} = ${id} ${among(sql`t.id`)})`
      case 'linked':
        return sql`exists (select 1 from links l where ${ours('l')}
          and l.from_id = ${id} and l.relation = ${name} ${among(sql`l.to_id`)})`
      case 'linking':
        return sql`exists (select 1 from links l where ${ours('l')}
          and l.to_id = ${id} and l.from_type = ${relation.to} ${among(sql`l.from_id`)})`
      case 'field':
        return sql`exists (select 1 from field_values v where ${isValueOf(scope, relation.field)}
          and v.record = ${at(depth, 'number')} ${among(sql`v.match_key`)})`
      case 'inverse':
        return sql`exists (select 1 from field_values v cross join records t where ${isValueOf(scope, relation.field)}
          and v.match_key = ${id} and ${isOf(scope, relation.to, 't')} and t.number = v.record ${among(sql`t.id`)})`
    }
  }
  const isSome = test.test === 'in' || (test.test === 'empty' && !test.empty)
  return isSome ? some() : sql`not ${some()}`
}

function isAmong(scope: Reader, to: RelatedType, ids: readonly string[], depth: number): Bool {
  return isOneOf(at(depth, keyOf(to)), idsFor(scope, ids))
}

function meets(scope: Reader, { to, ids, condition }: Node<'related'>, depth: number): Bool {
  const both: Bool[] = []
  if (ids) both.push(isAmong(scope, to, ids, depth))
  if (condition) both.push(compileFilter(scope, condition, depth))
  return both.length === 0 ? ALWAYS : sql`(${sql.join(both, sql` and `)})`
}

/** Some related member or live record, under the alias of the next depth, meets the condition. */
function someRelated(
  scope: Reader,
  { relation, name, meets }: { relation: Relation | LinkingRelation; name: string; meets: Bool },
  depth: number,
): Bool {
  const inner = depth + 1
  const there = liveRows(scope, relation.to, inner)
  const related = at(inner, keyOf(relation.to))
  const { notJoined } = scope.engine.hints
  switch (relation.kind) {
    case 'reference':
      return sql`exists (select 1 ${there} and ${related} = ${at(depth, relation.column)} and ${meets} ${notJoined})`
    case 'referring':
      return sql`exists (select 1 ${there} and ${at(inner, relation.column)} = ${at(depth, 'id')}
        and ${meets} ${notJoined})`
    case 'linked':
      return sql`exists (select 1 from links l where l.workspace_id = ${scope.workspace.id}
        and l.from_id = ${at(depth, 'id')} and l.relation = ${name}
        and exists (select 1 ${there} and ${related} = l.to_id and ${meets} ${notJoined}) ${notJoined})`
    case 'linking':
      return sql`exists (select 1 from links l where l.workspace_id = ${scope.workspace.id}
        and l.to_id = ${at(depth, 'id')} and l.from_type = ${relation.to}
        and exists (select 1 ${there} and ${related} = l.from_id and ${meets} ${notJoined}) ${notJoined})`
    case 'field':
      return sql`exists (select 1 from field_values v where ${isValueOf(scope, relation.field)}
        and v.record = ${at(depth, 'number')}
        and exists (select 1 ${there} and ${related} = v.match_key and ${meets} ${notJoined}) ${notJoined})`
    case 'inverse':
      return sql`exists (select 1 from field_values v where ${isValueOf(scope, relation.field)}
        and v.match_key = ${at(depth, 'id')}
        and exists (select 1 ${there} and ${at(inner, 'number')} = v.record and ${meets} ${notJoined}) ${notJoined})`
  }
}

function searchTest(scope: Reader, { resource, ways, external_id }: Node<'search'>, depth: number): Bool {
  const field = documentField(resource)
  const each = ways.map((parts) => scope.engine.search.contains(scope.workspace.number, field, { parts, depth }))
  if (external_id !== undefined) {
    const held = sql`external_ids e where e.workspace_id = ${scope.workspace.id} and e.record_id = ${at(depth, 'id')}`
    each.push(scope.engine.hints.hasRow(held, 'e', sql`and e.external_id = ${external_id}`))
  }
  return sql`(${sql.join(each, sql` or `)})`
}

function assignedToMe(scope: Reader, assigned: boolean, depth: number): Bool {
  const mine = sql`exists (select 1 from links l where l.workspace_id = ${scope.workspace.id}
    and l.from_id = ${at(depth, 'id')} and l.relation = 'assignees' and l.to_id = ${scope.actor.user_id})`
  return assigned ? sql`${mine}` : sql`not ${mine}`
}
