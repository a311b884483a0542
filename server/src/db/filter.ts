import type { Bounds, Condition, LinkTest, Test } from '@kith/contract/filter'
import type { RelatedType, Relation, Resource } from '@kith/contract/resource'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Scope } from '../scope.ts'

type Bool = RawBuilder<SqlBool>

const NEVER: Bool = sql`1 = 0`
const ALWAYS: Bool = sql`1 = 1`

/** A condition as SQL on the table alias `r<depth>`. Every piece is true or false, never null, so that `not` is a complement. */
export function compileFilter(scope: Scope, condition: Condition, depth = 0): Bool {
  switch (condition.node) {
    case 'and':
      return joined(scope, condition.conditions, depth, sql` and `)
    case 'or':
      return joined(scope, condition.conditions, depth, sql` or `)
    case 'not':
      return sql`not (${compileFilter(scope, condition.condition, depth)})`
    case 'attribute':
      return attributeTest(scope, condition.resource, condition.attribute, condition.test, depth)
    case 'field':
      return fieldTest(scope, condition.resource, condition.field.id, condition.test, depth)
    case 'link':
      return linkTest(scope, condition.relation, condition.name, condition.test, depth)
    case 'related':
      return related(scope, condition.relation, condition.name, depth, meets(scope, condition, depth + 1))
    case 'assigned-to-me':
      return assignedToMe(scope, condition.assigned, depth)
  }
}

function joined(scope: Scope, conditions: readonly Condition[], depth: number, word: RawBuilder<unknown>): Bool {
  return sql`(${sql.join(
    conditions.map((condition) => compileFilter(scope, condition, depth)),
    word,
  )})`
}

/** The alias of the table at a depth of nesting. The depth is ours, never a caller's. */
function at(depth: number, column: string): RawBuilder<unknown> {
  return sql.ref(`r${depth}.${column}`)
}

function attributeTest(scope: Scope, resource: Resource, attribute: string, test: Test, depth: number): Bool {
  const column = at(depth, attribute)
  switch (test.test) {
    // Native attributes are never empty.
    case 'empty':
      return test.empty ? NEVER : ALWAYS
    case 'any':
      return sql`${column} in (${sql.join(test.keys)})`
    case 'none':
      return sql`${column} not in (${sql.join(test.keys)})`
    case 'exact':
      return sql`(${at(depth, 'name_key')} = ${test.key} and ${column} = ${test.text})`
    case 'range':
      return within(column, test.bounds)
    case 'contains':
      return contains(scope, resource, resource.type, test.part, depth)
    default:
      throw new Error(`No native attribute takes the test ${test.test}.`)
  }
}

function fieldTest(scope: Scope, resource: Resource, fieldId: string, test: Test, depth: number): Bool {
  const id = at(depth, 'id')
  const values = sql`select v.record_id from field_values v where v.workspace_id = ${scope.workspace.id} and v.field_id = ${fieldId}`
  switch (test.test) {
    case 'empty': {
      const held = sql`exists (select 1 from field_values v where v.workspace_id = ${scope.workspace.id}
        and v.record_id = ${id} and v.field_id = ${fieldId})`
      return test.empty ? sql`not ${held}` : sql`${held}`
    }
    case 'any':
      return sql`${id} in (${values} and ${keysMatch(test)})`
    case 'none':
      return sql`${id} not in (${values} and ${keysMatch(test)})`
    case 'exact':
      return sql`${id} in (${values} and v.match_key = ${test.key} and coalesce(v.exact, v.match_key) = ${test.text})`
    case 'range':
      return sql`${id} in (${values} and ${within(sql`v.match_key`, test.bounds)})`
    case 'number':
      return sql`${id} in (${values} and ${within(sql`v.number_key`, test.bounds)})`
    case 'contains':
      return contains(scope, resource, fieldId, test.part, depth)
    case 'host-any':
      return sql`${id} in (${values} and v.host_key in (${sql.join(test.hosts)}))`
    case 'host-none':
      return sql`${id} not in (${values} and v.host_key in (${sql.join(test.hosts)}))`
  }
}

function keysMatch({ keys, texts }: { keys: readonly string[]; texts?: readonly string[] }): RawBuilder<unknown> {
  const matching = sql`v.match_key in (${sql.join(keys)})`
  return texts ? sql`${matching} and coalesce(v.exact, v.match_key) in (${sql.join(texts)})` : matching
}

function contains(scope: Scope, resource: Resource, shelf: string, part: string, depth: number): Bool {
  const holding = scope.engine.search.containing(scope.workspace.id, resource.type, shelf, part)
  return sql`${at(depth, 'id')} in (${holding})`
}

function within<T>(column: RawBuilder<unknown>, bounds: Bounds<T>): Bool {
  const parts: Bool[] = []
  if (bounds.from !== undefined) parts.push(sql`${column} >= ${bounds.from}`)
  if (bounds.after !== undefined) parts.push(sql`${column} > ${bounds.after}`)
  if (bounds.to !== undefined) parts.push(sql`${column} <= ${bounds.to}`)
  if (bounds.before !== undefined) parts.push(sql`${column} < ${bounds.before}`)
  return parts.length === 0 ? ALWAYS : sql`(${sql.join(parts, sql` and `)})`
}

function linkTest(scope: Scope, relation: Relation, name: string, test: LinkTest, depth: number): Bool {
  const inner = depth + 1
  if (test.test === 'empty') {
    const some = related(scope, relation, name, depth, ALWAYS)
    return test.empty ? sql`not ${some}` : some
  }
  const among = related(scope, relation, name, depth, isAmong(relation.to, test.ids, inner))
  return test.test === 'in' ? among : sql`not ${among}`
}

function isAmong(to: RelatedType, ids: readonly string[], depth: number): Bool {
  return sql`${at(depth, to === 'users' ? 'user_id' : 'id')} in (${sql.join(ids)})`
}

function meets(
  scope: Scope,
  { to, ids, condition }: { to: RelatedType; ids?: readonly string[]; condition?: Condition },
  depth: number,
): Bool {
  const parts: Bool[] = []
  if (ids) parts.push(isAmong(to, ids, depth))
  if (condition) parts.push(compileFilter(scope, condition, depth))
  return parts.length === 0 ? ALWAYS : sql`(${sql.join(parts, sql` and `)})`
}

/** Some related member or live record, under the alias of the next depth, meets the condition. */
function related(scope: Scope, relation: Relation, name: string, depth: number, condition: Bool): Bool {
  const inner = depth + 1
  const there = existing(scope, relation.to, inner)
  const key = at(inner, relation.to === 'users' ? 'user_id' : 'id')
  switch (relation.kind) {
    case 'reference': {
      const column = at(depth, relation.column)
      return sql`(${column} is not null and ${column} in (select ${key} ${there} and ${condition}))`
    }
    case 'referring':
      return sql`${at(depth, 'id')} in (select ${at(inner, relation.column)} ${there}
        and ${at(inner, relation.column)} is not null and ${condition})`
    case 'linked':
      return sql`${at(depth, 'id')} in (select l.from_id from links l where l.workspace_id = ${scope.workspace.id}
        and l.relation = ${name} and l.to_id in (select ${key} ${there} and ${condition}))`
  }
}

/** `from … where` of the members, or of the live records of a resource. */
function existing(scope: Scope, to: RelatedType, depth: number): RawBuilder<unknown> {
  const alias = sql.raw(`r${depth}`)
  return to === 'users'
    ? sql`from members ${alias} where ${at(depth, 'workspace_id')} = ${scope.workspace.id}`
    : sql`from ${sql.table(to)} ${alias} where ${at(depth, 'workspace_id')} = ${scope.workspace.id}
        and ${at(depth, 'deleted_at')} is null`
}

function assignedToMe(scope: Scope, assigned: boolean, depth: number): Bool {
  const mine = sql`exists (select 1 from links l where l.workspace_id = ${scope.workspace.id}
    and l.from_id = ${at(depth, 'id')} and l.relation = 'assignees' and l.to_id = ${scope.actor.user_id})`
  return assigned ? sql`${mine}` : sql`not ${mine}`
}
