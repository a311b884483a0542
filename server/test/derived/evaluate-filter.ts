import { generalSchema } from '@kith/contract/registry'
import { type ResourceName, relationOf, resourceIn } from '@kith/contract/resource'
import { kindOf as kindOfType, type OwnKind, valueTypeNames } from '../field-samples.ts'
import { codeOf, recordsOf, type Sample, type World } from './random-world.ts'

/**
 * The filter language a second time, over plain objects and as naively as can be: what the databases find must be
 * what this finds. It shares no rule with the real one, only the names of the registry and of the kinds of values.
 */
export function matches(world: World, type: ResourceName, filter: Filter, record: Sample): boolean {
  return Object.entries(filter).every(([key, test]) => matchesKey(world, type, key, test, record))
}

// Filters are made by the test itself and are valid; their shape follows from the key.
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Filter = Record<string, any>

function matchesKey(world: World, type: ResourceName, key: string, test: Filter, record: Sample): boolean {
  const meets = (condition: Filter) => matches(world, type, condition, record)
  switch (key) {
    case '$and':
      return test.every(meets)
    case '$or':
      return test.some(meets)
    case '$not':
      return !meets(test)
    case 'id':
      return all(test, (operator, ids) => includesId(ids, record.id) === (operator === '$in'))
    case 'name':
    case 'title':
      return all(test, (operator, operand) => meetsText(operator, record.label, operand))
    case 'created_at':
    case 'updated_at':
      return all(test, (operator, operand) => meetsMoment(operator, record[key], operand))
    case 'creation_source':
      return all(test, (operator, operand) => meetsChoice(operator, record.creation_source, operand))
    case 'assigned_to_me':
      return (record.links.assignees ?? []).includes(world.me) === test.$eq
    case 'external_ids':
      return Object.entries<Filter>(test).every(([name, tests]) => meetsIds(record.external_ids[name] ?? [], tests))
    case 'custom_fields':
      return Object.entries(test).every(([code, tests]) => meetsField(world, type, code, tests, record))
    default:
      return meetsRelation(world, type, key, test, record)
  }
}

function all(test: Filter, meets: (operator: string, operand: Filter[string]) => boolean): boolean {
  return Object.entries(test).every(([operator, operand]) => meets(operator, operand))
}

/** The ids of the related that exist: live records, and members who have not left. */
function relatedTo(world: World, type: ResourceName, name: string, record: Sample): string[] {
  const relation = relationOf(resourceIn(generalSchema, type), name)
  if (name === 'tasks' || name === 'notes') {
    const others = world.records[name].filter((other) => !other.deleted && other.links[type]?.includes(record.id))
    return others.map((other) => other.id)
  }
  if (relation === undefined) throw new Error(`The ${type} have no relation ${name}.`)
  const linked = record.links[name] ?? []
  if (relation.to === 'users') return linked.filter((id) => world.members.includes(id))
  const others = recordsOf(world, relation.to).filter((other) => !other.deleted)
  const related = others.filter((other) =>
    relation.kind === 'referring' ? other.links.company?.includes(record.id) : linked.includes(other.id),
  )
  return related.map((other) => other.id)
}

function meetsRelation(world: World, type: ResourceName, name: string, test: Filter, record: Sample): boolean {
  const related = relatedTo(world, type, name, record)
  const { $in, $not_in, $is_empty, ...nested } = test
  if ($is_empty !== undefined && $is_empty !== (related.length === 0)) return false
  if ($not_in !== undefined && related.some((id) => includesId($not_in, id))) return false
  if ($in === undefined && Object.keys(nested).length === 0) return true
  return related.some((id) => {
    if ($in !== undefined && !includesId($in, id)) return false
    const to = name === 'tasks' || name === 'notes' ? name : relationOf(resourceIn(generalSchema, type), name)?.to
    const other = to && recordsOf(world, to).find((one) => one.id === id)
    return !other || matches(world, to, nested, other)
  })
}

function includesId(ids: string[], id: string): boolean {
  return ids.some((one) => one.toLowerCase() === id)
}

function meetsField(world: World, type: ResourceName, code: string, tests: Filter, record: Sample): boolean {
  const value = record.values[code] ?? null
  const kind = kindOf(code)
  return all(tests, (operator, operand) => {
    if (operator === '$is_empty') return (value === null || value.length === 0) === operand
    if (operator === 'domain') {
      const [valueKey, operandKey] = kind === 'Emails' ? [afterAt, lower] : [hostOf, host]
      return all(operand, (inner, hosts) => meetsAny(inner, listOf(value), hosts, valueKey, operandKey))
    }
    switch (kind) {
      case 'Text':
      case 'LongText':
        return value !== null && meetsText(operator, value, operand)
      case 'Number':
        return value !== null && compares(operator, value, operand)
      case 'Date':
        return value !== null && compares(operator, value, dayOf(operand))
      case 'DateTime':
        return value !== null && meetsMoment(operator, value, operand)
      case 'Boolean':
        return value === operand
      case 'Choice':
      case 'Choices': {
        const label = (sent: string) => world.labels.get(`${type} ${code} ${sent.toLowerCase()}`) ?? sent.toLowerCase()
        return meetsAny(operator, listOf(value), listOf(operand), lower, label)
      }
      default:
        return meetsAny(operator, listOf(value), operand, sameness[kind] ?? same, sameness[kind] ?? same)
    }
  })
}

function meetsIds(ids: readonly string[], tests: Filter): boolean {
  return all(tests, (operator, operand) => {
    return operator === '$is_empty' ? (ids.length === 0) === operand : meetsAny(operator, ids, operand, same, trimmed)
  })
}

/** Types of one kind are compared in the same way. */
function kindOf(code: string): OwnKind {
  const name = valueTypeNames.find((one) => codeOf(one) === code)
  if (name === undefined) throw new Error(`There is no field ${code}.`)
  return kindOfType(name)
}

function listOf(value: unknown): string[] {
  if (value === null) return []
  // Values and operands of these types are texts or lists of texts.
  return (Array.isArray(value) ? value : [value]) as string[]
}

function meetsAny(
  operator: string,
  values: readonly string[],
  operands: readonly string[],
  valueKey: (text: string) => string,
  operandKey: (text: string) => string,
): boolean {
  const sought = operands.map(operandKey)
  const some = values.some((value) => sought.includes(valueKey(value)))
  return operator === '$not_in' || operator === '$has_none' ? !some : some
}

const same = (text: string) => text
const trimmed = (text: string) => text.trim()
const lower = (text: string) => text.toLowerCase()
const host = (text: string) => text.toLowerCase().replace(/^www\./, '')
const withoutScheme = (text: string) => text.toLowerCase().replace(/^https?:\/\//, '')
const hostOf = (text: string) => host(withoutScheme(text).replace(/[/?].*$/, ''))
const afterAt = (text: string) => lower(text.replace(/^.*@/, ''))

const sameness: Partial<Record<OwnKind, (text: string) => string>> = {
  Emails: lower,
  Phones: (text) => text.replace(/\D/g, '').replace(/^00/, ''),
  Links: (text) => withoutScheme(text).replace(/\/+$/, ''),
  Domains: hostOf,
}

function meetsText(operator: string, text: string, operand: Filter[string]): boolean {
  if (operator === '$is_empty') return (text === '') === operand
  return operator === '$eq' ? text === operand : lower(text).includes(lower(operand))
}

function meetsChoice(operator: string, value: string, operand: Filter[string]): boolean {
  if (operator === '$is_empty') return !operand
  return meetsAny(operator, [value], listOf(operand), same, same)
}

const DAY_MS = 86_400_000

/** A date alone means the whole day; its first moment and the first behind it are compared with. */
function meetsMoment(operator: string, value: string, operand: Filter[string]): boolean {
  if (operator === '$is_empty') return !operand
  const at = Date.parse(value)
  const start = Date.parse(operand.length === 10 ? `${operand}T00:00:00Z` : operand)
  const end = operand.length === 10 ? start + DAY_MS - 1 : start
  switch (operator) {
    case '$eq':
      return at >= start && at <= end
    case '$gt':
      return at > end
    case '$gte':
      return at >= start
    case '$lt':
      return at < start
    default:
      return at <= end
  }
}

function dayOf(operand: string): string {
  return operand.length === 10 ? operand : new Date(operand).toISOString().slice(0, 10)
}

function compares<T extends string | number>(operator: string, value: T, operand: T): boolean {
  switch (operator) {
    case '$eq':
      return value === operand
    case '$gt':
      return value > operand
    case '$gte':
      return value >= operand
    case '$lt':
      return value < operand
    default:
      return value <= operand
  }
}
