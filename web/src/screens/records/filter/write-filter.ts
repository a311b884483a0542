import { allOf } from '@kith/contract/relative/all-of'
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
