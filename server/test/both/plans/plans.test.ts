import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { resourceIn } from '@kith/contract/resource'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runOperations } from '../../../src/batch/run-operations.ts'
import { listActivity } from '../../../src/changes/activity.ts'
import { listChanges } from '../../../src/changes/feed.ts'
import { listLatestChanges } from '../../../src/changes/latest-changes.ts'
import { type ListPage, listRecords } from '../../../src/records/list.ts'
import { findDuplicates } from '../../../src/records/merge/duplicates.ts'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { undoMerge } from '../../../src/records/merge/undo-merge.ts'
import { readRecord } from '../../../src/records/read.ts'
import { readSummary } from '../../../src/records/summary.ts'
import { createRecord, updateRecord, upsertRecord } from '../../../src/records/write.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import type { Ran } from '../../../src/storage/engines/recorded.ts'
import { findJobClaims, loadResults, loadUndoable } from '../../../src/storage/tables/jobs.ts'
import { expectFewWaits, expectPlans } from './expect-plans.ts'
import { fillJobs } from './job-rows.ts'
import { filters, type Intended, lists, RECORD, summaries } from './plan-cases.ts'
import { plansOf } from './plan-of.ts'
import { newPlanWorld, type PlanWorld, RECORDS } from './plan-world.ts'

let world: PlanWorld
beforeAll(async () => {
  world = await newPlanWorld()
})
afterAll(() => world.engine.close())

/** A workspace has few fields, and this one has no opportunities, notes, files and comments. */
function isOfRecords({ sql }: Ran): boolean {
  return !/from "?custom_fields"?\s+where|"resource" = [35]\b|from "(files|comments)" /.test(sql)
}

function list(scope: Scope, type: BuiltInName, asked: object): Promise<ListPage> {
  return listRecords(scope, registry[type], { raw: { ...asked }, loose: false, issues: [] })
}

describe('a list', () => {
  it.each(lists)('%s', async (_name, type, asked, intended) => {
    const statements = await world.statementsOf((scope) => list(scope, type, asked))
    await expectPlans(world.engine, statements, intended)
    expectFewWaits(world.engine, statements)
    // How many there are is known and not counted.
    expect(statements.filter(({ sql }) => /count\(/.test(sql))).toEqual([])
  })
})

/** Few are gathered from an index. Many are met along the list, or along an index that has its order. */
describe('a filter where one in a hundred is few', () => {
  it.each(filters(true))('%s', async (_name, type, asked, intended) => {
    const statements = await world.statementsOf((scope) => list(scope, type, asked))
    await expectPlans(world.engine, statements, intended)
    expectFewWaits(world.engine, statements)
  })
})

describe('a filter where one in a hundred is many, as among a million', () => {
  it.each(filters(false))('%s', async (_name, type, asked, intended) => {
    const statements = await world.statementsOf((scope) => list(scope, type, asked), 25)
    await expectPlans(world.engine, statements, intended)
    expectFewWaits(world.engine, statements)
  })
})

describe('a summary reads entries of indexes, and none of the records that it counts', () => {
  it.each(summaries)('%s', async (_name, type, asked, uses) => {
    const statements = await world.statementsOf((scope) =>
      readSummary(scope, registry[type], { raw: asked, loose: false, issues: [] }),
    )
    const used = new Set<string>()
    for (const ran of statements.filter(({ sql }) => /count\(| e where /.test(sql))) {
      for (const { indexes, scanned, walked, read, text } of await plansOf(world.engine, ran)) {
        for (const index of indexes) used.add(index)
        const told = `${ran.sql}\n${text}`
        // A database may go through the records that are referred to.
        const ours = [...walked, ...read].filter(({ resource = registry[type].number }) => {
          return resource === registry[type].number
        })
        const ofRecords = [...scanned, ...ours.map(({ index }) => index)].filter((name) => /^records/.test(name))
        expect(
          ofRecords.filter((name) => !uses.includes(name)),
          told,
        ).toEqual([])
      }
    }
    expect(uses.filter((index) => !used.has(index))).toEqual([])
  })
})

const company = registry.companies
const sent = (body: object) => ({ body, asked: { raw: {}, loose: false, issues: [] } })

describe('one record', () => {
  const ids = async () => {
    let ids: string[] = []
    await world.statementsOf(async (scope) => {
      ids = (await list(scope, 'companies', { page: 100 })).data().map((record) => record.id)
    })
    return ids
  }

  it('is found by its id', async () => {
    const [id = ''] = await ids()
    const statements = await world.statementsOf((scope) => readRecord(scope, company, { id, asked: sent({}).asked }))
    await expectPlans(world.engine, statements, { uses: [RECORD], looks: 4 })
  })

  it('is created after a look at the values that must be unique', async () => {
    const body = { name: 'New', custom_fields: { domains: ['new.example', 'newer.example'], score: 7 } }
    const statements = await world.statementsOf((scope) => createRecord(scope, company, sent(body)))
    await expectPlans(world.engine, statements, { uses: ['field_values_match'], looks: 20 })
  })

  it.each([
    ['created', 'One'],
    ['changed', 'Other'],
    ['left as it is', 'Other'],
  ])('is upserted by its value: %s', async (outcome, name) => {
    const body = { match: { field: 'domains', value: 'upserted.example' }, name }
    const statements = await world.statementsOf((scope) => upsertRecord(scope, company, sent(body)))
    const uses = ['field_values_match', ...(outcome === 'created' ? [] : [RECORD])]
    await expectPlans(world.engine, statements, { uses, looks: 20 })
  })

  it('is changed by its id', async () => {
    const [id = ''] = await ids()
    const body = { name: 'Changed', custom_fields: { half: 'No', motto: 'New', domains: ['changed.example'] } }
    const statements = await world.statementsOf((scope) => updateRecord(scope, company, { id, ...sent(body) }))
    await expectPlans(world.engine, statements, { uses: [RECORD, 'field_values_pkey'], looks: 30 })
  })

  it('has an activity whose notes and tasks are read along the index of the links', async () => {
    const [id = ''] = await ids()
    const asked = { record_id: id, kinds: undefined, cursor: undefined, per_page: undefined }
    const statements = await world.statementsOf((scope) => listActivity(scope, company, asked))
    const linked = statements.filter(({ sql }) => /from links l/.test(sql))
    expect(linked.length).toBe(2)
    await expectPlans(world.engine, linked.filter(isOfRecords), { uses: ['links_to'], looks: 60 })
  })

  it('is merged with another one, and what refers to that is found by indexes, live or deleted', async () => {
    const [winner_id = '', loser_id = ''] = await ids()
    let merge_id = ''
    const statements = await world.statementsOf(async (scope) => {
      merge_id = (await mergeRecords(scope, company, { winner_id, loser_ids: [loser_id] })).merge_id
    })
    // There is one merge.
    const walks = ['records_deleted', 'merges_pkey']
    const uses = [RECORD, 'records_company_id', 'links_to', 'field_values_match', 'records_deleted']
    await expectPlans(world.engine, statements.filter(isOfRecords), { uses, walks })
    const undoing = await world.statementsOf((scope) => undoMerge(scope, merge_id))
    await expectPlans(world.engine, undoing.filter(isOfRecords), { uses: [RECORD, RECORD] })
  })
})

describe('a walk along keys that move, while many move', () => {
  const half = { filter: { custom_fields: { half: { $eq: 'Yes' } } } }
  const hundredth = { filter: { custom_fields: { hundredth: { $eq: 'One in a hundred 7' } } } }
  // The newest time of change is read when the walk begins.
  const newest = 'records_updated'
  const along = (index: string, moves: string): Intended => ({
    uses: [index, moves],
    walks: [index, newest],
    looks: 520,
  })

  it.each<[string, object, Intended]>([
    ['by name', { sort: 'name' }, along('records_named', 'key_moves_named')],
    ['by name, from the end', { sort: '-name' }, along('records_named', 'key_moves_named')],
    ['by the time of change', { sort: 'updated_at' }, along('records_updated', 'key_moves_updated')],
    ['the newest first', { sort: '-updated_at' }, along('records_updated', 'key_moves_updated')],
    ['by name, 1 in 2', { sort: 'name', ...half }, along('records_named', 'key_moves_named')],
    [
      'by name, gathered',
      { sort: 'name', ...hundredth },
      { uses: ['field_values_match'], walks: [newest], looks: 520 },
    ],
  ])('%s', async (_name, asked, intended) => {
    const statements = await world.statementsOf(async (scope) => {
      const first = await list(scope, 'companies', { ...asked, cursor: true, per_page: 20 })
      if (first.by !== 'cursor' || first.next_cursor === null) throw new Error('The walk has one page only.')
      for (const { id } of (await list(scope, 'companies', { ...asked, page: 2, per_page: 20 })).data()) {
        await updateRecord(scope, company, { id, ...sent({ name: `Moved ${id}` }) })
      }
      await list(scope, 'companies', { ...asked, cursor: first.next_cursor, per_page: 20 })
    })
    await expectPlans(world.engine, statements, intended)
  })
})

describe('likely duplicates', () => {
  it('are counted and found in the order of one index, and only those of the page are looked up', async () => {
    for (const name of ['Twin GmbH', 'TWIN Inc.']) {
      await world.statementsOf((scope) => createRecord(scope, company, sent({ name })))
    }
    const page = { certainty: 'likely', page: 1, per_page: 15 }
    const statements = await world.statementsOf((scope) => findDuplicates(scope, company, page))
    const [count, keys, holders, ...others] = statements.filter(({ sql }) => /duplicate_key/.test(sql))
    if (!count || !keys || !holders) throw new Error('Expected a count, the keys of the page and their holders.')
    expect(others).toEqual([])
    for (const walk of [count, keys]) {
      for (const { indexes, scanned, text } of await plansOf(world.engine, walk)) {
        expect([...indexes], text).toEqual(['records_duplicate'])
        expect(scanned, text).toEqual([])
        // The rows of the index come in the order of the keys, and no table is read.
        expect(text).not.toMatch(/TEMP B-TREE|"(Incremental )?Sort"|"Hashed"|"Index Scan"/)
      }
    }
    await expectPlans(world.engine, [holders], { uses: ['records_duplicate', RECORD] })
  })
})

describe('many operations and rows', () => {
  it('a batch looks up its values and records by indexes, with few statements', async () => {
    const creating = Array.from({ length: 50 }, (_, index) => ({
      op: 'create' as const,
      resource: 'companies' as const,
      data: { name: `Batch ${index}`, custom_fields: { domains: [`batch-${index}.example`] } },
    }))
    const statements = await world.statementsOf((scope) => runOperations(scope, creating))
    await expectPlans(world.engine, statements, { uses: ['field_values_match'], looks: 400 })
    expect(statements.length).toBeLessThanOrEqual(12)
  })

  it('results and claims of a job are found by the job, however many there are', async () => {
    let filled = { job: '', records: [''] }
    await world.statementsOf(async (scope) => {
      filled = await fillJobs(scope)
    })
    await world.engine.analyze()
    const { job, records } = filled
    const some = records.slice(0, 50)
    const statements = await world.statementsOf(async (scope) => {
      await loadResults(scope, job, { after: 500, outcome: undefined, limit: 100 })
      await loadResults(scope, job, { after: 0, outcome: 'failed', limit: 100 })
      await loadUndoable(scope, job, { before: 900, limit: 200 })
      await findJobClaims(scope, job, some)
    })
    const uses = ['job_rows_pkey', 'job_rows_failed', 'job_claims_pkey']
    await expectPlans(world.engine, statements, { uses, looks: 250 })
  })
})

describe('the feed', () => {
  const read = (raw: object, narrowMax?: number) =>
    world.statementsOf(
      (scope) =>
        listChanges(scope, {
          resource: resourceIn(scope.schema, 'companies'),
          asked: { raw: { ...raw }, loose: false, issues: [] },
          resync: '',
        }),
      narrowMax,
    )
  const hundredth = { custom_fields: { hundredth: { $eq: 'One in a hundred 7' } } }

  it.each<[string, object, Intended]>([
    ['all records', {}, { uses: [RECORD] }],
    ['a filter that few records meet', { filter: hundredth }, { uses: ['field_values_match', RECORD] }],
    [
      'a filter without a set',
      { filter: { custom_fields: { motto: { $is_empty: true } } } },
      // The end of the window is found in the index alone.
      { uses: [RECORD, 'field_values_pkey'], looks: RECORDS + 100 },
    ],
  ])('initial sync: %s', async (_name, raw, intended) => {
    await expectPlans(world.engine, await read({ cursor: 'start', ...raw }), intended)
  })

  it.each([
    ['the latest changes', { own: false, excludes_sample: false }, { looks: 100 }],
    // One window of the feed, for changes that are hard to find.
    ['those of a token', { own: true, excludes_sample: true }, { looks: 20_000 }],
  ])('newest first: %s', async (_name, chosen, { looks }) => {
    const raw = { limit: 20, payload: 'diff' }
    const statements = await world.statementsOf((scope) =>
      listLatestChanges(scope, { raw, actor_id: undefined, ...chosen, resync: '' }),
    )
    // Nothing is undone here, so that index is empty.
    await expectPlans(world.engine, statements, { uses: ['changes_pkey'], walks: ['audit_log_undo_of'], looks })
  })

  it.each([
    ['the first change', '2020-01-01'],
    ['the latest', new Date().toISOString()],
  ])('since %s: finds it without reading the feed', async (_name, since) => {
    const statements = await read({ since, limit: 10 })
    const position = statements.filter(({ sql }) => /c\.id from|with part/.test(sql))
    expect(position.length).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(3 * RECORDS)) + 2)
    for (const ran of position) {
      for (const { looked = 0, scanned, text } of await plansOf(world.engine, ran)) {
        expect(scanned, text).toEqual([])
        // The last one reads up to 5,000 changes, by their numbers.
        if (/c\.id from/.test(ran.sql)) expect(looked, text).toBeLessThanOrEqual(2)
      }
    }
  })
})
