import type { Condition, LinkTest, Test } from '@kith/contract/filter'
import { mergeRanges } from '@kith/contract/merge-ranges'
import type { RelatedType, Relation, Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, type SqlBool, sql } from '../engines/sql.ts'
import { andInTime, existing, found, hasHost, hasKey, isAmong, keptApart, keyOf, within } from './tests.ts'

type Bool = RawBuilder<SqlBool>

const NEVER: Bool = sql`1 = 0`
const ALWAYS: Bool = sql`1 = 1`

/**
 * A condition as SQL on the row under the alias `r<depth>`: a probe, which looks at what belongs to that one row. Every
 * piece is true or false, never null, so that `not` is a complement.
 */
export function compileFilter(scope: Scope, condition: Condition, depth = 0): Bool {
  switch (condition.node) {
    case 'and':
      return joined(scope, mergeRanges(condition.conditions), depth, sql` and `)
    case 'or':
      return joined(scope, condition.conditions, depth, sql` or `)
    case 'not':
      return sql`not (${compileFilter(scope, condition.condition, depth)})`
    case 'attribute':
      return attributeTest(scope, condition.resource, condition.attribute, condition.test, depth)
    case 'field':
      return fieldTest(scope, condition.field.id, condition.test, depth)
    case 'link':
      return linkTest(scope, condition.relation, condition.name, condition.test, depth)
    case 'related':
      return someRelated(scope, condition.relation, condition.name, depth, meets(scope, condition, depth + 1))
    case 'assigned-to-me':
      return assignedToMe(scope, condition.assigned, depth)
  }
}

/** The conditions that must all hold, as SQL, for rows of which only the id may be known. */
export function compileAll(scope: Scope, conditions: readonly Condition[]): Bool {
  return conditions.length === 0 ? ALWAYS : sql`${joined(scope, conditions, 0, sql` and `)} ${andInTime(scope)}`
}

function joined(scope: Scope, conditions: readonly Condition[], depth: number, word: RawBuilder<unknown>): Bool {
  return sql`(${sql.join(
    conditions.map((condition) => compileFilter(scope, condition, depth)),
    word,
  )})`
}

/** A column of the row at a depth of nesting. The depth is ours, never a caller's. */
function at(depth: number, column: string): RawBuilder<unknown> {
  return sql.ref(`r${depth}.${column}`)
}

function attributeTest(scope: Scope, resource: Resource, attribute: string, test: Test, depth: number): Bool {
  // A related record is found by its id; the list itself may well be found by the attribute.
  const column = depth === 0 ? at(depth, attribute) : found(scope, at(depth, attribute))
  switch (test.test) {
    // Native attributes are never empty.
    case 'empty':
      return test.empty ? NEVER : ALWAYS
    case 'any':
      return sql`${column} in (${sql.join(test.keys)})`
    case 'none':
      return sql`${column} not in (${sql.join(test.keys)})`
    case 'exact':
      return sql`(${depth === 0 ? at(depth, 'name_key') : found(scope, at(depth, 'name_key'))} = ${test.key} and ${column} = ${test.text})`
    case 'range':
      return within(column, test.bounds)
    case 'contains':
      return scope.engine.search.holds(scope.workspace.id, resource.type, test.part, depth)
    default:
      throw new Error(`No native attribute takes the test ${test.test}.`)
  }
}

function fieldTest(scope: Scope, fieldId: string, test: Test, depth: number): Bool {
  const held = sql`field_values v where v.workspace_id = ${scope.workspace.id}
    and v.record_id = ${at(depth, 'id')} and v.field_id = ${fieldId}`
  // PostgreSQL, too, would rather look among all records that have the value: what the record itself holds is set apart.
  const some = (matching: RawBuilder<unknown>): Bool =>
    scope.engine.dialect === 'sqlite'
      ? sql`exists (select 1 from ${held} ${matching})`
      : sql`exists (select 1 from (select * from ${held} offset 0) v where true ${matching})`
  const matchKey = found(scope, sql`v.match_key`)
  switch (test.test) {
    case 'empty':
      return test.empty ? sql`not ${some(sql``)}` : some(sql``)
    case 'any':
      return some(sql`and ${hasKey(test, matchKey)}`)
    case 'none':
      return sql`not ${some(sql`and ${hasKey(test, matchKey)}`)}`
    case 'exact':
      return some(sql`and ${hasKey({ keys: [test.key], texts: [test.text] }, matchKey)}`)
    case 'range':
      return some(sql`and ${within(matchKey, test.bounds)}`)
    case 'number':
      return some(sql`and ${within(found(scope, sql`v.number_key`), test.bounds)}`)
    case 'contains':
      return scope.engine.search.holds(scope.workspace.id, fieldId, test.part, depth)
    case 'host-any':
      return some(sql`and ${hasHost(test.hosts, found(scope, sql`v.host_key`))}`)
    case 'host-none':
      return sql`not ${some(sql`and ${hasHost(test.hosts, found(scope, sql`v.host_key`))}`)}`
  }
}

function linkTest(scope: Scope, relation: Relation, name: string, test: LinkTest, depth: number): Bool {
  if (test.test === 'empty') {
    const some = someRelated(scope, relation, name, depth, ALWAYS)
    return test.empty ? sql`not ${some}` : some
  }
  const among = someRelated(scope, relation, name, depth, isAmong(relation.to, test.ids, depth + 1))
  return test.test === 'in' ? among : sql`not ${among}`
}

type Wanted = { to: RelatedType; ids?: readonly string[]; condition?: Condition }

function meets(scope: Scope, { to, ids, condition }: Wanted, depth: number): Bool {
  const parts: Bool[] = []
  if (ids) parts.push(isAmong(to, ids, depth))
  if (condition) parts.push(compileFilter(scope, condition, depth))
  return parts.length === 0 ? ALWAYS : sql`(${sql.join(parts, sql` and `)})`
}

/** Some related member or live record, under the alias of the next depth, meets the condition. */
function someRelated(scope: Scope, relation: Relation, name: string, depth: number, condition: Bool): Bool {
  const inner = depth + 1
  const there = existing(scope, relation.to, inner)
  const related = at(inner, keyOf(relation.to))
  const apart = keptApart(scope)
  switch (relation.kind) {
    case 'reference':
      return sql`exists (select 1 ${there} and ${related} = ${at(depth, relation.column)} and ${condition} ${apart})`
    case 'referring':
      return sql`exists (select 1 ${there} and ${at(inner, relation.column)} = ${at(depth, 'id')} and ${condition} ${apart})`
    case 'linked':
      return sql`exists (select 1 from links l where l.workspace_id = ${scope.workspace.id}
        and l.from_id = ${at(depth, 'id')} and l.relation = ${name}
        and exists (select 1 ${there} and ${related} = l.to_id and ${condition} ${apart}) ${apart})`
  }
}

function assignedToMe(scope: Scope, assigned: boolean, depth: number): Bool {
  const mine = sql`exists (select 1 from links l where l.workspace_id = ${scope.workspace.id}
    and l.from_id = ${at(depth, 'id')} and l.relation = 'assignees' and l.to_id = ${scope.actor.user_id})`
  return assigned ? sql`${mine}` : sql`not ${mine}`
}
