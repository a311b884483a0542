import { creationSources } from '@kith/contract/creation-source'
import { fieldTypes } from '@kith/contract/field-types'
import { generalSchema, registry } from '@kith/contract/registry'
import { type RelatedType, type ResourceName, resourceIn } from '@kith/contract/resource'
import fc from 'fast-check'
import { kindOf, type OwnKind, type ValueTypeName, valueTypeNames } from '../field-samples.ts'
import type { Filter } from './evaluate-filter.ts'
import { codeOf, days, labels, poolOf, recordsOf, type World } from './random-world.ts'

const CONDITIONS_MAX = 20

/** Valid filters of a resource, of every kind of node and as deep as the limits allow. */
export function filtersOf(world: World): (type: ResourceName) => fc.Arbitrary<Filter> {
  const nodes = makerOfNodes(world)
  return (type) => nodes(type, { logic: 3, relations: 2 }).filter((filter) => countIn(filter) <= CONDITIONS_MAX)
}

/** Several conditions on custom fields, and nothing else: what the indexes of values can answer by themselves. */
export function fieldFiltersOf(world: World): (type: ResourceName) => fc.Arbitrary<Filter> {
  const choice = fc.constantFrom(...poolOf('select')).map(($eq) => ({ [codeOf('select')]: { $eq } }))
  return (type) => {
    const fields = fieldsOf(world, type)
    const several = fc.tuple(fields, fc.oneof(choice, fields))
    return several.map((all) => ({ custom_fields: Object.assign({}, ...all) }))
  }
}

/** Every operator is one condition. */
function countIn(filter: Filter): number {
  let count = 0
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$and' || key === '$or') for (const item of value) count += countIn(item)
    else if (key.startsWith('$') && key !== '$not') count++
    else count += countIn(value)
  }
  return count
}

/** How many levels of each kind may still follow. */
type Left = { logic: number; relations: number }
type Nodes = (type: ResourceName, left: Left) => fc.Arbitrary<Filter>

/** Each kind of node is made once, for there are few and they hold each other many times over. */
function makerOfNodes(world: World): Nodes {
  const made = new Map<string, fc.Arbitrary<Filter>>()
  const nodes: Nodes = (type, left) => {
    const key = `${type} ${left.logic} ${left.relations}`
    const node = made.get(key) ?? nodeOf(world, type, left, nodes)
    made.set(key, node)
    return node
  }
  return nodes
}

/** An object of one to three conditions, joined by AND. */
function nodeOf(world: World, type: ResourceName, left: Left, nodes: Nodes): fc.Arbitrary<Filter> {
  const entries: fc.WeightedArbitrary<[string, unknown]>[] = [
    { weight: 5, arbitrary: nativeEntry(type) },
    { weight: 1, arbitrary: named('id', { $in: idsOf(world, type), $not_in: idsOf(world, type) }) },
    { weight: 2, arbitrary: externalIdsEntry() },
    { weight: 7, arbitrary: fieldsOf(world, type).map((fields) => ['custom_fields', fields]) },
  ]
  if (left.logic > 0) {
    const inner = nodes(type, { ...left, logic: left.logic - 1 })
    const list = fc.array(inner, { minLength: 1, maxLength: 3 })
    entries.push({ weight: 2, arbitrary: list.map((all) => ['$and', all]) })
    entries.push({ weight: 3, arbitrary: list.map((all) => ['$or', all]) })
    entries.push({ weight: 3, arbitrary: inner.map((one) => ['$not', one]) })
  }
  if (left.relations > 0) entries.push({ weight: 6, arbitrary: relationEntry(world, type, left, nodes) })
  const amount = { minLength: 1, maxLength: 3, size: '-1' } as const
  return fc.array(fc.oneof(...entries), amount).map((all) => Object.fromEntries(all))
}

function nativeEntry(type: ResourceName): fc.Arbitrary<[string, unknown]> {
  const source = fc.constantFrom(...creationSources)
  const entries: fc.Arbitrary<[string, unknown]>[] = [
    named(resourceIn(generalSchema, type).label, {
      $eq: textIn(labels),
      $contains: partIn(labels),
      $is_empty: fc.boolean(),
    }),
    named('created_at', { ...comparisons(momentIn(days)), $is_empty: fc.boolean() }),
    named('updated_at', { ...comparisons(momentIn([...days, '2026-04-04', '2026-04-05'])), $is_empty: fc.boolean() }),
    named('creation_source', { $eq: source, $in: listOf(source), $not_in: listOf(source), $is_empty: fc.boolean() }),
  ]
  if (resourceIn(generalSchema, type).assignable) entries.push(named('assigned_to_me', { $eq: fc.boolean() }))
  return fc.oneof(...entries)
}

function externalIdsEntry(): fc.Arbitrary<[string, unknown]> {
  const id = fc.tuple(fc.constantFrom('c', 'C', 'e,', ' c'), fc.nat(220)).map(([start, place]) => start + place)
  const ids = fc.array(id, { minLength: 1, maxLength: 30, size: 'max' })
  const test = operatorsOf({ $has_any: ids, $has_none: ids, $is_empty: fc.boolean() })
  return fc
    .tuple(fc.constantFrom('crm', 'erp', 'unused'), test)
    .map(([name, tests]) => ['external_ids', { [name]: tests }])
}

function relationEntry(world: World, type: ResourceName, left: Left, nodes: Nodes): fc.Arbitrary<[string, unknown]> {
  const linking = (['tasks', 'notes'] as const).filter((from) =>
    Object.values(registry[from].links).some(({ to }) => to === type),
  )
  const all = [
    ...Object.entries(resourceIn(generalSchema, type).relations).map(([name, { to }]) => ({ name, to })),
    ...linking.map((name) => ({ name, to: name })),
  ]
  const relations = all.map(({ name, to }) => {
    const many = idsOf(world, to)
    const links = operatorsOf({ $in: many, $not_in: many, $is_empty: fc.boolean() })
    if (to === 'users') return links.map((test): [string, unknown] => [name, test])
    const nested = nodes(to, { ...left, relations: left.relations - 1 })
    const both = fc.tuple(links, nested).map(([test, conditions]) => ({ ...test, ...conditions }))
    const node = fc.oneof(links, { arbitrary: nested, weight: 2 }, both)
    return node.map((test): [string, unknown] => [name, test])
  })
  return fc.oneof(...relations)
}

function idsOf(world: World, to: RelatedType): fc.Arbitrary<string[]> {
  const ids = fc.oneof(
    fc.constantFrom(
      ...(to === 'users'
        ? [...world.members, ...world.left]
        : recordsOf(world, to)
            .slice(0, 60)
            .map(({ id }) => id)),
    ),
    fc.constantFrom('00000000000000000000000000', world.records.notes[0]?.id ?? ''),
  )
  const anyCase = fc.tuple(ids, fc.boolean()).map(([id, upper]) => (upper ? id.toUpperCase() : id))
  return fc.array(anyCase, { minLength: 1, maxLength: 12, size: 'max' })
}

function fieldsOf(world: World, type: ResourceName): fc.Arbitrary<Filter> {
  const entries = valueTypeNames.map((name) => {
    const start = `${type} ${codeOf(name)} `
    const ids = [...world.labels.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length))
    return named(codeOf(name), testsOf(name, ids))
  })
  return fc
    .array(fc.oneof(...entries), { minLength: 1, maxLength: 2, size: '-1' })
    .map((all) => Object.fromEntries(all))
}

/** The operators of a type of field with operands that its values may meet. */
function testsOf(name: ValueTypeName, optionIds: readonly string[]): Record<string, fc.Arbitrary<unknown>> {
  const { operators, hosts } = fieldTypes[name]
  const pool = poolOf(name)
  const item = operandOf(kindOf(name), pool, optionIds)
  const tests = operators.map((operator): [string, fc.Arbitrary<unknown>] => {
    if (operator === '$is_empty') return [operator, fc.boolean()]
    if (operator === '$contains') return [operator, partIn(pool.map(String))]
    return [operator, lists.includes(operator) ? listOf(item) : item]
  })
  const host = fc.constantFrom('acme.com', 'ACME.com', 'www.acme.com', 'mail.acme.com', 'other.org', 'nowhere.net')
  const domain = operatorsOf({ $in: listOf(host), $not_in: listOf(host) })
  return { ...Object.fromEntries(tests), ...(hosts ? { domain } : {}) }
}

const lists = ['$in', '$not_in', '$has_any', '$has_none']

/** One operand: a value of the pool in this or another spelling, or one that no record holds. */
function operandOf(kind: OwnKind, pool: readonly unknown[], optionIds: readonly string[]): fc.Arbitrary<unknown> {
  const texts = pool.map(String)
  const upper = texts.map((text) => text.toUpperCase())
  switch (kind) {
    case 'Number':
      return fc.constantFrom(...pool, 0.2, -100, 1e9)
    case 'Date':
      return textIn([...texts, ...texts.map((day) => `${day}T23:30:00-02:00`)])
    case 'DateTime':
      return textIn([...texts, '2026-02-01', '2026-02-02', '2026-02-01T00:30+00:30'])
    case 'Choice':
    case 'Choices':
      return textIn([...texts, ...upper, ...optionIds])
    case 'Tags':
      return textIn([...texts, 'Vip', 'a', 'b'])
    case 'Emails':
      return textIn([...texts, ...upper, 'no@acme.com'])
    case 'Phones':
      return textIn([...texts, '+1 (415) 555-0100', '0049 30 123456', '+14155550199'])
    case 'Links':
      return textIn([...texts, 'ACME.COM/', 'https://WWW.acme.com/about', 'acme.com/about', 'http://other.org/X/'])
    case 'Domains':
      return textIn([...texts, 'https://www.Acme.com/x?y', 'WWW.OTHER.ORG', 'none.org'])
    default:
      return fc.constantFrom(...pool)
  }
}

function named(name: string, tests: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<[string, unknown]> {
  return operatorsOf(tests).map((test) => [name, test])
}

/** One operator, sometimes two. */
function operatorsOf(tests: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Filter> {
  const entries = Object.entries(tests).map(([operator, operand]) =>
    operand.map((value): [string, unknown] => [operator, value]),
  )
  return fc
    .array(fc.oneof(...entries), { minLength: 1, maxLength: 2, size: '-1' })
    .map((all) => Object.fromEntries(all))
}

function comparisons(operand: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  return { $eq: operand, $gt: operand, $gte: operand, $lt: operand, $lte: operand }
}

function listOf(item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  return fc.array(item, { minLength: 1, maxLength: 4 })
}

function textIn(pool: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...pool)
}

/** A piece of one of the texts, in any letter case. */
function partIn(pool: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(textIn(pool), fc.nat(), fc.integer({ min: 1, max: 6 }), fc.boolean())
    .map(([text, at, length, upper]) => {
      const characters = [...text]
      const start = at % characters.length
      const part = characters.slice(start, start + length).join('')
      return upper ? part.toUpperCase() : part
    })
}

function momentIn(dayList: readonly string[]): fc.Arbitrary<string> {
  const times = ['T00:00:00.000Z', 'T09:30:00.250Z', 'T23:59:59.999Z', 'T12:00+02:30', '', '']
  return fc.tuple(fc.constantFrom(...dayList), fc.constantFrom(...times)).map(([day, time]) => day + time)
}
