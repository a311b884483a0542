import type { Condition } from '@kith/contract/filter'
import { parseFilter } from '@kith/contract/parse-filter'
import { resourceIn } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadIdPage } from '../../../src/storage/query/sync-rows.ts'
import { gone, made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { type Entry, page } from './feed.ts'

let workspace: TestWorkspace
/** Every third company, by id. */
let wanted: string[]

beforeAll(async () => {
  workspace = await newWorkspace()
  const all: string[] = []
  for (let i = 0; i < 12; i++) {
    const values = i % 3 === 0 ? { name: 'Wanted' } : { name: 'Other', custom_fields: { icp: true } }
    all.push((await made(workspace.api, 'companies', values)).id)
  }
  wanted = all.filter((_, index) => index % 3 === 0)
  await gone(workspace.api, 'companies', wanted.shift() ?? '')
})

describe('an initial sync under a filter', () => {
  it.each([
    ['that an index answers', 'filter[name][$eq]=Wanted'],
    ['that no index answers', 'filter[custom_fields][icp][$is_empty]=true'],
  ])('%s returns each record once, by id', async (_name, filter) => {
    const entries: Entry[] = []
    for (let cursor = 'start', phase = 'snapshot'; phase === 'snapshot'; ) {
      const { data, meta } = await page(workspace, `cursor=${cursor}&limit=2&${filter}`, '/companies')
      entries.push(...data)
      cursor = meta.next_cursor
      phase = meta.phase
      expect(meta.has_more).toBe(phase === 'snapshot')
    }
    expect(entries.map((entry) => entry.attributes.record_id)).toEqual(wanted)
  })

  it.each([
    ['a narrow set is read as a whole', { name: { $eq: 'Wanted' } }, 1],
    ['a scan checks a bounded number of records for each response', { custom_fields: { icp: { $is_empty: true } } }, 5],
  ])('%s', async (_name, filter, responses) => {
    const scope = await workspace.scope()
    const resource = resourceIn(scope.schema, 'companies')
    const parsed: Condition | undefined = parseFilter(filter, { resource, loose: false }, (path) => expect.fail(path))
    const ids: string[] = []
    let read = 0
    for (let after: string | undefined = ''; after !== undefined; read++) {
      // Twelve records, three at a time: the last window ends with the last record, so that one more is read.
      const found = await loadIdPage(scope, resource, { filter: parsed, after, limit: 100, window: 3 })
      ids.push(...found.rows.map((row) => row.id))
      after = found.until
    }
    expect(ids).toEqual(wanted)
    expect(read).toBe(responses)
  })
})
