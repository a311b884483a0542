import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, madeIds, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import { connectTo } from '../../tool-client.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let api: Api

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  api = workspace.api
})

const merge = async (type: string, winner: string, losers: string[]): Promise<string> =>
  (await api.put(`/${type}/${winner}/merge`, { loser_ids: losers })).body.meta.merge_id

describe("A merged record's id", () => {
  it.each(testedResources)('of %s is 404 with merged_into: the live record at the end of the chain', async (type) => {
    const [winner = '', middle = '', loser = ''] = await madeIds(api, type, 3)
    await merge(type, middle, [loser])
    await merge(type, winner, [middle])
    const body = { [declared(type).label]: 'Renamed' }
    for (const id of [loser, middle, loser.toUpperCase()]) {
      for (const answer of [
        await api.get(`/${type}/${id}`),
        await api.get(`/${type}/${id}?include=creator`),
        await api.put(`/${type}/${id}`, body),
        await api.patch(`/${type}/${id}`, { nonsense: 1 }),
        await api.delete(`/${type}/${id}`),
        await api.put(`/${type}/${id}/merge`, { loser_ids: [winner] }),
      ]) {
        const message = `No ${declared(type).one} with the ID ${id} exists in this workspace.`
        expect([answer.status, answer.body]).toEqual([404, { message, merged_into: { id: winner, type } }])
      }
    }
    expect((await api.get(`/${type}/${winner}`)).body.data.attributes[declared(type).label]).toBe('One')
  })

  it('is a plain 404 if the winner is deleted, and leads to the winner again when that is restored', async () => {
    const [winner = '', loser = ''] = await madeIds(api, 'people', 2)
    await merge('people', winner, [loser])
    await gone(api, 'people', winner)
    expect(Object.keys((await api.get(`/people/${loser}`)).body)).toEqual(['message'])
    await api.put(`/people/${winner}/restore`)
    expect((await api.get(`/people/${loser}`)).body.merged_into).toEqual({ id: winner, type: 'people' })
  })

  it('is a plain 404 after the merge was undone and the record was deleted', async () => {
    const [winner = '', loser = '', other = ''] = await madeIds(api, 'people', 3)
    await api.put(`/merges/${await merge('people', winner, [loser])}/undo`)
    await gone(api, 'people', loser)
    expect(Object.keys((await api.get(`/people/${loser}`)).body)).toEqual(['message'])
    await api.put(`/people/${loser}/restore`)
    await merge('people', other, [loser])
    expect((await api.get(`/people/${loser}`)).body.merged_into).toEqual({ id: other, type: 'people' })
  })

  it('is unknown to other resources and other workspaces', async () => {
    const [winner = '', loser = ''] = await madeIds(api, 'people', 2)
    await merge('people', winner, [loser])
    expect(Object.keys((await api.get(`/companies/${loser}`)).body)).toEqual(['message'])
    const neighbour = await workspaceWithOwn()
    expect(Object.keys((await neighbour.api.get(`/people/${loser}`)).body)).toEqual(['message'])
    const named = neighbour.api.post('/opportunities', { name: 'x', contact_id: loser })
    expect((await problemsOf(named)).contact_id?.[0]).toContain('must be the ID of an existing record')
  })

  it('named in a write is 422 at that path and says which id to use', async () => {
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    const [person = '', lost = ''] = await madeIds(api, 'people', 2)
    await merge('companies', winner, [loser])
    await merge('people', person, [lost])
    await workspace.field('people', { name: 'Key', type: 'text', unique: true })
    const company = `The company ${loser} was merged into ${winner}; use that ID.`
    const contact = `The person ${lost} was merged into ${person}; use that ID.`
    const reference = { company_id: [company] }
    const upsert = { name: 'x', company_id: loser.toUpperCase(), match: { field: 'key', value: '1' } }
    expect(await problemsOf(api.post('/people', { name: 'x', company_id: loser }))).toEqual(reference)
    expect(await problemsOf(api.patch(`/people/${person}`, { company_id: loser }))).toEqual(reference)
    expect(await problemsOf(api.post('/people/upsert', upsert))).toEqual(reference)
    expect(await problemsOf(api.post('/opportunities', { name: 'x', company_id: loser, contact_id: lost }))).toEqual({
      company_id: [company],
      contact_id: [contact],
    })
    const links = { title: 'x', company_ids: [winner, loser], people_ids: [lost] }
    expect(await problemsOf(api.post('/tasks', links))).toEqual({
      'company_ids.1': [company],
      'people_ids.0': [contact],
    })
    const [other = ''] = await madeIds(api, 'people', 1)
    const attributes = { company_id: loser }
    expect(await problemsOf(api.put(`/people/${person}/merge`, { loser_ids: [other], attributes }))).toEqual({
      'attributes.company_id': [company],
    })
  })

  it('in a filter matches nothing', async () => {
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    await made(api, 'people', { company_id: loser })
    await made(api, 'notes', { company_ids: [loser] })
    await merge('companies', winner, [loser])
    const totals = async (id: string) => [
      (await api.get(`/people?filter[company][$in]=${id}`)).body.meta.total,
      (await api.get(`/notes?filter[companies][$in]=${id}`)).body.meta.total,
    ]
    expect(await totals(loser)).toEqual([0, 0])
    expect(await totals(winner)).toEqual([1, 1])
  })

  it('is shown to MCP clients, too', async () => {
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    await merge('companies', winner, [loser])
    const { refused } = await connectTo(workspace)
    const now = `merged_into: {"id":"${winner}","type":"companies"}`
    for (const [tool, input] of [
      ['get_record', {}],
      ['update_record', { attributes: { name: 'x' } }],
      ['delete_record', {}],
    ] as const) {
      expect(await refused(tool, { resource: 'companies', id: loser, ...input })).toContain(now)
    }
    const person = { resource: 'people', attributes: { name: 'x', company_id: loser } }
    expect(await refused('create_record', person)).toContain(`was merged into ${winner}; use that ID.`)
  })
})
