import { registry } from '@kith/contract/registry'
import { beforeEach, describe, expect, it } from 'vitest'
import { undoMerge } from '../../../src/records/merge/undo-merge.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, madeIds, NOWHERE, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import { refusalOf } from '../../test-runtime.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { later } from '../operations/scopes.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await workspaceWithOwn()
})

describe('PUT /v1/{resource}/{id}/merge', () => {
  it.each(testedResources)('of %s answers with the winner and meta.merge_id, and the losers are gone', async (type) => {
    const { api } = workspace
    const [winner = '', loser = '', third = ''] = await madeIds(api, type, 3)
    const answer = await api.put(`/${type}/${winner.toUpperCase()}/merge`, { loser_ids: [loser.toUpperCase(), third] })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toEqual({
      data: (await api.get(`/${type}/${winner}`)).body.data,
      meta: { merge_id: expect.stringMatching(/^[0-9a-z]{26}$/) },
    })
    for (const id of [loser, third]) expect((await api.get(`/${type}/${id}`)).status).toBe(404)
  })

  it('keeps what the winner has, fills what is empty from the oldest loser, joins lists, and moves links and references', async () => {
    const { api, owner } = workspace
    await workspace.field('companies', { name: 'Motto', type: 'text' })
    const older = await made(api, 'companies', { custom_fields: { motto: 'Old', domains: ['old.example'] } })
    const newer = await made(api, 'companies', { custom_fields: { motto: 'New' }, account_owner_id: owner.id })
    const winner = await made(api, 'companies', { name: 'Winner', custom_fields: { domains: ['winner.example'] } })
    const person = await made(api, 'people', { company_id: newer.id })
    const note = await made(api, 'notes', { company_ids: [older.id] })
    const { body } = await api.put(`/companies/${winner.id}/merge`, { loser_ids: [newer.id, older.id] })
    expect(body.data.attributes).toMatchObject({
      name: 'Winner',
      account_owner_id: owner.id,
      custom_fields: { motto: 'Old', domains: ['winner.example', 'old.example'] },
    })
    expect((await api.get(`/people/${person.id}`)).body.data.attributes.company_id).toBe(winner.id)
    const linked = (await api.get(`/notes/${note.id}?include=companies`)).body.data.relationships.companies.data
    expect(linked).toEqual([{ id: winner.id, type: 'companies' }])
  })

  it('takes what is in attributes instead', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    const attributes = { name: 'Chosen', custom_fields: { icp: true } }
    const { body } = await api.put(`/companies/${winner}/merge`, { loser_ids: [loser], attributes })
    expect(body.data.attributes).toMatchObject(attributes)
  })

  it('skips losers that are merged into this winner already; if all are, it is 200 with the latest merge_id and changes nothing', async () => {
    const { api } = workspace
    const [winner = '', one = '', two = '', three = ''] = await madeIds(api, 'people', 4)
    const merge = (loser_ids: string[]) => api.put(`/people/${winner}/merge`, { loser_ids })
    const first = await merge([one])
    const second = await merge([one, two])
    expect(second.body.meta.merge_id).not.toBe(first.body.meta.merge_id)
    const listed = (await api.get('/merges')).body.data
    expect(listed.map((merge: { attributes: { loser_ids: string[] } }) => merge.attributes.loser_ids)).toEqual([
      [two],
      [one],
    ])
    expect(await merge([one, two, one])).toMatchObject({ status: 200, text: second.text })
    // A chain of merges that ends at this winner counts, too.
    const [outer = ''] = await madeIds(api, 'people', 1)
    const last = await api.put(`/people/${outer}/merge`, { loser_ids: [winner] })
    const repeated = await api.put(`/people/${outer}/merge`, { loser_ids: [one, winner] })
    expect([repeated.status, repeated.text]).toEqual([200, last.text])
    expect((await api.get('/merges')).body.meta.total).toBe(3)
    const more = await api.put(`/people/${outer}/merge`, { loser_ids: [two, three] })
    expect((await api.get('/merges')).body.data[0].attributes.loser_ids).toEqual([three])
    expect(more.body.meta.merge_id > last.body.meta.merge_id).toBe(true)
  })

  it('reports a loser that is the winner, does not exist, or was merged into another record, at loser_ids.<index>', async () => {
    const { api } = workspace
    const [winner = '', loser = '', other = '', merged = '', deleted = ''] = await madeIds(api, 'companies', 5)
    const [person = ''] = await madeIds(api, 'people', 1)
    await api.put(`/companies/${other}/merge`, { loser_ids: [merged] })
    await gone(api, 'companies', deleted)
    const loser_ids = [loser, loser, winner, NOWHERE, merged, deleted, person, 7]
    const errors = await problemsOf(api.put(`/companies/${winner}/merge`, { loser_ids }))
    const notOne = (index: number) => [`The loser_ids.${index} must be the ID of an existing record in companies.`]
    expect(errors).toEqual({
      'loser_ids.2': ['A record cannot be merged into itself.'],
      'loser_ids.3': notOne(3),
      'loser_ids.4': [`The company ${merged} was merged into ${other}; use that ID.`],
      'loser_ids.5': notOne(5),
      'loser_ids.6': notOne(6),
      'loser_ids.7': notOne(7),
    })
    expect((await api.get(`/companies/${loser}`)).status).toBe(200)
  })

  it('takes 2 to 25 records, including the winner, and nothing unknown', async () => {
    const { api } = workspace
    const ids = await madeIds(api, 'tasks', 25)
    const [winner = '', ...losers] = ids
    const path = `/tasks/${winner}/merge`
    for (const loser_ids of [undefined, null, [], 'x', [...losers, NOWHERE]]) {
      expect(Object.keys(await problemsOf(api.put(path, { loser_ids })))).toEqual(['loser_ids'])
    }
    expect(Object.keys(await problemsOf(api.put(path)))).toEqual(['body'])
    expect(Object.keys(await problemsOf(api.send('PUT', path, '[]')))).toEqual(['body'])
    const unknown = { winner_id: winner, loser_ids: losers, attributes: { nmae: 'x' } }
    expect(Object.keys(await problemsOf(api.put(`${path}?include=creator`, unknown)))).toEqual([
      'include',
      'winner_id',
      'attributes.nmae',
    ])
    expect((await api.put(path, { loser_ids: losers, attributes: null })).status).toBe(200)
    expect((await api.get('/tasks')).body.meta.total).toBe(1)
  })

  it('is 404 before 422 if the id in the path does not exist', async () => {
    const [loser = ''] = await madeIds(workspace.api, 'notes', 1)
    for (const id of [NOWHERE, 'nonsense']) {
      const answer = await workspace.api.put(`/notes/${id}/merge`, { loser_ids: [loser], nonsense: 1 })
      expect([answer.status, answer.body]).toEqual([
        404,
        { message: `No note with the ID ${id} exists in this workspace.` },
      ])
    }
  })
})

describe('GET /v1/merges', () => {
  it('lists merges as lists do, latest first', async () => {
    const { api, owner } = workspace
    const [winner = '', one = '', two = ''] = await madeIds(api, 'companies', 3)
    const [first = '', second = ''] = await madeIds(api, 'people', 2)
    const merged = await api.put(`/companies/${winner}/merge`, { loser_ids: [one, two] })
    await api.put(`/people/${first}/merge`, { loser_ids: [second] })
    const { body } = await api.get('/merges?per_page=1&page=2')
    expect(body.meta).toMatchObject({ current_page: 2, per_page: 1, total: 2 })
    const [{ id, type, attributes }] = body.data
    expect([id, type, Object.keys(attributes)]).toEqual([
      merged.body.meta.merge_id,
      'merges',
      ['resource', 'winner_id', 'loser_ids', 'merged_at', 'merged_by', 'undone_at', 'undoable_until'],
    ])
    expect(attributes).toMatchObject({ resource: 'companies', winner_id: winner, loser_ids: [one, two] })
    expect(attributes).toMatchObject({ merged_by: owner.id, undone_at: null })
    expect(Date.parse(attributes.undoable_until) - Date.parse(attributes.merged_at)).toBe(30 * 86_400_000)
    expect((await api.get('/merges?resource=people')).body.meta.total).toBe(1)
    expect(Object.keys(await problemsOf(api.get('/merges?resource=x&sort=id&page=0')))).toEqual([
      'sort',
      'page',
      'resource',
    ])
  })
})

describe('PUT /v1/merges/{id}/undo', () => {
  it('answers with the winner, and again with 200, unchanged', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    const person = await made(api, 'people', { company_id: loser })
    const { merge_id } = (await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })).body.meta
    const undone = await api.put(`/merges/${merge_id.toUpperCase()}/undo`)
    expect(undone.body).toEqual({ data: (await api.get(`/companies/${winner}`)).body.data })
    expect((await api.get(`/people/${person.id}`)).body.data.attributes.company_id).toBe(loser)
    const [{ attributes }] = (await api.get('/merges')).body.data
    expect(attributes.undone_at).not.toBeNull()
    expect(await api.put(`/merges/${merge_id}/undo`, {})).toMatchObject({ status: 200, text: undone.text })
    expect((await api.get('/merges')).body.data[0].attributes).toEqual(attributes)
  })

  it('is 422 on merge after undoable_until, and 404 for no merge', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    const { merge_id } = (await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })).body.meta
    const late = await refusalOf(undoMerge(later(await workspace.scope(), 30.001), merge_id))
    expect(late).toEqual([expect.stringMatching(/^merge: .*can no longer be undone: that is possible for 30 days\.$/)])
    expect((await api.put(`/merges/${NOWHERE}/undo`, { nonsense: 1 })).status).toBe(404)
    expect(Object.keys(await problemsOf(api.put(`/merges/${merge_id}/undo?x=1`, { nonsense: 1 })))).toEqual([
      'x',
      'nonsense',
    ])
  })

  it('is 422 on winner_id if the winner was merged further or deleted, saying what to undo first, and on values taken meanwhile', async () => {
    const { api } = workspace
    const winner = await made(api, 'companies')
    const loser = await made(api, 'companies', { custom_fields: { domains: ['lost.example'] } })
    const [outer = ''] = await madeIds(api, 'companies', 1)
    const chosen = { custom_fields: { domains: [] } }
    const first = await api.put(`/companies/${winner.id}/merge`, { loser_ids: [loser.id], attributes: chosen })
    const undo = () => api.put(`/merges/${first.body.meta.merge_id}/undo`)
    const second = await api.put(`/companies/${outer}/merge`, { loser_ids: [winner.id] })
    const { merge_id } = second.body.meta
    expect(await problemsOf(undo())).toEqual({ winner_id: [expect.stringContaining(`Undo that merge (${merge_id})`)] })
    await api.put(`/merges/${merge_id}/undo`)
    await gone(api, 'companies', winner.id)
    expect(await problemsOf(undo())).toEqual({ winner_id: [expect.stringContaining('is deleted. Restore it first.')] })
    await api.put(`/companies/${winner.id}/restore`)
    const taker = await made(api, 'companies', { name: 'Taker', custom_fields: { domains: ['lost.example'] } })
    expect(await problemsOf(undo())).toEqual({
      'custom_fields.domains': [expect.stringContaining(`the company "Taker" (${taker.id})`)],
    })
    // Also where the winner itself has got the value since.
    const third = await api.put(`/companies/${winner.id}/merge`, { loser_ids: [taker.id] })
    expect(await problemsOf(undo())).toEqual({
      'custom_fields.domains': [expect.stringContaining(`(${winner.id})`)],
    })
    await api.put(`/merges/${third.body.meta.merge_id}/undo`)
    await gone(api, 'companies', taker.id)
    expect((await undo()).status).toBe(200)
  })
})

it('A merge, its undo and a restore at the same moment leave every record in one place', async () => {
  const { api } = workspace
  const [winner = '', loser = '', other = ''] = await madeIds(api, 'companies', 3)
  const answers = await Promise.all([
    api.put(`/companies/${winner}/merge`, { loser_ids: [loser] }),
    api.put(`/companies/${winner}/merge`, { loser_ids: [loser] }),
    api.put(`/companies/${other}/merge`, { loser_ids: [loser] }),
  ])
  // One of the two winners gets it. The same merge twice is one merge.
  const [one, two, three] = answers.map(({ status }) => status)
  expect(one).toBe(two)
  expect([one, three].sort()).toEqual([200, 422])
  const { data } = (await api.get('/merges')).body
  expect(data).toHaveLength(1)
  const undos = await Promise.all([
    api.put(`/merges/${data[0].id}/undo`),
    api.put(`/companies/${loser}/restore`),
    api.put(`/merges/${data[0].id}/undo`),
  ])
  expect(undos.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await api.get(`/${registry.companies.type}`)).body.meta.total).toBe(3)
})
