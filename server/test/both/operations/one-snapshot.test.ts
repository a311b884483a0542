import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import { listRecords } from '../../../src/records/list.ts'
import { findDuplicates } from '../../../src/records/merge/duplicates.ts'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { listMerges } from '../../../src/records/merge/merges.ts'
import type { PresentedRecords } from '../../../src/records/present.ts'
import { readRecord } from '../../../src/records/read.ts'
import { readSummary } from '../../../src/records/summary.ts'
import { restoreRecord } from '../../../src/records/trash/restore.ts'
import { listTrash } from '../../../src/records/trash/trash.ts'
import { createRecord, updateRecord, upsertRecord } from '../../../src/records/write.ts'
import { interrupted } from '../../interrupted.ts'
import { gone, made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { customOf, expectAgreement } from './agreement.ts'

/** How often each response is asked for; the writes go on where the one before ended. */
const ROUNDS = 8

let workspace: TestWorkspace
let acme: string
let umbrella: string
let moving: string
let flipping: string

beforeEach(async () => {
  workspace = await newWorkspace()
  const { api } = workspace
  await workspace.field('people', { name: 'VIP', type: 'checkbox' })
  await workspace.field('companies', { name: 'Code', type: 'text' })
  acme = (await made(api, 'companies', { name: 'Acme', custom_fields: { domains: ['acme.example'] } })).id
  umbrella = (await made(api, 'companies', { name: 'Umbrella' })).id
  moving = (await made(api, 'people', { name: 'Moving', company_id: acme })).id
  flipping = (await made(api, 'people', { name: 'Flipping', company_id: umbrella })).id
  for (const name of ['One', 'Two']) await made(api, 'people', { name, company_id: acme, custom_fields: { vip: true } })
})

type Write = () => Promise<unknown>

/** Does and undoes a change in turn. */
function toggling(change: Write, back: Write): Write {
  let changed = false
  return () => {
    changed = !changed
    return changed ? change() : back()
  }
}

const put = (type: BuiltInName, id: string, body: object) => workspace.api.put(`/${type}/${id}`, body)

/** Each is one write of another client. */
const flips = () =>
  toggling(
    () => put('people', flipping, { custom_fields: { vip: true } }),
    () => put('people', flipping, { custom_fields: { vip: false } }),
  )
const moves = () =>
  toggling(
    () => put('people', moving, { company_id: umbrella }),
    () => put('people', moving, { company_id: acme }),
  )
const comesAndGoes = () => {
  let id = ''
  return toggling(
    async () => {
      id = (await made(workspace.api, 'people', { company_id: acme, custom_fields: { vip: true } })).id
    },
    () => gone(workspace.api, 'people', id),
  )
}
const closes = () =>
  toggling(
    () => gone(workspace.api, 'companies', umbrella),
    async () => restoreRecord(await workspace.scope(), registry.companies, { id: umbrella }),
  )

/** One write after the other of all kinds. */
function everyWrite(): Write {
  const writes = [flips(), moves(), comesAndGoes(), closes()]
  let turn = 0
  return () => (writes[turn++ % writes.length] as Write)()
}

const lists: [what: string, type: BuiltInName, raw: Record<string, unknown>][] = [
  ['the whole list', 'people', {}],
  ['a page of the whole list', 'people', { page: 2, per_page: 3 }],
  ['a page of the whole list with what it refers to', 'people', { page: 2, per_page: 3, include: ['company'] }],
  ['the whole list in the order of a custom field', 'people', { sort: 'custom_fields.vip' }],
  ['a filter of a value', 'people', { filter: { custom_fields: { vip: { $eq: true } } } }],
  ['a filter that most meet', 'people', { filter: { $not: { custom_fields: { vip: { $eq: true } } } } }],
  ['a filter of two values', 'people', { filter: { name: { $contains: 'o' }, custom_fields: { vip: { $eq: true } } } }],
  ['a filter of a related record', 'people', { filter: { company: { name: { $eq: 'Acme' } } }, include: ['company'] }],
  ['what a record refers to', 'people', { include: ['company', 'creator'] }],
  ['what refers to a record', 'companies', { include: ['people', 'peopleCount', 'creator'] }],
  ['a scan by cursor', 'people', { sort: 'name', cursor: true, include: ['company'] }],
]

describe('rows, total, included records and counts of a response agree while others write', () => {
  it.each(lists)('%s', async (_what, type, asked) => {
    const raw = { per_page: 100, ...asked }
    let write: Write = async () => {}
    const scope = interrupted(await workspace.scope(), () => write())
    const list = () => {
      scope.begin()
      return listRecords(scope, registry[type], { raw, loose: false, issues: [] })
    }
    // What may be remembered of a list is known by then.
    for (let time = 0; time < 3; time++) expectAgreement(await list(), raw)
    write = everyWrite()
    for (let round = 0; round < ROUNDS; round++) {
      const listed = await list()
      expectAgreement(listed, raw)
      if (listed.by === 'page') expect(listed.count).toBe(Math.min(listed.per_page, listed.total - before(listed)))
    }
  })

  it('a record with what it refers to and what refers to it', async () => {
    const write = everyWrite()
    const scope = interrupted(await workspace.scope(), write)
    for (let round = 0; round < ROUNDS; round++) {
      scope.begin()
      const include = { raw: { include: ['people', 'peopleCount'] }, loose: false, issues: [] }
      expectAgreement(await readRecord(scope, registry.companies, { id: acme, asked: include }), {})
      const company = { raw: { include: ['company'] }, loose: false, issues: [] }
      scope.begin()
      expectAgreement(await readRecord(scope, registry.people, { id: flipping, asked: company }), {})
    }
  })
})

/** What is remembered of an earlier list must not bring back a row that no longer meets the filter. */
it('a row that stops meeting the filter after the list has begun is shown as it was, or not at all', async () => {
  const flip = flips()
  let write: Write = async () => {}
  const scope = interrupted(await workspace.scope(), () => write())
  const raw = { filter: { custom_fields: { vip: { $eq: true } } }, per_page: 100 }
  const list = () => {
    scope.begin()
    return listRecords(scope, registry.people, { raw, loose: false, issues: [] })
  }
  for (let round = 0; round < ROUNDS; round++) {
    write = async () => {}
    for (let time = 0; time < 3; time++) await list()
    write = flip
    const { data } = await list()
    expect(data().map((record) => customOf(record).vip)).toEqual(data().map(() => true))
  }
})

describe('what a write shows agrees with the record that it made, while others write', () => {
  const include = { raw: { include: ['people', 'peopleCount', 'creator'] }, loose: false, issues: [] }

  it.each<[what: string, write: (round: number) => Promise<PresentedRecords>]>([
    [
      'an update',
      async (round) =>
        updateRecord(await writing(), registry.companies, { id: acme, body: named(round), asked: include }),
    ],
    [
      'an upsert',
      async (round) => {
        const body = { ...named(round), match: { field: 'domains', value: 'acme.example' } }
        return upsertRecord(await writing(), registry.companies, { body, asked: include })
      },
    ],
  ])('%s', async (_what, write) => {
    for (let round = 0; round < ROUNDS; round++) {
      const presented = await write(round)
      expectAgreement(presented, {})
      expect(presented.data()[0]?.attributes.name).toBe(named(round).name)
    }
  })

  it('a reference to a company that others delete and restore', async () => {
    // Not awaited before the end: the restore waits for the update of the person, who refers to the company.
    let restoring: Promise<unknown> | undefined
    let isGone = false
    const scope = interrupted(await workspace.scope(), async () => {
      if (restoring) return
      if (isGone) restoring = restoreRecord(await workspace.scope(), registry.companies, { id: umbrella })
      else await gone(workspace.api, 'companies', umbrella)
      isGone = !isGone
    })
    const asked = { raw: { include: ['company'] }, loose: false, issues: [] }
    for (let round = 0; round < ROUNDS; round++) {
      scope.begin()
      const body = { name: `Flipping ${round}` }
      expectAgreement(await updateRecord(scope, registry.people, { id: flipping, body, asked }), {})
      await restoring
      restoring = undefined
    }
  })

  it('a new record with a company that others delete before it is shown', async () => {
    const close = closes()
    let closing: Promise<unknown> = Promise.resolve()
    const scope = interrupted(await workspace.scope(), async (next) => {
      // Not awaited: the deletion waits until the record that refers to the company is stored.
      if (/json_agg|select distinct one\.record_id/.test(next)) closing = close()
    })
    const asked = { raw: { include: ['company'] }, loose: false, issues: [] }
    const body = { name: 'New', company_id: umbrella }
    expectAgreement(await createRecord(scope, registry.people, { body, asked }), {})
    await closing
  })

  const named = (round: number) => ({ name: `Acme ${round}` })
  let move: Write
  beforeEach(() => {
    move = moves()
  })
  const writing = async () => interrupted(await workspace.scope(), () => move())
})

describe('lists of the application have the total of their rows', () => {
  it('the trash', async () => {
    const scope = interrupted(await workspace.scope(), comesAndGoes())
    for (let round = 0; round < ROUNDS; round++) {
      scope.begin()
      const { data, total } = await listTrash(scope, { per_page: 100 })
      expect(data).toHaveLength(total)
    }
  })

  it('merges, with the names of their records', async () => {
    const scope = interrupted(await workspace.scope(), async () => {
      const [winner_id, loser] = [await made(workspace.api, 'tasks'), await made(workspace.api, 'tasks')]
      const input = { winner_id: winner_id.id, loser_ids: [loser.id] }
      return mergeRecords(await workspace.scope(), registry.tasks, input)
    })
    for (let round = 0; round < ROUNDS / 2; round++) {
      scope.begin()
      const { data, total } = await listMerges(scope, { per_page: 100 })
      expect(data).toHaveLength(total)
      for (const { winner, losers } of data)
        expect([winner.name, ...losers.map(({ name }) => name)]).not.toContain(null)
    }
  })

  it('duplicates, with all records that hold a value', async () => {
    const ids: string[] = []
    for (const code of 'aabbbccdddeefff') {
      ids.push((await made(workspace.api, 'companies', { custom_fields: { code } })).id)
    }
    await workspace.updateField('companies', 'code', { unique: true })
    // Every second one, so that there are duplicates to the end.
    const leaving = ids.filter((_, index) => index % 2 === 0)
    const write = async () => {
      const id = leaving.shift()
      if (id) await gone(workspace.api, 'companies', id)
    }
    const scope = interrupted(await workspace.scope(), write)
    while (leaving.length > 0) {
      scope.begin()
      const { data, total } = await findDuplicates(scope, registry.companies, { per_page: 100 })
      expect(data).toHaveLength(total)
      for (const { count, records } of data) expect([count, count > 1]).toEqual([records.length, true])
    }
  })
})

it('a summary names every group that it counts', async () => {
  await put('people', flipping, { company_id: umbrella })
  const scope = interrupted(await workspace.scope(), closes())
  for (let round = 0; round < ROUNDS; round++) {
    scope.begin()
    const asked = { raw: { group_by: ['company'] }, loose: false, issues: [] }
    const { data } = await readSummary(scope, registry.people, asked)
    expect(data.map(({ keys }) => keys[0]?.label)).not.toContain('')
  }
})

/** How many records there are on the pages before. */
function before({ page, per_page }: { page: number; per_page: number }): number {
  return (page - 1) * per_page
}
