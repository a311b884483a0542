import { expect, it } from 'vitest'
import { made } from '../../records.ts'
import { newWorkspace } from '../../workspace.ts'
import { page } from './feed.ts'
import { catchUp, expectEqual, type Mirror, noIds, write } from './mirror.ts'

it('9. One loop: a mirror that follows one cursor ends up equal to the workspace', async () => {
  const workspace = await newWorkspace()
  const ids = noIds()
  for (let step = 0; step < 20; step++) await write(workspace, ids, 0)
  const mirror: Mirror = new Map()
  let cursor = 'start'
  for (let round = 0; round < 6; round++) {
    // Three writers at once, and the mirror reads meanwhile.
    const writers = [0, 1, 2].map(async (writer) => {
      for (let step = 0; step < 7; step++) await write(workspace, ids, step + writer)
    })
    const reading = catchUp(workspace, mirror, cursor)
    cursor = await reading
    await Promise.all(writers)
  }
  await catchUp(workspace, mirror, cursor)
  await expectEqual(mirror, workspace)
})

it('numbers have no gaps under concurrent writers, and every write is in the feed when its response is sent', async () => {
  const workspace = await newWorkspace()
  const { meta } = await page(workspace, 'cursor=now')
  const writer = async () => {
    for (let i = 0; i < 10; i++) {
      const { id } = await made(workspace.api, 'people')
      const { data } = await page(workspace, `cursor=${meta.next_cursor}&limit=1000&payload=thin`)
      expect(data.map((entry) => entry.attributes.record_id)).toContain(id)
      expect(data.map((entry) => entry.attributes.sequence)).toEqual(data.map((_, at) => meta.head + 1 + at))
    }
  }
  await Promise.all([writer(), writer(), writer(), writer()])
  const { data } = await page(workspace, `cursor=${meta.next_cursor}&limit=1000&payload=thin`)
  expect(data).toHaveLength(40)
})
