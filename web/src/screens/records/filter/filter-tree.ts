import { type Operator, operators } from '@kith/contract/operators'

/**
 * A filter as a person builds it. It says the same as the filter of the API, one condition to a line. Unfinished
 * conditions (no field yet, no value yet) are in the tree only.
 */
export type FilterNode = ConditionNode | GroupNode | RelatedNode

/** What a condition asks about: an attribute, a relation as a whole, a custom field, or the hosts of its values. */
export type Subject =
  | { kind: 'native'; name: string }
  | { kind: 'custom'; code: string; hosts: boolean }
  /** Inside conditions on related records: which of them it is. */
  | { kind: 'itself' }

/** What lists and views know beyond the operators of the API: a period such as this month, and two days. */
export type ListOperator = Operator | '$during' | '$between'

export function isOperator(word: string): word is ListOperator {
  return word === '$during' || word === '$between' || operators.some((operator) => operator === word)
}

export type ConditionNode = {
  node: 'condition'
  key: number
  subject: Subject | undefined
  operator: ListOperator | undefined
  value: unknown
}

export type GroupMode = 'all' | 'any' | 'not-all' | 'none'

export type GroupNode = { node: 'group'; key: number; mode: GroupMode; children: readonly FilterNode[] }

/** Some record at the other end of a relation meets all of these together. */
export type RelatedNode = { node: 'related'; key: number; relation: string; children: readonly FilterNode[] }

let lastKey = 0

/** Lines of a builder come and go, so each has an identity of its own. */
export function newKey(): number {
  lastKey++
  return lastKey
}

export function emptyCondition(): ConditionNode {
  return { node: 'condition', key: newKey(), subject: undefined, operator: undefined, value: undefined }
}

export function emptyGroup(mode: GroupMode = 'all'): GroupNode {
  return { node: 'group', key: newKey(), mode, children: [emptyCondition()] }
}

export function isComplete({ subject, operator, value }: ConditionNode): boolean {
  return subject !== undefined && operator !== undefined && value !== undefined
}

/** How many finished conditions there are, as the API counts them. */
export function conditionsIn(node: FilterNode): number {
  if (node.node === 'condition') return isComplete(node) ? 1 : 0
  return node.children.reduce((sum, child) => sum + conditionsIn(child), 0)
}
