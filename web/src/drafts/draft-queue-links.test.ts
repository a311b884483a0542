import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { browser, place, seenOf, service, tab } from '../../test/draft-tabs.ts'
import type { RecordInput } from '../api/patch-record.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Sends links of a note that was changed after the user had read it. */
async function sentOf(input: RecordInput) {
  const kith = service()
  kith.write('one', { title: 'Call' })
  const { version } = seenOf(kith)
  const page = tab(kith, browser())
  kith.write('one', { title: 'Renamed' })
  const change = { input, shown: {}, relationships: { companies: { data: [] } } }
  const seen = { version, values: { company_ids: null } }
  page.drafts.putDraft({ ...place('one'), name: 'Call', label: 'Companies', change, seen, state: 'waiting' })
  await vi.advanceTimersByTimeAsync(0)
  expect(page.drafts.allDrafts()).toEqual([])
  expect(kith.records.get('one')?.attributes).toMatchObject({ title: 'Renamed', ...input })
  return kith.sent.length
}

it('a list of links is stored on top of what others changed meanwhile', async () => {
  expect(await sentOf({ company_ids: ['a'] })).toBe(2)
})

it('what is added to a list and removed from it is right for any version', async () => {
  expect(await sentOf({ company_ids: { $add: ['a'], $remove: [] } })).toBe(1)
})
