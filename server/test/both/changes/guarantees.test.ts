import { feedResourcesOf } from '@kith/contract/changes/change-kind'
import { generalSchema } from '@kith/contract/registry'
import { resourceNames } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import { gone, made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { type Entry, follow, now, page, told } from './feed.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await newWorkspace()
})

describe('sync 1. Initial sync', () => {
  it('returns every definition, member and live record as snapshot entries, in order, then the changes since', async () => {
    const { api } = workspace
    for (const type of resourceNames.toReversed()) {
      await made(api, type)
      await made(api, type)
    }
    await gone(api, 'notes', (await made(api, 'notes')).id)
    const snapshot: Entry[] = []
    let cursor = 'start'
    let during = ''
    for (;;) {
      const { data, meta } = await page(workspace, `cursor=${cursor}&limit=5&kind=deleted&exclude_token=self`)
      expect(Object.keys(meta)).toEqual(['next_cursor', 'has_more', 'phase', 'head'])
      if (meta.phase === 'live') break
      expect(meta.has_more).toBe(true)
      expect(new Set(data.map((entry) => entry.attributes.kind))).toEqual(new Set(['snapshot']))
      snapshot.push(...data)
      cursor = meta.next_cursor
      if (during === '') during = (await made(api, 'companies')).id
    }
    const resources = snapshot.map((entry) => entry.attributes.resource)
    // No resource of the workspace is its own or has another name.
    expect([...new Set(resources)]).toEqual(feedResourcesOf(generalSchema).filter((name) => name !== 'schemas'))
    for (const resource of feedResourcesOf(generalSchema)) {
      const ids = snapshot.filter((entry) => entry.attributes.resource === resource).map((entry) => entry.id)
      expect(ids).toEqual(ids.toSorted())
    }
    expect(resources.filter((name) => name === 'notes')).toHaveLength(2)
    for (const { id, attributes } of snapshot) {
      const { sequence, record_id, changed, merged_into, origin, record } = attributes
      expect({ sequence, record_id, changed, merged_into, origin }).toEqual({
        sequence: null,
        record_id: id,
        changed: [],
        merged_into: null,
        origin: null,
      })
      if (attributes.resource !== 'users') expect(attributes.at).toBe(record?.attributes.updated_at)
    }
    // What was written meanwhile comes after the hand-off, under the same cursor.
    const live = await follow(workspace, cursor)
    expect(live.entries.map((entry) => [told(entry), entry.attributes.record_id])).toEqual([
      ['created companies', during],
    ])
  })
})

describe('sync 1. Guarantees', () => {
  it('a cursor is a position and nothing else: any token, other parameters, the same entries again', async () => {
    const cursor = await now(workspace)
    await made(workspace.api, 'people')
    await made(workspace.api, 'notes')
    const { entries } = await follow(workspace, cursor, 'limit=1')
    const other = { api: await workspace.token({ abilities: ['read'] }) }
    const again = await follow(other, cursor, 'limit=1000&compact=true')
    expect(again.entries.map(({ id, attributes }) => [id, attributes.sequence])).toEqual(
      entries.map(({ id, attributes }) => [id, attributes.sequence]),
    )
    expect(again.entries.map(({ attributes }) => attributes.origin?.own)).toEqual([false, false])
    expect((await follow(other, cursor, '', '/people')).entries.map(told)).toEqual(['created people'])
    expect(cursor.length).toBeLessThanOrEqual(512)
  })

  it('an entry has its attributes in the order of the contract, and shows the record as it is now', async () => {
    const cursor = await now(workspace)
    const { id } = await made(workspace.api, 'people', { name: 'Before' })
    await workspace.api.put(`/people/${id}`, { name: 'Now', external_ids: { crm: '1' } })
    const { entries } = await follow(workspace, cursor)
    expect(entries.map(told)).toEqual(['created people', 'updated people external_ids name'])
    for (const { type, attributes } of entries) {
      expect(type).toBe('changes')
      expect(Object.keys(attributes)).toEqual([
        'sequence',
        'kind',
        'resource',
        'record_id',
        'at',
        'changed',
        'merged_into',
        'external_ids',
        'origin',
        'record',
      ])
      expect(attributes.record?.attributes).toMatchObject({ name: 'Now', external_ids: { crm: ['1'] } })
      expect(attributes.external_ids).toEqual({ crm: ['1'] })
    }
  })

  it('fields selects the attributes of every type, also of definitions', async () => {
    const all = (await page(workspace, 'cursor=start&resource=custom_fields&limit=1')).data[0]?.attributes
    const names = Object.keys(all?.record?.attributes ?? {})
    const named = await page(workspace, `cursor=start&resource=custom_fields&limit=1&fields[custom_fields]=${names}`)
    expect(named.data[0]?.attributes).toEqual(all)
    const some = 'fields[custom_fields]=code,options&fields[users]=email'
    const { data } = await page(workspace, `since=2020-01-01&limit=100&${some}`)
    for (const { attributes } of data) {
      const shown = attributes.resource === 'users' ? ['email'] : ['code', 'options']
      expect(Object.keys(attributes.record?.attributes ?? {})).toEqual(shown)
    }
    const first = (await page(workspace, `cursor=start&limit=1&${some}`)).data[0]?.attributes
    expect(Object.keys(first?.record?.attributes ?? {})).toEqual(['code', 'options'])
    const { body } = await workspace.api.get('/changes?cursor=now&fields[custom_fields]=label')
    expect(Object.keys(body.errors)).toEqual(['fields.custom_fields'])
  })

  it('a deletion has one entry, none for what refers to the record, and moves no updated_at', async () => {
    const { api } = workspace
    const company = await made(api, 'companies')
    const person = await made(api, 'people', { company_id: company.id })
    await made(api, 'tasks', { company_ids: [company.id] })
    const cursor = await now(workspace)
    await gone(api, 'companies', company.id)
    const { entries } = await follow(workspace, cursor)
    expect(entries.map(told)).toEqual(['deleted companies'])
    expect(entries[0]?.attributes.at.localeCompare(company.attributes.updated_at)).toBe(1)
    const { attributes } = (await api.get(`/people/${person.id}`)).body.data
    expect(attributes).toMatchObject({ company_id: null, updated_at: person.attributes.updated_at })
    const trashed = `"${company.attributes.updated_at}"`
    const restored = await api.put(`/companies/${company.id}/restore`, undefined, { headers: { 'If-Match': trashed } })
    expect(restored.status).toBe(200)
    expect(restored.body.data.attributes.updated_at > company.attributes.updated_at).toBe(true)
  })

  it('member ids appear as stored, including those of members who have left', async () => {
    const member = await workspace.member('member')
    const company = await made(workspace.api, 'companies', { account_owner_id: member.id })
    const task = await made(workspace.api, 'tasks', { assignee_ids: [member.id] })
    const cursor = await now(workspace)
    await workspace.remove(member)
    const { entries } = await follow(workspace, cursor)
    expect(entries.map((entry) => [told(entry), entry.attributes.record_id])).toEqual([['deleted users', member.id]])
    const { data } = await page(workspace, 'cursor=start&resource=companies,tasks')
    const shown = data.map((entry) => entry.attributes.record as object)
    expect(shown).toMatchObject([
      { id: company.id, attributes: { account_owner_id: member.id } },
      { id: task.id, relationships: { assignees: { data: [{ id: member.id, type: 'users' }] } } },
    ])
  })
})

describe('sync 1. Compact and filters', () => {
  it('compact: the kind describes the whole range, and limit counts before folding', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    const cursor = await now(workspace)
    await gone(api, 'companies', id)
    await api.put(`/companies/${id}/restore`)
    const after = await now(workspace)
    await api.put(`/companies/${id}`, { name: 'A' })
    expect((await follow(workspace, cursor, 'compact=true')).entries.map(told)).toEqual(['updated companies name'])
    const from = (await page(workspace, `cursor=${cursor}&limit=1`)).meta.next_cursor
    expect((await follow(workspace, from, 'compact=true')).entries.map(told)).toEqual(['restored companies name'])
    const two = await page(workspace, `cursor=${cursor}&compact=true&limit=2`)
    expect([two.data.map(told), two.meta.has_more]).toEqual([['updated companies'], true])
    expect(two.meta.next_cursor).toBe(after)
  })

  it('left: whatever a reader may hold and no longer matches; kind is applied before this rule', async () => {
    const { api } = workspace
    const [kept, loser] = [await made(api, 'companies', { name: 'In' }), await made(api, 'companies', { name: 'In' })]
    const cursor = await now(workspace)
    await gone(api, 'companies', kept.id)
    await api.put(`/companies/${kept.id}/restore`)
    await api.put(`/companies/${kept.id}`, { name: 'Out' })
    await api.put(`/companies/${kept.id}/merge`, { loser_ids: [loser.id] })
    const read = async (query: string) =>
      (await follow(workspace, cursor, `filter[name][$eq]=In&${query}`, '/companies')).entries.map(told)
    expect(await read('')).toEqual(['deleted companies', 'left companies', 'left companies', 'merged companies'])
    expect(await read('kind=restored')).toEqual(['left companies'])
    // An update that touched nothing wanted still comes if the record no longer matches.
    expect(await read('kind=updated&changed=custom_fields.icp')).toEqual(['left companies'])
  })
})
