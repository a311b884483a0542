import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { newRecord } from '../files/files.ts'
import { newComment } from './comments.ts'

let workspace: TestWorkspace
let record: string

beforeAll(async () => {
  workspace = await newWorkspace()
  record = await newRecord(workspace)
})

async function lastOf(api: Api, id: string): Promise<string> {
  const { data } = (await api.get('/changes?since=2020-01-01&resource=comments&limit=1000')).body
  const own = data.filter((entry: { attributes: { record_id: string } }) => entry.attributes.record_id === id)
  return own.at(-1)?.id ?? ''
}

const undo = (api: Api, id: string, body?: object) => api.put(`/changes/${id}/undo`, body)
const bodyOf = async (api: Api, id: string) => (await api.get(`/comments/${id}`)).body.data?.attributes.body

describe('the undo of a change of a comment', () => {
  it('created is deleted, deleted is restored, restored is deleted', async () => {
    const { api } = workspace
    const { id } = await newComment(api, record)
    const created = await undo(api, id)
    expect([created.status, created.text, await bodyOf(api, id)]).toEqual([204, '', undefined])
    const back = await undo(api, created.headers.get('x-change-id') ?? '')
    expect([back.status, back.body.data.type, back.body.data.id]).toEqual([200, 'comments', id])
    const gone = await undo(api, back.headers.get('x-change-id') ?? '')
    expect([gone.status, await bodyOf(api, id)]).toEqual([204, undefined])
  })

  it('updated gets its body from before in full, unless it was changed since', async () => {
    const { api } = workspace
    const long = `${'long '.repeat(1900)}end`
    const { id } = await newComment(api, record, long)
    await api.put(`/comments/${id}`, { body: 'short' })
    const edit = await lastOf(api, id)
    const read = (await api.get(`/changes/${edit}`)).body.data.attributes
    expect(read.changes).toEqual([{ field: 'body', before: long, after: 'short' }])
    await api.put(`/comments/${id}`, { body: 'other' })
    expect((await undo(api, edit)).body.errors.body[0]).toContain('was changed again at')
    expect(Object.keys((await undo(api, id)).body.errors)).toEqual(['id'])
    await undo(api, await lastOf(api, id))
    const undone = await undo(api, edit)
    expect([undone.status, undone.body.data.attributes.body]).toEqual([200, long])
    const stale = { headers: { 'If-Match': '"2020-01-01T00:00:00.000Z"' } }
    expect((await api.put(`/changes/${await lastOf(api, id)}/undo`, undefined, stale)).status).toBe(412)
    expect((await undo(api, id, { force: true })).status).toBe(204)
  })

  it('is for the one who may make the opposite change', async () => {
    const { api, token, member } = workspace
    const author = await token({ user: await member('member') })
    const other = await token({ user: await member('member') })
    const { id } = await newComment(author, record, 'a')
    await author.put(`/comments/${id}`, { body: 'b' })
    const edit = await lastOf(api, id)
    expect([(await undo(other, edit)).status, (await undo(api, edit)).status]).toEqual([403, 403])
    const batch = await other.post('/changes/undo', { ids: [edit] })
    expect([batch.status, batch.body.data[0].status]).toEqual([207, 403])
    expect((await undo(author, edit)).status).toBe(200)
    expect([(await undo(other, id)).status, (await undo(api, id)).status]).toEqual([403, 204])
    const deletion = await lastOf(api, id)
    expect([(await undo(other, deletion)).status, (await undo(author, deletion)).status]).toEqual([403, 200])
    expect((await undo(await token({ abilities: ['update'] }), id)).status).toBe(403)
    expect((await undo((await newWorkspace()).api, id)).status).toBe(404)
  })

  it('is refused if the comment or its record is deleted, or the body from before mentions a former member', async () => {
    const { api, member, remove } = workspace
    const own = await newRecord(workspace)
    const left = await member('member')
    const { id } = await newComment(api, own, `@[${left.id}]`)
    await api.put(`/comments/${id}`, { body: 'nobody' })
    const edit = await lastOf(api, id)
    await remove(left)
    expect(Object.keys((await undo(api, edit)).body.errors)).toEqual(['body'])
    await api.delete(`/comments/${id}`)
    expect((await undo(api, edit)).body.errors.id[0]).toBe(`The comment ${id} is deleted. Restore it first.`)
    await api.put(`/comments/${id}/restore`)
    await api.delete(`/companies/${own}`)
    const refused = await undo(api, edit)
    expect(refused.body.errors.id[0]).toBe(`The record ${own} of the comment ${id} is deleted. Restore it first.`)
    const caused = await undo(api, await lastOf(api, id))
    expect(caused.body.errors.id[0]).toContain('caused the change')
  })

  it('is part of the undo of all changes of a token', async () => {
    const own = await workspace.token()
    const since = new Date().toISOString()
    const company = await newRecord({ api: own })
    const { id } = await newComment(own, company, 'a')
    await own.put(`/comments/${id}`, { body: 'b' })
    const undone = await own.post('/changes/undo', { own: true, since })
    expect(undone.status, undone.text).toBe(200)
    expect(undone.body.data.map((one: { resource: string; status: number }) => [one.resource, one.status])).toEqual([
      ['comments', 200],
      ['comments', 204],
      ['companies', 204],
    ])
  })
})
