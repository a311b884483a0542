import { beforeAll, expect, it } from 'vitest'
import { loadSample } from '../../src/sample/load.ts'
import { type Browser, signedInMember } from '../browser.ts'
import { type OwnService, ownProcess } from '../own-service.ts'
import { inRun } from '../run-length.ts'
import type { TestWorkspace } from '../workspace.ts'

/** The queries take all that is left of the processor in each round. */
const ROUNDS = inRun({ short: 1, long: 5 })

let own: OwnService
let large: TestWorkspace
let viewer: Browser

beforeAll(async () => {
  own = await ownProcess({ QUERY_SECONDS: '3600' })
  large = await own.workspace()
  await loadSample(await large.scope(), {
    sizes: { companies: 1, people: 3000, opportunities: 0, tasks: 0, notes: 0 },
    seed: 1,
  })
  viewer = (await signedInMember(large, 'viewer', own.url)).browser
})

/** Looks at nine million pairs of people, ten times. */
const endless = (mark: string) => ({
  filter: {
    $not: {
      $or: Array.from({ length: 10 }, (_, n) => ({ company: { people: { name: { $contains: `qz${mark}${n}` } } } })),
    },
  },
})

/** Sends queries that no one waits for until the end, and tells how many of them have been answered. */
function attack(signal: AbortSignal, count: number): { answered(): number; over: Promise<unknown> } {
  let answered = 0
  const send = async (index: number) => {
    const [path, headers] =
      index % 2 === 0
        ? ['/api/v1/people/query', { Authorization: `Bearer ${large.api.token}` }]
        : [`/api/app/w/${large.slug}/v1/people/query`, { Cookie: viewer.cookie(), 'X-Kith-App': '1' }]
    const body = JSON.stringify(endless(String(index)))
    const all = { 'Content-Type': 'application/json', ...headers }
    await fetch(own.url + path, { method: 'POST', headers: all, body, signal }).then(
      () => answered++,
      () => undefined,
    )
  }
  return { answered: () => answered, over: Promise.all(Array.from({ length: count }, (_, index) => send(index))) }
}

it('a workspace with many queries leaves a reader to others: their lists are answered first', async () => {
  const small = await own.workspace()
  await small.api.post('/companies', { name: 'Acme' })
  const ending = new AbortController()
  const heavy = attack(ending.signal, 25)
  // All of them have been taken in once another request of the same workspace is answered.
  for (let round = 0; round < ROUNDS; round++) {
    const short = await small.api.get('/companies')
    const long = await small.api.post('/companies/query', { filter: { name: { $contains: 'acm' } }, sort: 'name' })
    const written = await small.api.post('/companies', { name: `Acme ${round}` })
    expect([short.status, long.status, written.status]).toEqual([200, 200, 201])
    expect(long.body.meta.total).toBe(round + 1)
  }
  expect(heavy.answered()).toBe(0)
  ending.abort()
  await heavy.over
})
