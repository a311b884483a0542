import { filterAt } from '../../../properties/property.ts'
import type { FilterObject } from '../list-state.ts'
import { type ConditionNode, type FilterNode, type GroupNode, isComplete } from './filter-tree.ts'

/** The filter of the API that a tree says; undefined where nothing in it is finished. */
export function writeFilter(node: FilterNode): FilterObject | undefined {
  switch (node.node) {
    case 'condition':
      return isComplete(node) ? writeCondition(node) : undefined
    case 'related': {
      const inner = allOf(written(node.children))
      return inner && filterAt(node.relation, inner)
    }
    case 'group':
      return writeGroup(node)
  }
}

function writeGroup({ mode, children }: GroupNode): FilterObject | undefined {
  const parts = written(children)
  switch (mode) {
    case 'all':
      return allOf(parts)
    case 'any':
      return any(parts)
    case 'not-all':
      return negated(allOf(parts))
    case 'none':
      return negated(any(parts))
  }
}

function writeCondition({ subject, operator, value }: ConditionNode): FilterObject {
  const test = { [String(operator)]: value }
  if (subject?.kind === 'native') return { [subject.name]: test }
  if (subject?.kind === 'custom') return { custom_fields: { [subject.code]: subject.hosts ? { domain: test } : test } }
  return test
}

function written(children: readonly FilterNode[]): FilterObject[] {
  return children.map(writeFilter).filter((part) => part !== undefined)
}

function any(parts: readonly FilterObject[]): FilterObject | undefined {
  return parts.length > 1 ? { $or: parts } : parts[0]
}

function negated(part: FilterObject | undefined): FilterObject | undefined {
  return part && { $not: part }
}

/** Keys of one object are joined by AND; keys that would overwrite each other go into `$and`. */
export function allOf(parts: readonly FilterObject[]): FilterObject | undefined {
  const [first, ...others] = parts
  if (!first) return undefined
  const apart: FilterObject[] = []
  let together = first
  for (const part of others) {
    const merged = mergedWith(together, part)
    if (merged) together = merged
    else apart.push(part)
  }
  if (apart.length === 0) return together
  return { ...together, $and: [...(Array.isArray(together.$and) ? together.$and : []), ...apart] }
}

/**
 * Undefined if both use the same name. Relations are never merged: each is about a record of its own. Periods are
 * never merged either: they become bounds, which other bounds would overwrite.
 */
function mergedWith(one: FilterObject, other: FilterObject): FilterObject | undefined {
  const merged: Record<string, unknown> = { ...one }
  for (const [key, value] of Object.entries(other)) {
    const present = merged[key]
    if (present === undefined) merged[key] = value
    else if (key.startsWith('$') || !isObject(present) || !isObject(value)) return undefined
    else if (key === 'custom_fields') {
      const inner = mergedWith(present, value)
      if (!inner) return undefined
      merged[key] = inner
    } else if (isTest(present) && isTest(value) && !isApart(present) && !isApart(value)) {
      if (Object.keys(value).some((operator) => Object.hasOwn(present, operator))) return undefined
      merged[key] = { ...present, ...value }
    } else return undefined
  }
  return merged
}

function isTest(node: Record<string, unknown>): boolean {
  return Object.keys(node).every((key) => key.startsWith('$') && !['$and', '$or', '$not'].includes(key))
}

function isApart(node: Record<string, unknown>): boolean {
  return ['$in', '$not_in', '$during', '$between'].some((operator) => operator in node)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
