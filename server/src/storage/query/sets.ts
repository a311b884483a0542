import type { Condition, Test } from '@kith/contract/filter'
import { mergeRanges } from '@kith/contract/merge-ranges'
import type { RelatedType, Relation, Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { distinctIds, lookedUp } from './look-up.ts'
import { existing, hasHost, hasKey, keyOf, within } from './tests.ts'

/** The records that meet a condition, found from an index and not by looking at every record. */
export type RecordSet = {
  /** Selects `record_id`, and `created_at` where it is dated; a record may come more than once. */
  select: RawBuilder<unknown>
  dated: boolean
  /** Sets within it, from which it was made: only while all of these are narrow is it cheap to ask for. */
  within: readonly RecordSet[]
  /** Whether just the live records that meet the condition are in it, each of them once. */
  exact: boolean
  /** Whether it is a part of one index, and just the live records that meet the condition are in it, though perhaps more than once. */
  plain: boolean
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
    plain: true,
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
  return { select, dated: false, within: [], exact: true, plain: false }
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
        plain: true,
      }
    }
    case 'range':
      return {
        select: sql`select r1.id as record_id, r1.created_at ${there} and ${within(sql.ref(`r1.${attribute}`), test.bounds)}`,
        dated: true,
        within: [],
        exact: true,
        plain: true,
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
  const belonging = (table: string, alias: string, column: string, where: RawBuilder<unknown>) => {
    const key = sql.ref(`${alias}.${column}`)
    if (!inner)
      return sql`from ${sql.table(table)} ${sql.raw(alias)} where ${where} and ${key} in (${sql.join(ids ?? [])})`
    const each = sql`(${distinctIds(scope, inner.select)}) related`
    return lookedUp(scope, { each, table, alias, where: sql`${where} and ${key} = related.record_id` })
  }
  const set = (select: RawBuilder<unknown>, exact = false): RecordSet => ({
    select,
    dated: exact,
    within: inner ? [inner] : [],
    exact,
    plain: false,
  })
  const ours = (alias: string) => sql`${sql.ref(`${alias}.workspace_id`)} = ${scope.workspace.id}`
  const live = (to: RelatedType) => (to === 'users' ? ours('r1') : sql`${ours('r1')} and r1.deleted_at is null`)
  switch (relation.kind) {
    case 'reference': {
      // A record refers to one other, so that it comes once. Given ids may be those of deleted records.
      const referring = belonging(resource.type, 'r1', relation.column, live(resource.type))
      return set(sql`select r1.id as record_id, r1.created_at ${referring}`, inner?.exact ?? false)
    }
    case 'referring': {
      const column = sql.ref(`r1.${relation.column}`)
      const related = belonging(
        relation.to,
        'r1',
        keyOf(relation.to),
        sql`${live(relation.to)} and ${column} is not null`,
      )
      return set(sql`select ${column} as record_id ${related}`)
    }
    case 'linked': {
      const named = sql`${ours('l')} and l.from_type = ${resource.type} and l.relation = ${name}`
      return set(sql`select l.from_id as record_id ${belonging('links', 'l', 'to_id', named)}`)
    }
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
    if (set) return { ...set, exact: set.exact && merged.length === 1, plain: set.plain && merged.length === 1 }
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
  return { select, dated: false, within: sets, exact: false, plain: false }
}
