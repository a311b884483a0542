import type { Condition, Test } from '@kith/contract/filter'
import { mergeRanges } from '@kith/contract/merge-ranges'
import type { Relation, Resource } from '@kith/contract/resource'
import type { Scope } from '../scope.ts'
import { type RawBuilder, sql } from './sql.ts'
import { existing, hasHost, hasKey, isAmong, keyOf, within } from './tests.ts'

/** The records that meet a condition, found from an index and not by looking at every record. */
export type RecordSet = {
  /** Selects `record_id`, and `created_at` where it is dated; a record may come more than once. */
  select: RawBuilder<unknown>
  dated: boolean
  /** Sets within it, from which it was made: only while all of these are narrow is it cheap to ask for. */
  within: readonly RecordSet[]
  /** Whether just the live records that meet the condition are in it, each of them once. */
  exact: boolean
}

/** The set of a condition, or undefined where no index leads to it. */
export function setOf(scope: Scope, resource: Resource, condition: Condition): RecordSet | undefined {
  switch (condition.node) {
    case 'field':
      return fieldSet(scope, resource, condition.field.id, condition.test)
    case 'attribute':
      return attributeSet(scope, resource, condition.attribute, condition.test)
    case 'link':
      return condition.test.test === 'in'
        ? relatedSet(scope, resource, condition.relation, condition.name, { ids: condition.test.ids })
        : undefined
    case 'related':
      return relatedSet(scope, resource, condition.relation, condition.name, condition)
    case 'and':
      return firstSet(scope, resource, condition.conditions)
    case 'or':
      return unionSet(scope, resource, condition.conditions)
    default:
      return undefined
  }
}

function fieldSet(scope: Scope, resource: Resource, fieldId: string, test: Test): RecordSet | undefined {
  const values = (matching: RawBuilder<unknown>, exact: boolean): RecordSet => ({
    select: sql`select v.record_id, v.created_at from field_values v
      where v.workspace_id = ${scope.workspace.id} and v.field_id = ${fieldId} and ${matching}`,
    dated: true,
    within: [],
    exact,
  })
  switch (test.test) {
    case 'any':
      return values(hasKey(test), test.keys.length === 1)
    case 'exact':
      return values(hasKey({ keys: [test.key], texts: [test.text] }), true)
    // Ranges are asked of single-valued types only.
    case 'range':
      return values(within(sql`v.match_key`, test.bounds), true)
    case 'number':
      return values(within(sql`v.number_key`, test.bounds), true)
    case 'contains':
      return searched(scope, resource, fieldId, test.part)
    case 'host-any':
      return values(hasHost(test.hosts), false)
    default:
      return undefined
  }
}

function searched(scope: Scope, resource: Resource, shelf: string, part: string): RecordSet {
  const select = scope.engine.search.containing(scope.workspace.id, resource.type, shelf, part)
  return { select, dated: false, within: [], exact: true }
}

function attributeSet(scope: Scope, resource: Resource, attribute: string, test: Test): RecordSet | undefined {
  const there = existing(scope, resource.type, 1)
  switch (test.test) {
    case 'exact': {
      const column = sql.ref(`r1.${attribute}`)
      return {
        select: sql`select r1.id as record_id, r1.created_at ${there}
          and r1.name_key = ${test.key} and ${column} = ${test.text}`,
        dated: true,
        within: [],
        exact: true,
      }
    }
    case 'range':
      return {
        select: sql`select r1.id as record_id, r1.created_at ${there} and ${within(sql.ref(`r1.${attribute}`), test.bounds)}`,
        dated: true,
        within: [],
        exact: true,
      }
    case 'contains':
      return searched(scope, resource, resource.type, test.part)
    default:
      return undefined
  }
}

type Wanted = { ids?: readonly string[]; condition?: Condition }

/** Records by what they are related to: by given ids, or by a set of related records. */
function relatedSet(
  scope: Scope,
  resource: Resource,
  relation: Relation,
  name: string,
  { ids, condition }: Wanted,
): RecordSet | undefined {
  const inner = ids ? undefined : condition && innerSet(scope, condition)
  if (!ids && !inner) return undefined
  const among = (column: RawBuilder<unknown>) =>
    ids
      ? sql`${column} in (${sql.join(ids)})`
      : sql`${column} in (select record_id from (${inner?.select ?? sql``}) related)`
  const set = (select: RawBuilder<unknown>, exact = false): RecordSet => ({
    select,
    dated: exact,
    within: inner ? [inner] : [],
    exact,
  })
  switch (relation.kind) {
    case 'reference':
      return set(
        sql`select r1.id as record_id ${existing(scope, resource.type, 1)} and ${among(sql.ref(`r1.${relation.column}`))}`,
      )
    case 'referring':
      return set(sql`select ${sql.ref(`r1.${relation.column}`)} as record_id ${existing(scope, relation.to, 1)}
        and ${ids ? isAmong(relation.to, ids, 1) : among(sql.ref(`r1.${keyOf(relation.to)}`))}
        and ${sql.ref(`r1.${relation.column}`)} is not null`)
    case 'linked':
      return set(sql`select l.from_id as record_id from links l where l.workspace_id = ${scope.workspace.id}
        and l.from_type = ${resource.type} and l.relation = ${name} and ${among(sql`l.to_id`)}`)
  }
}

/** A nested condition speaks of the resource that its own parts name. */
function innerSet(scope: Scope, condition: Condition): RecordSet | undefined {
  const resource = resourceIn(condition)
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

/** Of conditions that must all hold, one set is enough: the others are probed. */
function firstSet(scope: Scope, resource: Resource, conditions: readonly Condition[]): RecordSet | undefined {
  const merged = mergeRanges(conditions)
  for (const condition of merged) {
    const set = setOf(scope, resource, condition)
    if (set) return { ...set, exact: set.exact && merged.length === 1 }
  }
  return undefined
}

function unionSet(scope: Scope, resource: Resource, conditions: readonly Condition[]): RecordSet | undefined {
  const sets: RecordSet[] = []
  for (const condition of conditions) {
    const set = setOf(scope, resource, condition)
    if (!set) return undefined
    sets.push(set)
  }
  const select = sql.join(
    sets.map((set) => sql`select record_id from (${set.select}) one`),
    sql` union all `,
  )
  return { select, dated: false, within: sets, exact: false }
}
