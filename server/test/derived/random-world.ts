import { creationSources } from '@kith/contract/creation-source'
import { fieldTypes } from '@kith/contract/field-types'
import { aField, problems, someOptions } from '@kith/contract/field-types/test-field'
import { registry } from '@kith/contract/registry'
import {
  type BuiltInName,
  perResource,
  type RelatedType,
  type ResourceName,
  resourceNames,
} from '@kith/contract/resource'
import { removeRecord } from '../../src/records/trash/restore.ts'
import { createRecord, updateRecord } from '../../src/records/write.ts'
import { inTransaction, type Scope } from '../../src/scope/scope.ts'
import {
  definitionOf,
  kindOf,
  type OwnKind,
  takenValues,
  type ValueTypeName,
  valueTypeNames,
} from '../field-samples.ts'
import type { TestWorkspace } from '../workspace.ts'

/** A record as the test knows it. Links also name what is deleted or has left. */
export type Sample = {
  id: string
  label: string
  created_at: string
  updated_at: string
  creation_source: string
  links: Record<string, string[]>
  // Values of every type of field; the code tells which.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  values: Record<string, any>
  external_ids: Record<string, string[]>
  deleted: boolean
}

export type World = {
  scope: Scope
  me: string
  /** Those who have not left, and those who have. */
  members: string[]
  left: string[]
  records: Record<BuiltInName, Sample[]>
  /** The label of an option in lower case, by resource, code and id. */
  labels: Map<string, string>
  /** The place of an option in its order, by resource, code and label in lower case. */
  places: Map<string, number>
}

const SIZE = 200
const optionLabels = ['Zeta', 'Alpha', 'with, comma', 'Ünder']

/** What values are drawn from: few enough that filters find something, and near enough to each other to be confused. */
const pools: Readonly<Record<OwnKind, readonly unknown[]>> = {
  Text: ['Acme', 'ACME', 'acme ltd', '50%', '5_0', 'a\\b', 'a "b"', 'Ärger', '語🦊', 'x y'],
  LongText: ['One line', 'two\nlines', '100% %', 'ÄRGER', 'x', '# Title', '**bold** Text', 'a_b', '語言', 'bold'],
  Number: [-3, -1.25, -0.5, 0, 0.1, 0.3, 7, 10, 99.99, 9007199254740992],
  Date: ['2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'],
  DateTime: [
    '2026-02-01T00:00:00.000Z',
    '2026-02-01T23:59:59.999Z',
    '2026-02-02T00:00:00.000Z',
    '2026-02-10T12:00:00.000Z',
  ],
  Boolean: [true, false],
  Choice: optionLabels,
  Choices: optionLabels,
  Tags: ['vip', 'VIP', 'a,b', 'new', 'Ü'],
  Emails: ['ada@acme.com', 'Bob@Acme.com', 'x@mail.acme.com', 'y@other.org'],
  Phones: ['+14155550100', '+14155550101', '+4930123456'],
  Links: ['https://acme.com', 'http://www.acme.com/About', 'other.org/x', 'https://Other.org/x/y'],
  Domains: ['acme.com', 'mail.acme.com', 'other.org'],
}

const pool = new Map(valueTypeNames.map((name) => [name, takenPool(name)]))

/** The values of its kind that a type takes. */
export function poolOf(name: ValueTypeName): readonly unknown[] {
  return pool.get(name) ?? []
}

function takenPool(name: ValueTypeName): readonly unknown[] {
  const field = aField(name, { options: someOptions(...optionLabels) })
  const takes = (value: unknown) => problems(field, fieldTypes[name].list ? [value] : value).length === 0
  return takenValues(name) ?? pools[kindOf(name)].filter(takes)
}

export const labels = [
  'Acme',
  'acme',
  'ACME Ltd',
  'Bolt 50%',
  'b_lt',
  'Ärger',
  'ärger im Büro',
  '語🦊',
  'Ｗide',
  'x\\y',
]
export const days = ['2026-04-01', '2026-04-02', '2026-04-03']

export const codeOf = (type: ValueTypeName) => `f_${type.replaceAll('-', '_')}`

type Dice = {
  below(limit: number): number
  one<T>(from: readonly T[]): T
  some<T>(from: readonly T[], most: number): T[]
}

/** The same rolls for the same seed, on every machine. */
function dice(seed: number): Dice {
  let state = seed
  const below = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return {
    below,
    // Nothing here draws from an empty list.
    one: <T>(from: readonly T[]) => from[below(from.length)] as T,
    some: (from, most) =>
      [...new Set(Array.from({ length: below(most + 1) }, () => from[below(from.length)]))] as never,
  }
}

/** Fills a workspace with records of every kind: linked, changed, deleted, made by members who then left. */
export async function makeWorld(workspace: TestWorkspace, seed: number): Promise<World> {
  const members = [workspace.owner.id, (await workspace.member('admin')).id, (await workspace.member('member')).id]
  const leaver = await workspace.member('member')
  const world: World = {
    scope: await workspace.scope(),
    me: workspace.owner.id,
    members,
    left: [leaver.id],
    records: perResource(() => []),
    labels: new Map(),
    places: new Map(),
  }
  for (const type of resourceNames) await defineFields(workspace, world, type)
  world.scope = await workspace.scope()
  const roll = dice(seed)
  await inTransaction(world.scope, async (inside) => {
    for (const type of resourceNames) {
      for (let i = 0; i < SIZE; i++) world.records[type].push(await makeRecord(inside, world, type, roll))
    }
    for (const type of resourceNames) for (const record of world.records[type]) await change(inside, type, record, roll)
  })
  await workspace.remove(leaver)
  return world
}

async function defineFields(workspace: TestWorkspace, world: World, type: BuiltInName): Promise<void> {
  for (const name of valueTypeNames) {
    const code = codeOf(name)
    const rest = definitionOf(name, optionLabels)
    const field = await workspace.field(type, { name: `F ${name}`, type: name, code, ...rest })
    field.options.forEach(({ id, label }, place) => {
      world.labels.set(`${type} ${code} ${id}`, label.toLowerCase())
      world.places.set(`${type} ${code} ${label.toLowerCase()}`, place)
    })
  }
}

function momentOf(roll: Dice, dayList: readonly string[]): string {
  return `${roll.one(dayList)}T${roll.one(['00:00:00.000', '09:30:00.250', '23:59:59.999'])}Z`
}

function someValues(roll: Dice, share: number): Record<string, unknown> {
  const chosen = valueTypeNames.filter(() => roll.below(100) < share)
  return Object.fromEntries(
    chosen.map((name) => {
      const empty = roll.below(6) === 0
      if (fieldTypes[name].list) return [codeOf(name), empty ? [] : roll.some(poolOf(name), 3)]
      return [codeOf(name), empty ? null : roll.one(poolOf(name))]
    }),
  )
}

/** A record's ids: unique, some of them several of a namespace, and alike in all but the letter case. */
function idsOf(place: number): Record<string, string[]> {
  return {
    ...(place % 2 === 0 ? { crm: place % 3 === 0 ? [`c${place}`, `C${place}`] : [`c${place}`] } : {}),
    ...(place % 4 < 2 ? { erp: [`e,${place}`] } : {}),
  }
}

const asked = { raw: {}, loose: false, issues: [] }

export function recordsOf(world: World, resource: ResourceName): readonly Sample[] {
  const byName: Readonly<Record<string, Sample[]>> = world.records
  return byName[resource] ?? []
}

async function makeRecord(inside: Scope, world: World, type: BuiltInName, roll: Dice): Promise<Sample> {
  const everyone = [...world.members, ...world.left]
  const at = momentOf(roll, days)
  const creator = roll.one(everyone)
  const label = roll.one(labels)
  const values = someValues(roll, 60)
  const links: Record<string, string[]> = { creator: [creator] }
  const external_ids = idsOf(world.records[type].length)
  const body: Record<string, unknown> = { [registry[type].label]: label, external_ids, custom_fields: values }
  const poolOf = (to: RelatedType) =>
    to === 'users'
      ? everyone
      : recordsOf(world, to)
          .slice(0, 60)
          .map(({ id }) => id)
  for (const [key, { to }] of Object.entries(registry[type].references)) {
    const id = roll.below(4) === 0 ? null : roll.one(poolOf(to))
    body[key] = id
    links[key === 'account_owner_id' ? 'accountOwner' : key.replace('_id', '')] = id === null ? [] : [id]
  }
  for (const [key, { to, relation }] of Object.entries(registry[type].links)) {
    const ids = roll.some(poolOf(to), 3)
    body[key] = ids
    links[relation] = ids
  }
  const creation_source = roll.one(creationSources)
  const scope = {
    ...inside,
    now: () => new Date(at),
    actor: { ...inside.actor, user_id: creator, source: creation_source },
  }
  const { data } = await createRecord(scope, registry[type], { body, asked })
  return {
    id: data()[0]?.id ?? '',
    label,
    created_at: at,
    updated_at: at,
    creation_source,
    links,
    values,
    external_ids,
    deleted: false,
  }
}

/** A third of the records get other values, and some are deleted. */
async function change(inside: Scope, type: BuiltInName, record: Sample, roll: Dice): Promise<void> {
  if (roll.below(3) === 0) {
    const at = momentOf(roll, ['2026-04-04', '2026-04-05'])
    const custom_fields = someValues(roll, 25)
    const label = roll.one(labels)
    const body = { [registry[type].label]: label, external_ids: { erp: null }, custom_fields }
    const scope = { ...inside, now: () => new Date(at) }
    const { data } = await updateRecord(scope, registry[type], { id: record.id, body, asked })
    Object.assign(record.values, custom_fields)
    delete record.external_ids.erp
    record.label = label
    record.updated_at = String(data()[0]?.attributes.updated_at)
  }
  if (roll.below(12) === 0) {
    await removeRecord(inside, registry[type], { id: record.id })
    record.deleted = true
  }
}
