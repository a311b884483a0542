import { expect, it } from 'vitest'
import { apiAt } from '../api.ts'
import { follow, page } from '../both/changes/feed.ts'
import { catchUp, expectEqual, type Mirror, noIds, write } from '../both/changes/mirror.ts'
import { ownService } from '../own-service.ts'
import { made } from '../records.ts'
import { startService } from '../setup/service.ts'

it('a mirror that reads at two nodes, while both write, ends up equal to the workspace', async () => {
  const limits = { RATE_LIMIT_WRITES: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WORKSPACE: '0' }
  const one = await ownService(limits)
  const two = await startService({ ...one.env, ...limits })
  const workspace = await one.workspace()
  const nodes = [workspace, { api: apiAt(two.url, workspace.api.token) }]
  const nodeAt = (number: number) => nodes[number % 2] ?? workspace
  const ids = noIds()
  for (let step = 0; step < 10; step++) await write(workspace, ids, 0)
  const begin = (await page(workspace, 'cursor=now')).meta
  const mirror: Mirror = new Map()
  let cursor = 'start'
  for (let round = 0; round < 6; round++) {
    const writers = [0, 1, 2, 3].map(async (writer) => {
      for (let step = 0; step < 7; step++) await write(nodeAt(writer), ids, step + writer)
    })
    cursor = await catchUp(nodeAt(round), mirror, cursor)
    await Promise.all(writers)
  }
  await catchUp(nodeAt(1), mirror, cursor)
  await expectEqual(mirror, workspace)
  // Both nodes return the same order, without gaps. A write at one is in the feed at the other at once.
  const { id } = await made(workspace.api, 'people')
  const all = await Promise.all(nodes.map((node) => follow(node, begin.next_cursor, 'payload=thin&limit=1000')))
  const [first = [], second = []] = all.map(({ entries }) => entries.map((entry) => entry.id))
  expect(second).toEqual(first)
  const entries = all[1]?.entries ?? []
  expect(entries.map(({ attributes }) => attributes.sequence)).toEqual(entries.map((_, at) => begin.head + 1 + at))
  expect(entries.at(-1)?.attributes.record_id).toBe(id)
  await two.stop()
  await one.stop()
})
