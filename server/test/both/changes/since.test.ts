import { registry } from '@kith/contract/registry'
import { beforeAll, describe, expect, it } from 'vitest'
import { listChanges } from '../../../src/changes/feed.ts'
import { createRecord } from '../../../src/records/write.ts'
import { loadSample } from '../../../src/sample/load.ts'
import { replayEvents } from '../../../src/webhooks/list-deliveries.ts'
import { made } from '../../records.ts'
import { isLong } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { type Entry, page } from './feed.ts'

const HOUR = 3_600_000
const asked = (raw: Record<string, unknown>) => ({ raw, loose: false, issues: [] })

describe('since begins at the lowest sequence whose time is the same or later', () => {
  let workspace: TestWorkspace
  let beginning: number
  const sequences = new Map<number, number>()

  const scopeAt = async (time: number) => ({ ...(await workspace.scope()), now: () => new Date(time) })

  async function firstSince(time: number): Promise<Entry['attributes'] | undefined> {
    const raw = { since: new Date(time).toISOString(), limit: 1 }
    const listed = await listChanges(await scopeAt(beginning + 24 * HOUR), { asked: asked(raw), resync: '' })
    const [text] = listed.entries
    return text === undefined ? undefined : JSON.parse(text).attributes
  }

  beforeAll(async () => {
    workspace = await newWorkspace()
    beginning = Date.now() + HOUR
    for (let i = 0; i < 12; i++) {
      const time = beginning + i * HOUR
      await createRecord(await scopeAt(time), registry.people, { body: { name: `At ${i}` }, asked: asked({}) })
      sequences.set(time, (await page(workspace, 'cursor=now')).meta.head)
    }
  })

  it('for each time of a change, and just before and after it', async () => {
    for (const [time, sequence] of sequences) {
      expect((await firstSince(time))?.sequence).toBe(sequence)
      expect((await firstSince(time - 1))?.sequence).toBe(sequence)
      const isLast = sequence === [...sequences.values()].at(-1)
      expect((await firstSince(time + 1))?.sequence).toBe(isLast ? undefined : sequence + 1)
    }
  })

  it('before the workspace began, and a bare date', async () => {
    expect((await firstSince(beginning - 48 * HOUR))?.sequence).toBe(1)
    expect((await page(workspace, 'since=2020-02-29&limit=1')).data[0]?.attributes.sequence).toBe(1)
  })
})

describe('where the times are not in order: a clock was set back, or the clocks of nodes differ', () => {
  let workspace: TestWorkspace
  let all: { id: string; at: string }[]
  const beginning = Date.now() + HOUR

  const scopeAt = async (hours: number) => ({
    ...(await workspace.scope()),
    now: () => new Date(beginning + hours * HOUR),
  })
  const read = async (raw: Record<string, unknown>) => {
    const listed = await listChanges(await scopeAt(24), { asked: asked({ limit: 1000, ...raw }), resync: '' })
    const entries: Entry[] = JSON.parse(`[${listed.entries.join(',')}]`)
    return entries.map(({ id, attributes: { at } }) => ({ id, at }))
  }

  beforeAll(async () => {
    workspace = await newWorkspace()
    const make = async (hours: number) =>
      createRecord(await scopeAt(hours), registry.people, { body: { name: `At ${hours}` }, asked: asked({}) })
    // One by one, and several in one transaction.
    for (const hours of [0, 5, 1, 2, 6, 3, 0, 7, 4]) {
      await make(hours)
      await Promise.all([make(hours + 0.5), make(hours - 0.75), make(hours + 0.25)])
    }
    all = await read({ since: '2020-01-01' })
    expect(new Set(all.map(({ at }) => at)).size).toBeGreaterThan(15)
  })

  it('since misses nothing', async () => {
    for (const { at: since } of all) {
      expect(await read({ since })).toEqual(all.slice(all.findIndex(({ at }) => at >= since)))
    }
  })

  it('a replay to a webhook misses nothing: neither of a range of times, nor a change by its id', async () => {
    const hook = { url: 'https://receiver.example/', types: ['people.*'] }
    const { id } = (await workspace.api.post('/webhooks', hook)).body.data
    await workspace.api.patch(`/webhooks/${id}`, { state: 'paused' })
    const scope = await scopeAt(24)
    const people = await read({ since: '2020-01-01', resource: 'people' })
    expect(people).toHaveLength(36)
    for (const { at: since } of people) {
      const until = new Date(Date.parse(since) + HOUR).toISOString()
      const wanted = people.filter(({ at }) => at >= since && at <= until)
      expect(await replayEvents(scope, id, { since, until })).toBe(wanted.length)
    }
    for (const { id: event_id } of people) expect(await replayEvents(scope, id, { event_id })).toBe(1)
  })
})

it.runIf(isLong)('since finds a change behind thousands whose records are older', async () => {
  const workspace = await newWorkspace()
  // The records of a sample were created over a year.
  await loadSample(await workspace.scope(), { sizes: { notes: 5100 }, seed: 1 })
  const { head } = (await page(workspace, 'cursor=now')).meta
  const { id, attributes } = await made(workspace.api, 'people')
  const { data, meta } = await page(workspace, `since=${attributes.created_at}`)
  expect(data.map((entry) => entry.attributes.record_id)).toEqual([id])
  expect(meta).toMatchObject({ head: head + 1, has_more: false })
  const all = await page(workspace, `since=${new Date(Date.parse(attributes.created_at) - HOUR).toISOString()}&limit=1`)
  expect(all.data[0]?.attributes.sequence).toBe(1)
})
