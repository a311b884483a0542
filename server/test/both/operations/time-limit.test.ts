import { registry } from '@kith/contract/registry'
import { beforeAll, describe, expect, it } from 'vitest'
import { listRecords } from '../../../src/records/list.ts'
import { searchRecords } from '../../../src/records/search.ts'
import { readSummary } from '../../../src/records/summary.ts'
import { loadSample } from '../../../src/sample/load.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import { type TimeLimit, withTimeLimit } from '../../../src/storage/engines/time-limit.ts'
import { newWorkspace } from '../../workspace.ts'

const { companies } = registry
let scope: Scope

beforeAll(async () => {
  const workspace = await newWorkspace()
  scope = await workspace.scope()
  await loadSample(scope, { sizes: { companies: 500, people: 0, opportunities: 0, tasks: 0, notes: 0 }, seed: 1 })
})

const over: TimeLimit = { seconds: 7, ends: 0 }

const asked = (raw: Record<string, unknown>) => ({ raw, loose: false, issues: [] })
const contains = { name: { $contains: 'an' } }

describe('no statement begins after the time of its request', () => {
  const reads: [string, () => Promise<unknown>, string[]][] = [
    ['a list', () => listRecords(scope, companies, asked({ filter: contains })), ['filter.name.$contains', 'total']],
    [
      'a scan',
      () => listRecords(scope, companies, asked({ filter: contains, cursor: true })),
      ['filter.name.$contains'],
    ],
    ['a summary', () => readSummary(scope, companies, asked({})), []],
    ['a search', () => searchRecords(scope, { query: 'an' }), ['q']],
  ]
  it.each(reads)('%s', async (_name, read, expensive) => {
    // What is known of the fields is asked for before.
    await listRecords(scope, companies, asked({ per_page: 1 }))
    await expect(withTimeLimit(over, read)).rejects.toMatchObject({
      reason: { kind: 'too_slow', expensive, message: expect.stringContaining('took longer than 7 s and was stopped') },
    })
  })
})
