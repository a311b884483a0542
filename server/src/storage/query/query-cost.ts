import type { Condition, LinkTest, Test } from '@kith/contract/filter'
import type { SortKey } from '@kith/contract/list-query'
import { isToMany, type LinkingRelation, type Relation, type Resource } from '@kith/contract/resource'
import type { Reader } from '../engines/engine.ts'
import { conjunctsOf } from './plan.ts'

/** A part of a query by its path, how often it occurs, and its cost relative to other parts. */
export type Expense = {
  kind: 'probe' | 'indexed' | 'sort' | 'total'
  path: string
  times: number
  cost: number
}

export type Costly = {
  resource: Resource
  filter?: Condition | undefined
  sort?: readonly SortKey[]
  /** Whether all matches are counted. */
  total?: boolean
}

/** A condition that has an index is checked per record only if another condition is narrower. */
const INDEXED_COST = 0.2

/**
 * What a query costs, the most expensive part first. As in the plan, conditions without an index are checked per row.
 */
export function expensesOf(scope: Reader, { resource, filter, sort = [], total = false }: Costly): Expense[] {
  const expenses = new Map<string, Expense>()
  const add = (kind: Expense['kind'], path: string, cost: number) => {
    const known = expenses.get(path)
    if (known) Object.assign(known, { times: known.times + 1, cost: known.cost + cost })
    else expenses.set(path, { kind, path, times: 1, cost })
  }
  for (const { condition, set } of filter ? conjunctsOf(scope, resource, filter) : []) {
    const kind = set ? 'indexed' : 'probe'
    const weight = set ? INDEXED_COST : 1
    for (const { path, cost } of probesOf({ condition, path: 'filter', weight })) add(kind, path, cost)
  }
  for (const key of sort) {
    // The order of one field alone is that of the index of its values.
    if (key.by === 'field') add('sort', `sort=custom_fields.${key.field.code}`, sort.length > 1 ? SORT_COST : 1)
  }
  const probed = [...expenses.values()].reduce((sum, { cost }) => sum + cost, 0)
  // The total reads every record that the page does not need.
  if (total && filter) add('total', 'total', probed / 2)
  return [...expenses.values()].sort((one, other) => other.cost - one.cost)
}

const SORT_COST = 3

/** The checks on each record, by path. */
function probesOf({
  condition,
  path,
  weight,
}: {
  condition: Condition
  path: string
  weight: number
}): { path: string; cost: number }[] {
  switch (condition.node) {
    case 'and':
    case 'or': {
      const inner = condition.node === 'or' ? `${path}.$or` : path
      return condition.conditions.flatMap((one) => probesOf({ condition: one, path: inner, weight }))
    }
    case 'not':
      return probesOf({ condition: condition.condition, path: `${path}.$not`, weight })
    case 'attribute': {
      const { attribute, test } = condition
      return [{ path: `${path}.${attribute}${operatorOf(test)}`, cost: weight * testCost(test) }]
    }
    case 'field': {
      const { field, test } = condition
      return [{ path: `${path}.custom_fields.${field.code}${operatorOf(test)}`, cost: weight * testCost(test) }]
    }
    case 'external-ids': {
      const { namespace, test } = condition
      return [{ path: `${path}.external_ids.${namespace}${operatorOf(test)}`, cost: weight * testCost(test) }]
    }
    case 'link': {
      const { name, test } = condition
      return [{ path: `${path}.${name}${linkOperators[test.test]}`, cost: weight * relationCost(condition) }]
    }
    case 'related': {
      const at = `${path}.${condition.name}`
      const inner = weight * relationCost(condition)
      if (!condition.condition) return [{ path: `${at}.$in`, cost: inner }]
      return probesOf({ condition: condition.condition, path: at, weight: inner })
    }
    case 'search':
      return [{ path: `${path}.$search`, cost: weight * SEARCH_COST }]
    case 'assigned-to-me':
      return [{ path: `${path}.assigned_to_me`, cost: weight }]
  }
}

/** A document is a text like others. */
const SEARCH_COST = 4

/** Texts are looked up and searched; other values are compared in the index. */
function testCost({ test }: Test): number {
  return test === 'contains' ? 4 : 1
}

/** A record refers to one other; any number may refer to it. */
function relationCost({ relation }: { relation: Relation | LinkingRelation }): number {
  return isToMany(relation) ? 4 : 2
}

/** If several operators lead to the same test, the path without an operator is clear enough. */
function operatorOf({ test }: Test): string {
  if (test === 'contains') return '.$contains'
  return test === 'empty' ? '.$is_empty' : ''
}

const linkOperators: Readonly<Record<LinkTest['test'], string>> = {
  in: '.$in',
  'not-in': '.$not_in',
  empty: '.$is_empty',
}
