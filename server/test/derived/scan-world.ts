import { registry } from '@kith/contract/registry'
import { expect } from 'vitest'
import type { Chance } from '../../src/sample/chance.ts'
import type { Answered, Api } from '../api.ts'
import { stock } from '../lists.ts'
import type { TestWorkspace } from '../workspace.ts'

export type ScannedType = 'companies' | 'tasks'

type Tier = 'Gold' | 'Silver' | null

/** Records to be scanned along while others write, and what is known of those that were there from the beginning. */
export type ScanWorld = {
  api: Api
  type: ScannedType
  chance: Chance
  /** Writes so many times at random; of what was shown already rather more. */
  write(times: number, shown: readonly string[]): Promise<void>
  /** The records that existed and met a filter from the beginning until now. */
  throughout(filter: 'none' | 'gathered' | 'probed'): string[]
}

const RECORDS = 30
const names = ['a', 'A', 'b', 'Bb', 'm', 'M', 'z', 'zz', 'é']
const AT = Date.parse('2026-03-01T12:00:00.000Z')

export async function newScanWorld(workspace: TestWorkspace, type: ScannedType, chance: Chance): Promise<ScanWorld> {
  const { api } = workspace
  const { label } = registry[type]
  await workspace.field(type, { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
  await workspace.field(type, { name: 'Kinds', type: 'multi-select', options: ['x', 'y'] })
  await workspace.field(type, { name: 'Number', type: 'number' })
  await workspace.field(type, { name: 'Key', type: 'text', unique: true })
  const companies = type === 'tasks' ? await stock(workspace, 'companies', [{ name: 'One' }, { name: 'Two' }]) : []
  let options = ['x', 'y']
  let count = 0
  const fresh = () => {
    const tier = chance.pick<Tier>(['Gold', 'Silver', null])
    const kinds = options.filter(() => chance.oneIn(2))
    return { [label]: chance.pick(names), custom_fields: { tier, kinds, key: `k${++count}` } }
  }
  const bodies = Array.from({ length: RECORDS }, () => fresh())
  // Several share a moment, so that there are ties of every key.
  const ids = await stock(
    workspace,
    type,
    bodies.map((body, index) => ({ ...body, at: new Date(AT + Math.floor(index / 3) * 1000).toISOString() })),
  )
  const there = new Map(ids.map((id, index) => [id, { key: bodies[index]?.custom_fields.key, tiers: new Set<Tier>() }]))
  bodies.forEach((body, index) => {
    there.get(ids[index] ?? '')?.tiers.add(body.custom_fields.tier)
  })

  async function writeOnce(shown: readonly string[]): Promise<void> {
    const pool = shown.length > 0 && chance.oneIn(2) ? shown.filter((id) => there.has(id)) : [...there.keys()]
    const id = pool.length > 0 ? chance.pick(pool) : chance.pick([...there.keys()])
    const path = `/${type}/${id}`
    switch (chance.below(12)) {
      case 0:
        await written(api.delete(path))
        there.delete(id)
        return
      case 1:
        return void (await written(api.post(`/${type}`, fresh())))
      case 2: {
        const match = { field: 'key', value: String(there.get(id)?.key).toUpperCase() }
        return void (await written(api.post(`/${type}/upsert`, { match, [label]: chance.pick(names) })))
      }
      case 3: {
        const tier = chance.pick<Tier>(['Gold', 'Silver', null])
        there.get(id)?.tiers.add(tier)
        return void (await written(api.patch(path, { custom_fields: { tier } })))
      }
      case 4: {
        const [gone = 'x', ...left] = options
        options = [...left, `${gone}'`]
        await workspace.updateField(type, 'kinds', { remove_options: [gone], add_options: [`${gone}'`] })
        return
      }
      case 5:
      case 6:
        if (companies.length > 0) {
          const some = companies.filter(() => chance.oneIn(2))
          return void (await written(api.put(path, { company_ids: some })))
        }
        return void (await written(api.put(path, { custom_fields: { kinds: options } })))
      case 7:
      case 8:
      case 9:
        return void (await written(api.put(path, { [label]: chance.pick(names) })))
      default:
        return void (await written(api.put(path, { custom_fields: { number: chance.below(1_000_000) } })))
    }
  }

  return {
    api,
    type,
    chance,
    async write(times, shown) {
      for (let time = 0; time < times; time++) await writeOnce(shown)
    },
    throughout(filter) {
      const meets = { none: () => true, gathered: isGold, probed: isNotSilver }[filter]
      return [...there].flatMap(([id, { tiers }]) => ([...tiers].every(meets) ? [id] : []))
    },
  }
}

const isGold = (tier: Tier) => tier === 'Gold'
const isNotSilver = (tier: Tier) => tier !== 'Silver'

async function written(answering: Promise<Answered>): Promise<void> {
  const { status, text } = await answering
  expect([200, 201, 204], text).toContain(status)
}
