import { beforeEach, describe, expect, it } from 'vitest'
import { gone, made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { follow, now, page, told } from './feed.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await newWorkspace()
})

describe('a parameter that is not accepted is 422', () => {
  it.each([
    ['/changes', 'cursor'],
    ['/changes?cursor=now&since=2026-01-01', 'cursor'],
    ['/changes?cursor=nonsense', 'cursor'],
    ['/changes?since=yesterday', 'since'],
    ['/changes?since=2999-01-01', 'since'],
    ['/changes?cursor=now&resource=robots', 'resource'],
    ['/changes?cursor=now&kind=left', 'kind'],
    ['/changes?cursor=now&exclude_token=other', 'exclude_token'],
    ['/changes?cursor=now&payload=fat', 'payload'],
    ['/changes?cursor=now&compact=yes', 'compact'],
    ['/changes?cursor=now&limit=1001', 'limit'],
    ['/changes?cursor=now&limit=0', 'limit'],
    ['/changes?cursor=now&wait=31', 'wait'],
    ['/changes?cursor=now&include=company', 'include'],
    ['/changes?cursor=now&fields=name', 'fields'],
    ['/changes?cursor=now&fields[robots]=name', 'fields.robots'],
    ['/changes?cursor=now&filter[name][$eq]=a', 'filter'],
    ['/changes?cursor=now&changed=name', 'changed'],
    ['/people/changes?cursor=now&resource=people', 'resource'],
    ['/people/changes?cursor=now&changed=nothing', 'changed'],
    ['/people/changes?cursor=now&filter[company][name][$eq]=a', 'filter.company.name'],
    ['/tasks/changes?cursor=now&filter[assigned_to_me]=true', 'filter.assigned_to_me'],
    ['/people/changes?cursor=now&filter[robots][$eq]=a', 'filter.robots'],
  ])('%s', async (path, at) => {
    const { status, body } = await workspace.api.get(path)
    expect([status, Object.keys(body.errors)]).toEqual([422, [at]])
  })

  it('a cursor of another workspace', async () => {
    const other = await now(await newWorkspace())
    expect((await workspace.api.get(`/changes?cursor=${other}`)).body.errors.cursor).toHaveLength(1)
  })
})

it('cursor=now has no entries, and the position after the last one', async () => {
  const { data, meta } = await page(workspace, 'cursor=now')
  expect(data).toEqual([])
  expect(meta).toMatchObject({ has_more: false, phase: 'live' })
  await made(workspace.api, 'people')
  expect((await page(workspace, `cursor=${meta.next_cursor}`)).data.map(told)).toEqual(['created people'])
})

it('since begins with the first change at that time or later', async () => {
  await made(workspace.api, 'people')
  const { attributes } = (await workspace.api.post('/people', { name: 'Second' })).body.data
  const { data } = await page(workspace, `since=${attributes.created_at}`)
  expect(data.at(-1)?.attributes.record?.attributes.name).toBe('Second')
  expect(data.length).toBeLessThanOrEqual(2)
})

it('resource and kind select entries, and the others advance the cursor', async () => {
  const cursor = await now(workspace)
  const { id } = await made(workspace.api, 'people')
  await made(workspace.api, 'companies')
  await gone(workspace.api, 'people', id)
  const people = await follow(workspace, cursor, 'resource=people,notes')
  expect(people.entries.map(told)).toEqual(['created people', 'deleted people'])
  const deleted = await follow(workspace, cursor, 'kind=deleted')
  expect(deleted.entries.map(told)).toEqual(['deleted people'])
  expect(deleted.cursor).toBe(await now(workspace))
  const companies = await follow(workspace, cursor, '', '/companies')
  expect(companies.entries.map(told)).toEqual(['created companies'])
})

it('limit and next_cursor return each entry once, in order', async () => {
  const cursor = await now(workspace)
  for (let i = 0; i < 7; i++) await made(workspace.api, 'people')
  const pages: number[] = []
  const sequences: (number | null)[] = []
  for (let next = cursor, more = true; more; ) {
    const { data, meta } = await page(workspace, `cursor=${next}&limit=3`)
    pages.push(data.length)
    sequences.push(...data.map((entry) => entry.attributes.sequence))
    next = meta.next_cursor
    more = meta.has_more
  }
  expect(pages).toEqual([3, 3, 1])
  const first = sequences[0] ?? 0
  expect(sequences).toEqual(sequences.map((_, index) => first + index))
})

it('exclude_token, payload and fields', async () => {
  const cursor = await now(workspace)
  await made(workspace.api, 'people')
  expect((await follow(workspace, cursor, 'exclude_token=self')).entries).toEqual([])
  const [thin] = (await follow(workspace, cursor, 'payload=thin')).entries
  expect(thin?.attributes).not.toHaveProperty('record')
  const [some] = (await follow(workspace, cursor, 'fields[people]=name')).entries
  expect(Object.keys(some?.attributes.record?.attributes ?? {})).toEqual(['name'])
})

it('compact folds the entries of a record, and its kind describes the range', async () => {
  const { api } = workspace
  const old = await made(api, 'companies')
  const cursor = await now(workspace)
  const fresh = await made(api, 'companies')
  await api.put(`/companies/${fresh.id}`, { name: 'A' })
  await api.put(`/companies/${old.id}`, { name: 'B' })
  await api.put(`/companies/${old.id}`, { custom_fields: { icp: true } })
  const short = await made(api, 'companies')
  await gone(api, 'companies', short.id)
  const { entries } = await follow(workspace, cursor, 'compact=true')
  expect(entries.map(told)).toEqual([
    'created companies name',
    'updated companies custom_fields.icp name',
    'deleted companies',
  ])
})

describe('under a filter', () => {
  it('a record that no longer matches comes as left, and a new one that does not match is left out', async () => {
    const { api } = workspace
    const filter = 'filter[name][$eq]=In'
    const cursor = await now(workspace)
    const { id } = await made(api, 'companies', { name: 'In' })
    await made(api, 'companies', { name: 'Out' })
    await api.put(`/companies/${id}`, { name: 'Out' })
    const { entries } = await follow(workspace, cursor, filter, '/companies')
    // The created entry of a record that does not match now is left out, too.
    expect(entries.map(told)).toEqual(['left companies'])
    expect(entries[0]?.attributes).toMatchObject({ record_id: id, record: null, changed: [] })
    await gone(api, 'companies', id)
    expect((await follow(workspace, cursor, filter, '/companies')).entries.map(told)).toEqual([
      'left companies',
      'deleted companies',
    ])
  })

  it('changed leaves out updates of other attributes', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    const cursor = await now(workspace)
    await api.put(`/companies/${id}`, { name: 'A' })
    await api.put(`/companies/${id}`, { custom_fields: { icp: true } })
    const { entries } = await follow(workspace, cursor, 'changed=custom_fields.icp', '/companies')
    expect(entries.map(told)).toEqual(['updated companies custom_fields.icp'])
  })
})

it('a cursor of an initial sync is bound to its resource and filter until the hand-off', async () => {
  for (let i = 0; i < 3; i++) await made(workspace.api, 'people')
  const { meta } = await page(workspace, 'cursor=start&resource=people&limit=2')
  expect(meta).toMatchObject({ phase: 'snapshot', has_more: true })
  const { status, body } = await workspace.api.get(`/changes?cursor=${meta.next_cursor}`)
  expect([status, Object.keys(body.errors)]).toEqual([422, ['cursor']])
  const last = await page(workspace, `cursor=${meta.next_cursor}&resource=people`)
  expect([last.data.length, last.meta.phase]).toEqual([1, 'snapshot'])
  const live = await page(workspace, `cursor=${last.meta.next_cursor}`)
  expect(live.meta).toMatchObject({ phase: 'live', has_more: false })
})
