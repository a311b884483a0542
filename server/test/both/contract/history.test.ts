import { beforeEach, describe, expect, it } from 'vitest'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, madeIds, NOWHERE, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import { connectTo } from '../../tool-client.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await workspaceWithOwn()
})

type Entry = { id: string; type: string; attributes: Record<string, unknown> & { changes: { field: string }[] } }

async function entries(path: string): Promise<Entry[]> {
  const answer = await workspace.api.get(path)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}

const actions = (all: readonly Entry[]) => all.map(({ attributes }) => attributes.action)

describe('GET /v1/{resource}/{id}/history', () => {
  it.each(testedResources)('of %s is its audit log, latest first', async (type) => {
    const { api, owner } = workspace
    const { label } = declared(type)
    const record = await made(api, type, { [label]: 'Before' })
    await api.patch(`/${type}/${record.id}`, { [label]: 'After' })
    await gone(api, type, record.id)
    await api.put(`/${type}/${record.id}/restore`)
    const other = await workspace.token()
    await other.patch(`/${type}/${record.id}`, { [label]: 'Last' })
    const all = await entries(`/${type}/${record.id}/history`)
    expect(actions(all)).toEqual(['update', 'restore', 'delete', 'update', 'create'])
    expect(all.every((one) => one.type === 'history' && one.attributes.record_id === record.id)).toBe(true)
    const [last, , , first, created] = all
    expect(Object.keys(last?.attributes ?? {})).toEqual([
      'record_id',
      'at',
      'action',
      'origin',
      'actor_name',
      'token_name',
      'changes',
    ])
    const change = { field: label, label: label === 'name' ? 'Name' : 'Title', truncated: false }
    expect(last?.attributes).toMatchObject({
      origin: { source: 'api', actor_id: owner.id, token_id: other.id, own: false },
      actor_name: owner.name,
      token_name: 'test',
      changes: [{ ...change, before: 'After', after: 'Last' }],
    })
    expect(first?.attributes).toMatchObject({
      origin: { own: true },
      changes: [{ ...change, before: 'Before', after: 'After' }],
    })
    expect([created?.id, created?.attributes.changes]).toEqual([record.id, []])
  })

  it('with field= is what happened to one attribute, also on creation', async () => {
    const { api } = workspace
    await workspace.field('companies', { name: 'Motto', type: 'text' })
    const company = await made(api, 'companies', { name: 'First', custom_fields: { icp: true } })
    const path = `/companies/${company.id}`
    await api.patch(path, { name: 'Second', custom_fields: { motto: 'One' } })
    await api.patch(path, { custom_fields: { motto: 'Two', icp: false } })
    const history = async (field: string) =>
      (await entries(`${path}/history?field=${field}`)).map(({ attributes }) => [attributes.action, attributes.changes])
    const change = (field: string, label: string, [before, after]: unknown[]) => [
      { field, label, before, after, truncated: false },
    ]
    const motto = (...values: unknown[]) => change('custom_fields.motto', 'Motto', values)
    expect(await history('custom_fields.motto')).toEqual([
      ['update', motto('One', 'Two')],
      ['update', motto(null, 'One')],
    ])
    expect(await history('custom_fields.icp')).toEqual([
      ['update', change('custom_fields.icp', 'ICP', [true, false])],
      ['create', change('custom_fields.icp', 'ICP', [null, true])],
    ])
    expect(await history('name')).toEqual([
      ['update', change('name', 'Name', ['First', 'Second'])],
      ['create', change('name', 'Name', [null, 'First'])],
    ])
    expect(await history('account_owner_id')).toEqual([])
    expect(await history('icp')).toEqual(await history('custom_fields.icp'))
    expect(await history('custom_fields.domains')).toEqual([])
    const person = await made(api, 'people', { company_id: company.id })
    const [{ attributes }] = (await entries(`/people/${person.id}/history?field=company_id`)) as [Entry]
    expect(attributes).toMatchObject({ action: 'create', changes: [{ before: null, after: company.id }] })
  })

  it('is read by cursor, true first', async () => {
    const { api } = workspace
    const { id } = await made(api, 'tasks')
    for (const title of ['a', 'b', 'c', 'd']) await api.patch(`/tasks/${id}`, { title })
    const whole = await entries(`/tasks/${id}/history`)
    const scanned: Entry[] = []
    for (let cursor: string | null = 'true'; cursor !== null; ) {
      const {
        body,
      }: { body: { data: Entry[]; meta: { next_cursor: string | null }; links: { next: string | null } } } =
        await api.get(`/tasks/${id}/history?per_page=2&cursor=${cursor}`)
      scanned.push(...body.data)
      cursor = body.meta.next_cursor
      expect(body.links.next?.endsWith(`per_page=2&cursor=${cursor}`) ?? null).toBe(cursor === null ? null : true)
    }
    expect(scanned).toEqual(whole)
    const titles = await api.get(`/tasks/${id}/history?field=title&per_page=3`)
    expect(titles.body.data).toHaveLength(3)
    const rest = await entries(`/tasks/${id}/history?field=title&cursor=${titles.body.meta.next_cursor}`)
    expect(actions(rest)).toEqual(['update', 'create'])
  })

  it('keeps texts to 1,000 characters and says so', async () => {
    const { api } = workspace
    const { id } = await made(api, 'notes')
    await api.patch(`/notes/${id}`, { custom_fields: { body: 'x'.repeat(1000) } })
    await api.patch(`/notes/${id}`, { custom_fields: { body: 'y'.repeat(1001) } })
    const [cut, whole] = (await entries(`/notes/${id}/history`)).map(({ attributes }) => attributes.changes[0])
    expect(whole).toMatchObject({ before: null, after: 'x'.repeat(1000), truncated: false })
    expect(cut).toMatchObject({ before: 'x'.repeat(1000), after: 'y'.repeat(1000), truncated: true })
  })

  it('of a deleted record only owners and admins can read: 404 to others', async () => {
    const { id } = await made(workspace.api, 'people')
    await gone(workspace.api, 'people', id)
    expect(actions(await entries(`/people/${id}/history`))).toEqual(['delete', 'create'])
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const token = await workspace.token({ user: await workspace.member(role), abilities: ['read'] })
      expect((await token.get(`/people/${id}/history`)).status, role).toBe(role === 'admin' ? 200 : 404)
    }
    expect((await workspace.api.get(`/people/${NOWHERE}/history?nonsense=1`)).status).toBe(404)
    expect((await workspace.api.get(`/companies/${id}/history`)).status).toBe(404)
  })

  it("of a merged record is 404 with merged_into, and its entries are in the winner's history with their own record_id", async () => {
    const { api } = workspace
    const [winner = '', middle = '', loser = ''] = await madeIds(api, 'companies', 3)
    await api.patch(`/companies/${loser}`, { name: 'Lost' })
    await api.put(`/companies/${middle}/merge`, { loser_ids: [loser] })
    const { merge_id } = (await api.put(`/companies/${winner}/merge`, { loser_ids: [middle] })).body.meta
    const answer = await api.get(`/companies/${loser}/history`)
    expect([answer.status, answer.body.merged_into]).toEqual([404, { id: winner, type: 'companies' }])
    const of = (all: readonly Entry[], id: string) => actions(all.filter((one) => one.attributes.record_id === id))
    const all = await entries(`/companies/${winner}/history`)
    expect([of(all, winner), of(all, middle), of(all, loser)]).toEqual([
      ['merge', 'create'],
      ['merge', 'merge', 'create'],
      ['merge', 'update', 'create'],
    ])
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .reverse(),
    )
    const names = await entries(`/companies/${winner}/history?field=name`)
    expect(names.map(({ attributes }) => [attributes.record_id, attributes.action])).toEqual([
      [loser, 'update'],
      [loser, 'create'],
      [middle, 'create'],
      [winner, 'create'],
    ])
    await api.put(`/merges/${merge_id}/undo`)
    expect(of(await entries(`/companies/${winner}/history`), middle)).toEqual([])
    expect(of(await entries(`/companies/${middle}/history`), loser)).toEqual(['merge', 'update', 'create'])
  })

  it('needs read, refuses what is unknown, and shows nothing of other workspaces', async () => {
    const { id } = await made(workspace.api, 'companies')
    const path = `/companies/${id}/history`
    const errors = await problemsOf(workspace.api.get(`${path}?field=nmae&page=2&per_page=0&cursor=x&sort=id`))
    expect(Object.keys(errors)).toEqual(['page', 'sort', 'cursor', 'field', 'per_page'])
    expect(errors.field?.[0]).toContain('Did you mean name?')
    expect((await problemsOf(workspace.api.get(`${path}?field=domain`))).field?.[0]).toContain('custom_fields.domains?')
    const blind = await workspace.token({ abilities: ['create', 'update', 'delete'] })
    expect((await blind.get(path)).status).toBe(403)
    expect((await (await workspaceWithOwn()).api.get(path)).status).toBe(404)
  })

  it('is the tool record_history for MCP clients', async () => {
    const { id } = await made(workspace.api, 'companies', { name: 'First' })
    await workspace.api.patch(`/companies/${id}`, { name: 'Second' })
    const { call, refused } = await connectTo(workspace)
    const answer = await call('record_history', { resource: 'companies', id, per_page: 1 })
    expect(answer.data).toMatchObject([{ action: 'update', changes: [{ field: 'name', after: 'Second' }] }])
    const rest = await call('record_history', { resource: 'companies', id, cursor: answer.next_cursor, field: 'name' })
    expect(rest).toMatchObject({ data: [{ action: 'create' }], next_cursor: null })
    expect(await refused('record_history', { resource: 'companies', id, field: 'x' })).toContain('- field: ')
  })
})
