import { beforeEach, describe, expect, it } from 'vitest'
import { gone, made, madeIds, NOWHERE, problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await newWorkspace()
})

const OLD = '"2020-01-01T00:00:00.000Z"'
const ifMatch = (tag: string) => ({ headers: { 'If-Match': tag } })

describe('If-Match on a merge', () => {
  it('compares the winner; no match is 412 with its updated_at and ETag, and nothing is done', async () => {
    const { api } = workspace
    const [winner, loser] = [await made(api, 'companies'), await made(api, 'companies')]
    const path = `/companies/${winner.id}/merge`
    const body = { loser_ids: [loser.id] }
    const refused = await api.put(path, { ...body, nonsense: 1 }, ifMatch(OLD))
    expect([refused.status, refused.body.updated_at]).toEqual([412, winner.attributes.updated_at])
    const read = await api.get(`/companies/${winner.id}`)
    expect(refused.headers.get('etag')).toBe(read.headers.get('etag'))
    expect((await api.get(`/companies/${loser.id}`)).status).toBe(200)
    const merged = await api.put(path, body, ifMatch(`"${winner.attributes.updated_at}"`))
    expect(merged.status).toBe(200)
    const tag = merged.headers.get('etag') ?? ''
    expect(tag.startsWith(`"${merged.body.data.attributes.updated_at}~`)).toBe(true)
  })

  it('is not compared if all losers are merged already, but malformed it is still 422', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'people', 2)
    const path = `/people/${winner}/merge`
    const first = await api.put(path, { loser_ids: [loser] })
    const again = await api.put(path, { loser_ids: [loser] }, ifMatch(OLD))
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(Object.keys(await problemsOf(api.put(path, { loser_ids: [loser] }, ifMatch('x'))))).toEqual(['if_match'])
    expect((await api.put(`/people/${NOWHERE}/merge`, {}, ifMatch('x'))).status).toBe(404)
  })
})

describe('If-Match on a restore', () => {
  it('compares the updated_at from before the deletion', async () => {
    const { api } = workspace
    const record = await made(api, 'notes')
    await gone(api, 'notes', record.id)
    const path = `/notes/${record.id}/restore`
    const refused = await api.put(path, undefined, ifMatch(OLD))
    expect([refused.status, refused.body.updated_at]).toEqual([412, record.attributes.updated_at])
    expect((await api.get(`/notes/${record.id}`)).status).toBe(404)
    expect(Object.keys(await problemsOf(api.put(path, undefined, ifMatch('x'))))).toEqual(['if_match'])
    const restored = await api.put(path, undefined, ifMatch(`"${record.attributes.updated_at}"`))
    expect(restored.status).toBe(200)
    expect(restored.headers.get('etag')).toBe((await api.get(`/notes/${record.id}`)).headers.get('etag'))
    // It is live now, with another time.
    expect((await api.put(path, undefined, ifMatch(OLD))).status).toBe(412)
    expect((await api.put(path, undefined, ifMatch('*'))).status).toBe(200)
  })

  it('compares the loser if the restore undoes a merge', async () => {
    const { api } = workspace
    const [winner, loser] = [await made(api, 'people'), await made(api, 'people')]
    await api.put(`/people/${winner.id}/merge`, { loser_ids: [loser.id] })
    const path = `/people/${loser.id}/restore`
    expect((await api.put(path, undefined, ifMatch(OLD))).status).toBe(412)
    expect((await api.put(path, undefined, ifMatch(`"${loser.attributes.updated_at}"`))).status).toBe(200)
  })
})
