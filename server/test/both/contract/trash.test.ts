import { registry } from '@kith/contract/registry'
import { beforeEach, describe, expect, it } from 'vitest'
import { restoreRecord } from '../../../src/records/trash/restore.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, madeIds, NOWHERE, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { later } from '../operations/scopes.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await workspaceWithOwn()
})

describe('PUT /v1/{resource}/{id}/restore', () => {
  it.each(testedResources)('of %s answers with the record; one that is not deleted stays unchanged', async (type) => {
    const { api } = workspace
    const record = await made(api, type)
    const live = await api.put(`/${type}/${record.id}/restore`, {})
    expect([live.status, live.body]).toEqual([200, { data: record }])
    await gone(api, type, record.id)
    const back = await api.put(`/${type}/${record.id.toUpperCase()}/restore`)
    expect(back.body).toEqual({ data: (await api.get(`/${type}/${record.id}`)).body.data })
    expect(back.body.data.attributes.updated_at > record.attributes.updated_at).toBe(true)
    expect((await api.put(`/${type}/${record.id}/restore`)).text).toBe(back.text)
  })

  it('of a loser undoes the merge', async () => {
    const { api } = workspace
    const [winner = '', one = '', two = ''] = await madeIds(api, 'companies', 3)
    await api.put(`/companies/${winner}/merge`, { loser_ids: [one, two] })
    expect((await api.put(`/companies/${one}/restore`)).body.data.id).toBe(one)
    expect((await api.get(`/companies/${two}`)).status).toBe(200)
    expect((await api.get('/merges')).body.data[0].attributes.undone_at).not.toBeNull()
  })

  it('is 422 on custom_fields.<code>, naming the holder, if a value was taken meanwhile', async () => {
    const { api } = workspace
    const lost = await made(api, 'people', { custom_fields: { emails: ['ada@acme.example'] } })
    await gone(api, 'people', lost.id)
    const holder = await made(api, 'people', { name: 'Holder', custom_fields: { emails: ['ADA@acme.example'] } })
    expect(await problemsOf(api.put(`/people/${lost.id}/restore`))).toEqual({
      'custom_fields.emails': [expect.stringContaining(`the person "Holder" (${holder.id})`)],
    })
  })

  it('is 404 for an id that does not exist, before 422 for what is unknown', async () => {
    const { api } = workspace
    const [id = ''] = await madeIds(api, 'notes', 1)
    for (const unknown of [NOWHERE, 'nonsense']) {
      expect((await api.put(`/notes/${unknown}/restore?x=1`)).status).toBe(404)
    }
    expect(Object.keys(await problemsOf(api.put(`/notes/${id}/restore?x=1`, { y: 1 })))).toEqual(['x', 'y'])
    expect(Object.keys(await problemsOf(api.send('PUT', `/notes/${id}/restore`, '[')))).toEqual(['body'])
  })

  it('of a loser whose merge can no longer be undone is 404 with merged_into', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })
    const scope = later(await workspace.scope(), 30.001)
    const { reason } = await restoreRecord(scope, registry.companies, { id: loser }).catch((error) => error)
    expect(reason).toMatchObject({ kind: 'not_found', merged_into: { id: winner, type: 'companies' } })
  })
})

describe('GET /v1/trash', () => {
  it('lists deleted records, latest first, as lists do', async () => {
    const { api, owner } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    const task = await made(api, 'tasks', { title: 'Call' })
    const { merge_id } = (await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })).body.meta
    await gone(api, 'tasks', task.id)
    const { body } = await api.get('/trash')
    expect(body.meta).toMatchObject({ current_page: 1, total: 2 })
    expect(body.data.map(({ id, type }: { id: string; type: string }) => [id, type])).toEqual([
      [task.id, 'trash'],
      [loser, 'trash'],
    ])
    const [first, second] = body.data.map((one: { attributes: object }) => one.attributes)
    expect(Object.keys(first)).toEqual([
      'resource',
      'name',
      'deleted_at',
      'deleted_by',
      'restorable_until',
      'merged_into',
    ])
    expect(first).toMatchObject({ resource: 'tasks', name: 'Call', deleted_by: owner.id, merged_into: null })
    expect(Date.parse(first.restorable_until) - Date.parse(first.deleted_at)).toBe(30 * 86_400_000)
    expect(second).toMatchObject({ resource: 'companies', merged_into: winner })
    const people = (await api.get('/trash?resource=companies&per_page=1')).body
    expect(people.data.map(({ id }: { id: string }) => id)).toEqual([loser])
    expect(people.links.first).toContain('/api/v1/trash?resource=companies&per_page=1&page=1')
    await api.put(`/merges/${merge_id}/undo`)
    expect((await api.get('/trash')).body.meta.total).toBe(1)
  })

  it('refuses what is unknown', async () => {
    const { api } = workspace
    const errors = await problemsOf(api.get('/trash?resource=companie&per_page=101&filter[name]=x'))
    expect(Object.keys(errors)).toEqual(['filter', 'per_page', 'resource'])
    expect(errors.resource?.[0]).toContain('Did you mean companies?')
  })
})

it.each([
  ['GET', '/trash', ['read', 'delete']],
  ['GET', '/merges', ['read']],
  ['PUT', `/merges/${NOWHERE}/undo`, ['update', 'delete']],
  ['PUT', `/companies/${NOWHERE}/restore`, ['update', 'delete']],
  ['PUT', `/companies/${NOWHERE}/merge`, ['update', 'delete']],
] as const)('%s %s needs the abilities %j', async (method, path, needed) => {
  const all = ['read', 'create', 'update', 'delete'] as const
  for (const lacking of needed) {
    const { send } = await workspace.token({ abilities: all.filter((ability) => ability !== lacking) })
    const answer = await send(method, path)
    expect([answer.status, answer.body.message]).toEqual([403, `This access token lacks the "${lacking}" ability.`])
  }
  const { send } = await workspace.token({ abilities: needed })
  expect((await send(method, path)).status).not.toBe(403)
})
