import { CHANGES_MAX_BYTES } from '@kith/contract/limits'
import { beforeAll, describe, expect, it } from 'vitest'
import { storeBehind } from '../../large-records.ts'
import { made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { now, type Page, page } from './feed.ts'

const COUNT = 12
/** So many entries of this size are just below the limit, and the rest of the response is too much. */
const FIT = COUNT - 1
const ENTRY_BYTES = Math.floor(CHANGES_MAX_BYTES / FIT) - 1

let workspace: TestWorkspace
let cursor: string
const ids: string[] = []

beforeAll(async () => {
  workspace = await newWorkspace()
  cursor = await now(workspace)
  for (let i = 0; i < COUNT; i++) ids.push((await made(workspace.api, 'notes', { custom_fields: { body: 'x' } })).id)
  const [entry] = (await page(workspace, `cursor=${cursor}`)).data
  const missing = ENTRY_BYTES - Buffer.byteLength(JSON.stringify(entry)) + 1
  const body = '漢'.repeat(Math.floor(missing / 3)) + 'x'.repeat(missing % 3)
  await storeBehind(workspace, 'notes', { ids, values: { body } })
})

/** The sizes of the responses from a cursor on, until one has all that is left, and the records that they show. */
async function responses(from: string) {
  const sizes: number[] = []
  const shown: string[] = []
  for (let next = from, left = true; left; ) {
    const { text, body } = await workspace.api.get(`/notes/changes?limit=1000&cursor=${next}`)
    const { data, meta }: Page = body
    sizes.push(Buffer.byteLength(text))
    shown.push(...data.map((one) => one.attributes.record_id))
    next = meta.next_cursor
    left = meta.has_more
  }
  return { sizes, shown }
}

describe('sync 1. A response ends before it would exceed 8 MiB', () => {
  it('live: all entries come, in several responses', async () => {
    const { sizes, shown } = await responses(cursor)
    expect(shown).toEqual(ids)
    expect(sizes).toHaveLength(2)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(CHANGES_MAX_BYTES)
    expect(Math.max(...sizes)).toBeGreaterThan(CHANGES_MAX_BYTES - 2 * ENTRY_BYTES)
  })

  it('before the hand-off, too', async () => {
    const { sizes, shown } = await responses('start')
    expect(shown).toEqual(ids)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(CHANGES_MAX_BYTES)
    expect(Math.max(...sizes)).toBeGreaterThan(CHANGES_MAX_BYTES - 2 * ENTRY_BYTES)
  })
})
