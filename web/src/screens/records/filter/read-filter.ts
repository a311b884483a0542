import { relatedResource } from '@kith/contract/filterable-named'
import type { Resource } from '@kith/contract/resource'
import type { FilterObject } from '../list-state.ts'
import {
  type ConditionNode,
  type FilterNode,
  type GroupNode,
  isOperator,
  type ListOperator,
  newKey,
  type Subject,
} from './filter-tree.ts'
import { nameIn } from './filterable-of.ts'

/** The tree of a filter of the API, so that one that came with an address can be changed by hand. */
export function readFilter(filter: FilterObject | undefined, resource: Resource): GroupNode {
  if (!filter) return group('all', [])
  const nodes = readNode(filter, resource)
  const [only] = nodes
  return nodes.length === 1 && only?.node === 'group' ? only : group('all', nodes)
}

/** The lines that an object says; they are joined by AND. */
function readNode(node: FilterObject, resource: Resource): FilterNode[] {
  return Object.entries(node).flatMap(([key, value]): FilterNode[] => {
    if (key === '$and') return listIn(value).flatMap((part) => readNode(part, resource))
    if (key === '$or')
      return [
        group(
          'any',
          listIn(value).map((part) => readPart(part, resource)),
        ),
      ]
    if (key === '$not') return [readNot(value, resource)]
    if (isOperator(key)) return [condition({ kind: 'itself' }, key, value)]
    if (!isObject(value)) return []
    if (key === 'custom_fields') return readCustom(value, resource)
    return readNative(key, value, resource)
  })
}

/** One alternative of several: a single line, or several joined by AND. */
function readPart(part: FilterObject, resource: Resource): FilterNode {
  const nodes = readNode(part, resource)
  const [only] = nodes
  return nodes.length === 1 && only ? only : group('all', nodes)
}

function readNot(value: unknown, resource: Resource): FilterNode {
  const nodes = isObject(value) ? readNode(value, resource) : []
  const [only] = nodes
  if (nodes.length === 1 && only?.node === 'group' && only.mode === 'any') return { ...only, mode: 'none' }
  return group('not-all', nodes)
}

function readNative(name: string, tests: Record<string, unknown>, resource: Resource): FilterNode[] {
  const related = relatedResource(name, resource)
  const subject = { kind: 'native', name } as const
  return related ? readRelation(subject, tests, related) : readTests(subject, tests)
}

function readTests(subject: Subject, tests: Record<string, unknown>): FilterNode[] {
  return Object.entries(tests).flatMap(([operator, value]) =>
    isOperator(operator) ? [condition(subject, operator, value)] : [],
  )
}

function readCustom(fields: Record<string, unknown>, resource: Resource): FilterNode[] {
  return Object.entries(fields).flatMap(([code, tests]) => {
    if (!isObject(tests)) return []
    const subject = { kind: 'custom', code, hosts: false } as const
    const related = relatedResource(nameIn(subject), resource)
    return related ? readRelation(subject, tests, related) : readField(code, tests)
  })
}

function readField(code: string, tests: Record<string, unknown>): FilterNode[] {
  return Object.entries(tests).flatMap(([word, value]): FilterNode[] => {
    if (isOperator(word)) return [condition({ kind: 'custom', code, hosts: false }, word, value)]
    if (word !== 'domain' || !isObject(value)) return []
    return Object.entries(value).flatMap(([operator, hosts]) =>
      isOperator(operator) ? [condition({ kind: 'custom', code, hosts: true }, operator, hosts)] : [],
    )
  })
}

/** Operators are about the link. With further conditions, `$in` says which related record must meet them. */
function readRelation(subject: Subject, value: Record<string, unknown>, related: Resource): FilterNode[] {
  const entries = Object.entries(value)
  const nested = entries.filter(([key]) => !isOperator(key))
  const links = entries.filter(([key]) => isOperator(key))
  if (nested.length === 0) return readTests(subject, value)
  const inside = links.filter(([key]) => key === '$in')
  const tests = links.filter(([key]) => key !== '$in')
  const children = readNode(Object.fromEntries([...inside, ...nested]), related)
  const node: FilterNode = { node: 'related', key: newKey(), relation: nameIn(subject), children }
  return [node, ...readTests(subject, Object.fromEntries(tests))]
}

function group(mode: GroupNode['mode'], children: FilterNode[]): GroupNode {
  return { node: 'group', key: newKey(), mode, children }
}

function condition(subject: Subject, operator: ListOperator, value: unknown): ConditionNode {
  return { node: 'condition', key: newKey(), subject, operator, value }
}

function listIn(value: unknown): FilterObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
