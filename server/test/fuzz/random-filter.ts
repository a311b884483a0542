import { generalSchema } from '@kith/contract/registry'
import { type ResourceName, resourceIn, resourceNames } from '@kith/contract/resource'
import type { Chance } from '../../src/sample/chance.ts'
import { codeOf } from '../derived/full-records.ts'
import { valueTypeNames } from '../field-samples.ts'
import type { World } from './fuzzed-world.ts'
import { nastyJson, nastyText } from './nasty.ts'

export const OPERATORS = [
  '$eq',
  '$contains',
  '$is_empty',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$has_any',
  '$has_none',
  '$in',
  '$not_in',
  '$and',
  '$or',
  '$not',
  'eq',
  '$',
  '',
]

/** A filter as JSON text, nearly right most of the time. */
export function randomFilter(chance: Chance, world: World, resource: ResourceName, depth: number): string {
  const key = chance.pick(filterKeys(chance, resource))
  if (depth > 5 || chance.oneIn(10)) return nastyJson(chance)
  if (key === '$and' || key === '$or')
    return `{"${key}":[${randomFilter(chance, world, resource, depth + 1)},${randomFilter(chance, world, resource, depth + 1)}]}`
  if (key === '$not') return `{"$not":${randomFilter(chance, world, resource, depth + 1)}}`
  if (key in resourceIn(generalSchema, resource).relations && chance.oneIn(2))
    return `{"${key}":${randomFilter(chance, world, chance.pick(resourceNames), depth + 1)}}`
  const operand = chance.oneIn(3) ? JSON.stringify([chance.pick(world.foreign), nastyText(chance)]) : nastyJson(chance)
  const operators = `{"${chance.pick(OPERATORS)}":${operand}}`
  return key.startsWith('my_') ? `{"custom_fields":{"${key}":${operators}}}` : `{${JSON.stringify(key)}:${operators}}`
}

/** What filters may ask about. */
export function filterKeys(chance: Chance, resource: ResourceName | null): string[] {
  const relations = resource ? Object.keys(resourceIn(generalSchema, resource).relations) : []
  return [
    'name',
    'title',
    'created_at',
    'creator',
    'custom_fields',
    codeOf(chance.pick(valueTypeNames)),
    '$and',
    '$or',
    '$not',
    '0',
    '1',
    'domain',
    ...relations,
  ]
}
