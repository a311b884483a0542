import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { chanceFrom } from '../../src/sample/chance.ts'
import type { Answered, Api } from '../api.ts'
import { isLong } from '../run-length.ts'
import { newWorkspace } from '../workspace.ts'
import { newScanWorld, type ScannedType, type ScanWorld } from './scan-world.ts'

const filters = {
  none: {},
  // Few match: they are gathered and looked up one by one.
  gathered: { filter: { custom_fields: { tier: { $eq: 'Gold' } } } },
  // No index leads to them: the list is scanned and each record probed.
  probed: { filter: { custom_fields: { tier: { $not_in: ['Silver'] } } } },
}

function sortsOf(type: ScannedType): string[] {
  const { label } = registry[type]
  const single = [label, 'updated_at']
  const both = [`${label},-updated_at`, `-updated_at,${label}`, `created_at,${label}`, '-created_at,-updated_at']
  return [...single, ...single.map((name) => `-${name}`), ...both]
}

/** Tasks have a title instead of a name. All else is the same, so the short run has some of their orders. */
const [COMPANY_SORTS, TASK_SORTS] = isLong ? [8, 8] : [6, 1]
const cases = [
  ...sortsOf('companies')
    .slice(0, COMPANY_SORTS)
    .map((sort) => ['companies', sort] as const),
  ...sortsOf('tasks')
    .slice(0, TASK_SORTS)
    .map((sort) => ['tasks', sort] as const),
]

describe.each(cases)('scanning %s by cursor along %s while every kind of write moves records', (type, sort) => {
  it.each(['none', 'gathered', 'probed'] as const)(
    'shows each record that existed throughout exactly once, onwards and back (filter: %s)',
    async (name) => {
      const chance = chanceFrom(`${type} ${sort} ${name}`)
      const world = await newScanWorld(await newWorkspace(), type, chance)
      const asked = { sort, ...filters[name] }
      const onwards = await scan(world, { ...asked, cursor: true }, 'next_cursor')
      expectEachOnce(world, name, onwards.ids)
      // Going back from the end returns all pages but the last again.
      const last = onwards.pages.at(-1)
      if (!last?.body.meta.prev_cursor) return
      const back = await scan(world, { ...asked, cursor: last.body.meta.prev_cursor }, 'prev_cursor')
      expectEachOnce(world, name, [...back.ids, ...idsOf(last)])
    },
  )
})

/** Asks for page after page of any size, and lets others write between them. */
async function scan(world: ScanWorld, asked: object, way: 'next_cursor' | 'prev_cursor') {
  const pages: Answered[] = []
  let body: Record<string, unknown> = { ...asked }
  while (true) {
    const answer = await page(world.api, world.type, { ...body, per_page: 1 + world.chance.below(12) })
    pages.push(answer)
    const cursor = answer.body.meta[way]
    if (cursor === null) return { pages, ids: pages.flatMap(idsOf) }
    body = { ...body, cursor }
    await world.write(1 + world.chance.below(4), pages.flatMap(idsOf))
  }
}

async function page(api: Api, type: string, body: object): Promise<Answered> {
  const answer = await api.post(`/${type}/query`, body)
  expect(answer.status, answer.text).toBe(200)
  return answer
}

function idsOf({ body }: Answered): string[] {
  return body.data.map((record: { id: string }) => record.id)
}

function expectEachOnce(world: ScanWorld, name: keyof typeof filters, shown: readonly string[]): void {
  const throughout = world.throughout(name)
  expect(throughout.length).toBeGreaterThan(3)
  expect(shown.filter((id) => throughout.includes(id)).sort()).toEqual([...throughout].sort())
  // What came or changed sides meanwhile may be shown or not, but never twice.
  expect(new Set(shown).size).toBe(shown.length)
}
