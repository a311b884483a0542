import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { valueTypeNames } from '../field-samples.ts'
import { matches } from './evaluate-filter.ts'
import { codeOf, recordsOf, type Sample, type World } from './random-world.ts'

/** A summary as the test asks for it. */
export type Asked = {
  filter: Record<string, unknown>
  measure: string
  field?: string | undefined
  group_by: string[]
  period: string
  time_zone: string
  limit: number
  sort?: string | undefined
}

/** What the world does not know: the names of its members. */
export type Named = World & { names: ReadonlyMap<string, string> }

type Group = { keys: (string | null)[]; records: Sample[] }

/** A summary by brute force. It shares no rule with the real one, only the names of the registry. */
export function summarized(world: Named, type: BuiltInName, asked: Asked): unknown {
  const records = world.records[type].filter((one) => !one.deleted && matches(world, type, asked.filter, one))
  const groups = grouped(world, type, asked, records)
  addPeriods(groups, asked)
  const sorted = groups.toSorted(inOrder(world, type, asked))
  const shown = sorted.slice(0, asked.limit)
  const others = sorted.slice(asked.limit).flatMap((group) => group.records)
  const value = (of: readonly Sample[]) => measured(world, type, asked, of)
  return {
    data: shown.map((group) => ({
      keys: group.keys.map((id, index) => ({ id, label: labelOf(world, type, asked.group_by[index] ?? '', id) })),
      value: value(group.records),
      count: group.records.length,
    })),
    meta: {
      measure: asked.measure,
      field: asked.field ?? null,
      currency: asked.field?.endsWith('f_currency') ? 'USD' : null,
      total_groups: groups.length,
      other: sorted.length > shown.length ? { value: value(others), count: others.length } : null,
    },
  }
}

function grouped(world: World, type: BuiltInName, asked: Asked, records: readonly Sample[]): Group[] {
  const groups = new Map<string, Group>()
  if (asked.group_by.length === 0) groups.set('[]', { keys: [], records: [] })
  for (const record of records) {
    const [first = [], second] = asked.group_by.map((name) => keysOf(world, type, name, record, asked))
    const pairs = second ? first.flatMap((one) => second.map((two) => [one, two])) : first.map((one) => [one])
    for (const keys of asked.group_by.length === 0 ? [[]] : pairs) {
      const identity = JSON.stringify(keys)
      const group = groups.get(identity) ?? { keys, records: [] }
      group.records.push(record)
      groups.set(identity, group)
    }
  }
  return [...groups.values()]
}

/** The groups of a record by one name: several, or the empty one. */
function keysOf(world: World, type: BuiltInName, name: string, record: Sample, asked: Asked): (string | null)[] {
  const values = valuesOf(world, type, name, record)
  const keys = values.map((value) => (isTime(name) ? periodOf(value, asked) : value))
  return keys.length === 0 ? [null] : [...new Set(keys)]
}

/** The values of a record as texts. */
function valuesOf(world: World, type: BuiltInName, name: string, record: Sample): string[] {
  const relation = registry[type].relations[name]
  if (relation) return related(world, relation.to, record.links[name] ?? [])
  if (name === 'creation_source' || name === 'created_at' || name === 'updated_at') return [record[name]]
  if (name === 'name' || name === 'title') return [record.label.toLowerCase()]
  if (!name.startsWith('custom_fields.')) {
    const [step = '', ...rest] = name.split('.')
    // Relations of the test lead to built-in resources.
    const to = registry[type].relations[step]?.to as BuiltInName
    const there = new Set(related(world, to, record.links[step] ?? []))
    const records = recordsOf(world, to).filter(({ id }) => there.has(id))
    return [...new Set(records.flatMap((one) => valuesOf(world, to, rest.join('.'), one)))]
  }
  const code = name.slice('custom_fields.'.length)
  const held: unknown[] = [record.values[code] ?? []].flat()
  return [...new Set(held.map((value) => keyOf(world, type, code, value)))]
}

function related(world: World, to: string, ids: readonly string[]): string[] {
  const live = to === 'users' ? world.members : recordsOf(world, to).flatMap((one) => (one.deleted ? [] : [one.id]))
  return ids.filter((id) => live.includes(id))
}

function keyOf(world: World, type: string, code: string, value: unknown): string {
  const field = valueTypeNames.find((name) => codeOf(name) === code)
  if (field && fieldTypes[field].hasOptions) {
    const label = String(value).toLowerCase()
    return (
      [...world.labels].find(([key, one]) => key.startsWith(`${type} ${code} `) && one === label)?.[0].split(' ')[2] ??
      ''
    )
  }
  const isFolded = field && ['Text', 'Tags', 'Emails', 'Links'].includes(fieldTypes[field].kind)
  return isFolded
    ? String(value)
        .toLowerCase()
        .replace(/^https?:\/\//, '')
    : String(value)
}

function isTime(name: string): boolean {
  return /_at$|f_date(_time)?$/.test(name)
}

function periodOf(value: string, { period, time_zone }: Asked): string {
  const isDay = value.length === 10
  const zone = isDay ? 'UTC' : time_zone
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(new Date(value))
  const month = Number(day.slice(5, 7))
  if (period === 'week') return weekOf(day)
  if (period === 'quarter') return `${day.slice(0, 4)}-Q${Math.ceil(month / 3)}`
  return day.slice(0, { year: 4, month: 7 }[period] ?? 10)
}

const DAY = 86_400_000

/** A week belongs to the year of its Thursday. */
function weekOf(day: string): string {
  const time = Date.parse(day)
  const thursday = new Date(time + (3 - ((new Date(time).getUTCDay() + 6) % 7)) * DAY)
  const year = thursday.getUTCFullYear()
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY)) + 1
  return `${year}-W${String(week).padStart(2, '0')}`
}

/** The periods without records between the first and the last day of a record. */
function addPeriods(groups: Group[], asked: Asked): void {
  const [name = ''] = asked.group_by
  if (asked.group_by.length !== 1 || !isTime(name)) return
  const ids = groups.flatMap(({ keys }) => keys[0] ?? []).sort()
  for (let time = Date.parse('2025-12-01'); time < Date.parse('2026-06-01'); time += DAY) {
    const id = periodOf(new Date(time).toISOString().slice(0, 10), asked)
    const isBetween = id > (ids[0] ?? id) && id < (ids.at(-1) ?? id)
    if (!isBetween || ids.includes(id)) continue
    ids.push(id)
    ids.sort()
    groups.push({ keys: [id], records: [] })
  }
}

function measured(world: World, type: BuiltInName, { measure, field = '' }: Asked, records: readonly Sample[]) {
  const values = records.flatMap((record) => valuesOf(world, type, field, record))
  const numbers = records.flatMap((record) => record.values[field.slice('custom_fields.'.length)] ?? [])
  const isNumber = typeof numbers[0] === 'number'
  switch (measure) {
    case 'count':
      return records.length
    case 'filled':
      return records.filter((record) => valuesOf(world, type, field, record).length > 0).length
    case 'distinct':
      return new Set(values).size
    case 'sum':
      return Number(decimal(hundredths(numbers), 2))
    case 'average':
      return numbers.length === 0 ? null : averageOf(numbers, field.endsWith('f_currency') ? 4 : 11)
    default: {
      const sorted = isNumber ? numbers.toSorted((a, b) => a - b) : values.toSorted(byBytes)
      return (measure === 'smallest' ? sorted[0] : sorted.at(-1)) ?? null
    }
  }
}

/** Numbers of the world have two decimals at most. */
function hundredths(numbers: readonly number[]): bigint {
  return numbers.reduce((sum, one) => sum + BigInt(one.toFixed(2).replace('.', '')), 0n)
}

function averageOf(numbers: readonly number[], decimals: number): number {
  const sum = hundredths(numbers) * 10n ** BigInt(decimals - 2)
  const count = BigInt(numbers.length)
  const size = sum < 0n ? -sum : sum
  const rounded = (size + size + count) / (count + count)
  return Number(decimal(sum < 0n ? -rounded : rounded, decimals))
}

function decimal(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

type Rank = (group: Group) => string | number | null

/** Empty keys and values come last, whatever the order is. */
function inOrder(world: Named, type: BuiltInName, asked: Asked): (one: Group, two: Group) => number {
  const value = asked.sort === 'value' ? 1 : -1
  const ranks: [rank: Rank, direction: number][] = []
  const keys = asked.group_by.map((name, index) => ({ name, key: (group: Group) => group.keys[index] ?? null }))
  const hasOwn = (name: string) => isTime(name) || placeOf(world, type, name) !== undefined
  const own = (name: string, key: Rank): Rank => {
    const place = placeOf(world, type, name)
    return (group) => (place && key(group) !== null ? place(String(key(group))) : key(group))
  }
  const byValue: Rank = (group) => measured(world, type, asked, group.records)
  if (asked.sort === 'label') {
    for (const { name, key } of keys) {
      const folded: Rank = (group) => labelOf(world, type, name, key(group) as string | null).toLowerCase()
      const label: Rank = (group) => (key(group) === null ? null : folded(group))
      ranks.push([hasOwn(name) ? own(name, key) : label, 1], [key, 1])
    }
  } else {
    const first = asked.sort === undefined ? keys.findIndex(({ name }) => !hasOwn(name)) : 0
    const others = first < 0 ? [] : keys.slice(first)
    for (const { name, key } of keys.slice(0, keys.length - others.length)) ranks.push([own(name, key), 1])
    for (const { key } of others) ranks.push([(group) => (key(group) === null ? null : 0), 1])
    ranks.push([byValue, value])
    for (const { name, key } of others) ranks.push([own(name, key), 1])
  }
  return (one, two) => {
    for (const [rank, direction] of ranks) {
      const [left, right] = [rank(one), rank(two)]
      if (left === right) continue
      if (left === null) return 1
      if (right === null) return -1
      const isNumber = typeof left === 'number' && typeof right === 'number'
      const compared = isNumber ? left - right : byBytes(String(left), String(right))
      if (compared !== 0) return compared * direction
    }
    return 0
  }
}

/** The place of an option, if the name is that of a choice. */
function placeOf(world: World, type: BuiltInName, name: string): ((id: string) => number) | undefined {
  const { of, code } = choiceOf(type, name)
  if (!code) return undefined
  return (id) => world.places.get(`${of} ${code} ${world.labels.get(`${of} ${code} ${id}`)}`) ?? -1
}

/** The resource and the code of a choice, perhaps of a related record. */
function choiceOf(type: BuiltInName, name: string): { of: string; code: string | undefined } {
  const [, step, code = ''] = /^(?:(\w+)\.)?custom_fields\.(\w+)$/.exec(name) ?? []
  const field = valueTypeNames.find((one) => codeOf(one) === code)
  const of = step ? (registry[type].relations[step]?.to ?? type) : type
  return { of, code: field && fieldTypes[field].hasOptions ? code : undefined }
}

function labelOf(world: Named, type: BuiltInName, name: string, id: string | null): string {
  if (id === null) return 'Empty'
  const { of, code } = choiceOf(type, name)
  if (code)
    return (
      ['Zeta', 'Alpha', 'with, comma', 'Ünder'].find(
        (one) => one.toLowerCase() === world.labels.get(`${of} ${code} ${id}`),
      ) ?? ''
    )
  if (/f_(checkbox|toggle)$/.test(name)) return id === 'true' ? 'Yes' : 'No'
  const everyone = Object.values(world.records).flat()
  return world.names.get(id) ?? everyone.find((record) => record.id === id)?.label ?? id
}

/** Texts by their bytes, which is how both databases order their keys. */
function byBytes(one: string, two: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(two))
}
