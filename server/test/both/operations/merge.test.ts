import { registry } from '@kith/contract/registry'
import { beforeEach, describe, expect, it } from 'vitest'
import { findDuplicates } from '../../../src/records/merge/duplicates.ts'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { listMerges } from '../../../src/records/merge/merges.ts'
import { undoMerge } from '../../../src/records/merge/undo-merge.ts'
import { restoreRecord } from '../../../src/records/trash/restore.ts'
import { listTrash } from '../../../src/records/trash/trash.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { gone, made, NOWHERE } from '../../records.ts'
import { numberOf } from '../../stored-rows.ts'
import { refusalOf } from '../../test-runtime.ts'
import { newWorkspace } from '../../workspace.ts'
import { type MergeWorkspace, mergeWorkspace } from './merging.ts'
import { as, later } from './scopes.ts'

let workspace: MergeWorkspace

beforeEach(async () => {
  workspace = await mergeWorkspace()
})

describe('Duplicates', () => {
  it('are the values of unique fields that more than one record holds', async () => {
    await workspace.field('companies', { name: 'Number', type: 'number' })
    const [one = '', two = ''] = await workspace.twins()
    await made(workspace.api, 'companies', { custom_fields: { domains: ['alone.example'], number: 7 } })
    await made(workspace.api, 'companies', { name: 'Seven', custom_fields: { number: 7 } })
    const found = await findDuplicates(await workspace.scope(), registry.companies, {})
    expect(found).toMatchObject({ total: 1, page: 1, per_page: 15 })
    expect(found.data).toEqual([
      {
        certainty: 'certain',
        field: { code: 'domains', name: 'Domains' },
        value: 'acme.example',
        count: 2,
        records: [
          { id: one, name: 'Acme 0', created_at: (await workspace.attributes('companies', one)).created_at },
          { id: two, name: 'Acme 1', created_at: (await workspace.attributes('companies', two)).created_at },
        ],
      },
    ])
    await workspace.updateField('companies', 'number', { unique: true })
    const more = await findDuplicates(await workspace.scope(), registry.companies, { per_page: 1, page: 2 })
    expect(more).toMatchObject({ total: 2, data: [{ field: { code: 'number' }, value: 7, count: 2 }] })
    expect((await findDuplicates(await workspace.scope(), registry.people, {})).total).toBe(0)
  })

  it('are listed with as many records as can be merged at once, and their number', async () => {
    await workspace.twins(27)
    const { data } = await findDuplicates(await workspace.scope(), registry.companies, {})
    expect(data[0]).toMatchObject({ count: 27 })
    expect(data[0]?.records).toHaveLength(25)
  })

  it('are of this workspace alone', async () => {
    await workspace.twins()
    const neighbour = await newWorkspace()
    expect(await findDuplicates(await neighbour.scope(), registry.companies, {})).toMatchObject({ data: [], total: 0 })
  })
})

describe('A merge', () => {
  it('lets an upsert on the shared value find one record again', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await workspace.twins()
    const upsert = () =>
      api.post('/companies/upsert', { name: 'New', match: { field: 'domains', value: 'acme.example' } })
    expect((await upsert()).status).toBe(409)
    const merged = await workspace.merge('companies', { winner_id: winner, loser_ids: [loser] })
    expect(merged.data()[0]).toMatchObject({ id: winner, attributes: { name: 'Acme 0' } })
    const answer = await upsert()
    expect([answer.status, answer.body.data.id]).toEqual([200, winner])
    expect((await findDuplicates(await workspace.scope(), registry.companies, {})).total).toBe(0)
    expect((await api.get(`/companies/${loser}`)).status).toBe(404)
    expect((await api.get('/companies')).body.meta.total).toBe(1)
  })

  it('keeps what the winner has, fills what it lacks from the oldest loser, and joins lists as far as there is room', async () => {
    const { api, owner } = workspace
    await workspace.field('companies', { name: 'Motto', type: 'text' })
    await workspace.field('companies', { name: 'Tags', type: 'tags-input', max_values: 3 })
    const company = (name: string, custom_fields: object, rest = {}) =>
      made(api, 'companies', { name, custom_fields, ...rest })
    const older = await company('Older', { motto: 'Old', tags: ['b', 'A'], icp: true })
    const newer = await company('Newer', { motto: 'New', tags: ['c', 'd'], icp: false }, { account_owner_id: owner.id })
    const winner = await company('Winner', { tags: ['a'] })
    const input = { winner_id: winner.id, loser_ids: [newer.id, older.id] }
    const { data } = await workspace.merge('companies', input)
    expect(data()[0]?.attributes).toMatchObject({
      name: 'Winner',
      account_owner_id: owner.id,
      custom_fields: { motto: 'Old', tags: ['a', 'b', 'c'], icp: true },
    })
    expect(data()[0]).toEqual((await api.get(`/companies/${winner.id}`)).body.data)
  })

  it('takes what was chosen instead', async () => {
    const [winner = '', loser = ''] = await workspace.twins()
    const { data } = await workspace.merge('companies', {
      winner_id: winner,
      loser_ids: [loser],
      attributes: { name: 'Chosen', account_owner_id: null, custom_fields: { domains: ['own-1.example'], icp: true } },
    })
    expect(data()[0]?.attributes).toMatchObject({
      name: 'Chosen',
      custom_fields: { domains: ['own-1.example'], icp: true },
    })
  })

  it('moves people, opportunities, tasks and notes to the winner, also those that are deleted', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await workspace.twins()
    const person = await made(api, 'people', { company_id: loser })
    const hidden = await made(api, 'people', { company_id: loser })
    await gone(api, 'people', hidden.id)
    const deal = await made(api, 'opportunities', { company_id: loser, contact_id: person.id })
    const task = await made(api, 'tasks', { company_ids: [loser], people_ids: [person.id] })
    const both = await made(api, 'notes', { company_ids: [winner, loser] })
    await workspace.merge('companies', { winner_id: winner, loser_ids: [loser] })
    const read = (await api.get(`/companies/${winner}?include=people,opportunities,peopleCount,tasksCount,notesCount`))
      .body.data
    expect(read.relationships.people.data).toEqual([{ id: person.id, type: 'people' }])
    expect(read.relationships.opportunities.data).toEqual([{ id: deal.id, type: 'opportunities' }])
    expect(read.attributes).toMatchObject({ people_count: 1, tasks_count: 1, notes_count: 1 })
    for (const [type, moved] of [
      ['people', person],
      ['opportunities', deal],
      ['tasks', task],
    ] as const) {
      expect((await workspace.attributes(type, moved.id)).updated_at > moved.attributes.updated_at, type).toBe(true)
    }
    expect(await workspace.attributes('opportunities', deal.id)).toMatchObject({ contact_id: person.id })
    expect(await workspace.linked('notes', both.id, 'companies')).toEqual([winner])
    expect((await workspace.attributes('notes', both.id)).updated_at).toBe(both.attributes.updated_at)
    await restoreRecord(await workspace.scope(), registry.people, { id: hidden.id })
    expect(await workspace.attributes('people', hidden.id)).toMatchObject({ company_id: winner })
    expect((await api.get(`/people?filter[company][$in]=${winner}`)).body.meta.total).toBe(2)
  })

  it('of people moves opportunities by their contact', async () => {
    const { api } = workspace
    const [one, two] = [await made(api, 'people'), await made(api, 'people')]
    const deal = await made(api, 'opportunities', { contact_id: two.id })
    await workspace.merge('people', { winner_id: one.id, loser_ids: [two.id] })
    expect(await workspace.attributes('opportunities', deal.id)).toMatchObject({ contact_id: one.id })
  })

  it.each(['tasks', 'notes'] as const)('of %s joins what they are about', async (type) => {
    const { api } = workspace
    const [first, second] = [await made(api, 'companies'), await made(api, 'companies')]
    const one = await made(api, type, { company_ids: [first.id] })
    const two = await made(api, type, { company_ids: [first.id, second.id] })
    const { merge_id } = await workspace.merge(type, { winner_id: one.id, loser_ids: [two.id] })
    expect(await workspace.linked(type, one.id, 'companies')).toEqual([first.id, second.id])
    await undoMerge(await workspace.scope(), merge_id)
    expect(await workspace.linked(type, one.id, 'companies')).toEqual([first.id])
    expect(await workspace.linked(type, two.id, 'companies')).toEqual([first.id, second.id])
  })

  it('is listed with its records and until when it can be undone, and its losers are in the trash', async () => {
    const [winner = '', loser = ''] = await workspace.twins()
    const { merge_id } = await workspace.merge('companies', { winner_id: winner, loser_ids: [loser] })
    const scope = await workspace.scope()
    const { data, total } = await listMerges(scope, { resource: 'companies' })
    expect(total).toBe(1)
    expect(data[0]).toMatchObject({
      id: merge_id,
      winner: { id: winner, name: 'Acme 0' },
      losers: [{ id: loser, name: 'Acme 1' }],
      merged_by: { id: workspace.owner.id, name: workspace.owner.name },
      undone_at: null,
    })
    expect((await listTrash(scope, {})).data).toMatchObject([{ id: loser, merge_id }])
    expect((await listMerges(scope, { resource: 'people' })).total).toBe(0)
    expect((await listMerges(later(scope, 31), { undoable: true })).total).toBe(0)
    expect((await listMerges(later(scope, 31), {})).total).toBe(1)
    expect((await listMerges(await (await newWorkspace()).scope(), {})).total).toBe(0)
  })
})

describe('A merge is refused', () => {
  it('with every problem and its path, and has stored nothing', async () => {
    const [winner = '', loser = ''] = await workspace.twins()
    const taken = await made(workspace.api, 'companies', { custom_fields: { domains: ['taken.example'] } })
    const neighbour = await newWorkspace()
    const foreign = (await made(neighbour.api, 'companies')).id
    const cases: [object, string[]][] = [
      [{}, ['winner_id']],
      [{ winner_id: winner }, ['loser_ids']],
      [{ winner_id: winner, loser_ids: [] }, ['loser_ids']],
      [{ winner_id: winner, loser_ids: Array.from({ length: 25 }, () => loser) }, ['loser_ids']],
      [{ winner_id: winner, loser_ids: [winner] }, ['loser_ids.0']],
      [{ winner_id: NOWHERE, loser_ids: [loser] }, ['not_found']],
      [{ winner_id: winner, loser_ids: [loser, loser, foreign, 'x'] }, ['loser_ids.3', 'loser_ids.2']],
      [{ winner_id: winner, loser_ids: [loser], nonsense: 1 }, ['nonsense']],
      [{ winner_id: winner, loser_ids: [loser], attributes: [] }, ['attributes']],
      [{ winner_id: winner, loser_ids: [loser], attributes: { nmae: 'x' } }, ['attributes.nmae']],
      [
        {
          winner_id: winner,
          loser_ids: [loser],
          attributes: { account_owner_id: NOWHERE, custom_fields: { icp: 'x' } },
        },
        ['attributes.custom_fields.icp', 'attributes.account_owner_id'],
      ],
      [
        { winner_id: winner, loser_ids: [loser], attributes: { custom_fields: { domains: ['taken.example'] } } },
        ['attributes.custom_fields.domains'],
      ],
    ]
    const state = async () => {
      const rows: string[] = []
      const byId = ['links', 'record_counts', 'merges', 'audit_log'].map((table) => {
        return sql`${sql.table(table)} where workspace_id = ${workspace.id}`
      })
      const byNumber = ['records', 'field_values'].map((table) => {
        return sql`${sql.table(table)} where workspace = ${numberOf(workspace.id)}`
      })
      for (const table of [...byId, ...byNumber]) {
        const found = await sql`select * from ${table}`.all(workspace.runtime.engine.db)
        rows.push(...found.map((row) => JSON.stringify(row)).sort())
      }
      return rows
    }
    const before = await state()
    for (const [input, paths] of cases) {
      const problems = await refusalOf(workspace.merge('companies', input))
      expect(problems.map((problem) => problem.split(':')[0])).toEqual(paths)
    }
    expect(await state()).toEqual(before)
    expect((await workspace.attributes('companies', taken.id)).custom_fields.domains).toEqual(['taken.example'])
  })

  it('without the abilities update and delete', async () => {
    const [winner = '', loser = ''] = await workspace.twins()
    const scope = await workspace.scope()
    for (const who of [
      as(scope, { abilities: ['read', 'update'] }),
      as(scope, { abilities: ['read', 'delete'] }),
      as(scope, { role: 'viewer' }),
    ]) {
      const input = { winner_id: winner, loser_ids: [loser] }
      expect((await refusalOf(mergeRecords(who, registry.companies, input)))[0]).toMatch(/^forbidden/)
      expect((await refusalOf(undoMerge(who, NOWHERE)))[0]).toMatch(/^forbidden/)
    }
  })
})
