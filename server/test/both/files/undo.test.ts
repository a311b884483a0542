import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { newFile, newRecord, sendFile } from './files.ts'

let workspace: TestWorkspace
let record: string

beforeAll(async () => {
  workspace = await newWorkspace()
  record = await newRecord(workspace)
})

/** The changes of a file, in their order. */
async function changesOf(api: Api, id: string): Promise<{ id: string; kind: string }[]> {
  const { data } = (await api.get('/changes?since=2020-01-01&resource=files&limit=1000')).body
  const own = data.filter((entry: { attributes: { record_id: string } }) => entry.attributes.record_id === id)
  return own.map((entry: { id: string; attributes: { kind: string } }) => ({
    id: entry.id,
    kind: entry.attributes.kind,
  }))
}

async function lastOf(api: Api, id: string): Promise<string> {
  return (await changesOf(api, id)).at(-1)?.id ?? ''
}

const undo = (api: Api, id: string, body?: object) => api.put(`/changes/${id}/undo`, body)
const nameOf = async (api: Api, id: string) => (await api.get(`/files/${id}`)).body.data?.attributes.name

describe('the undo of a change of a file', () => {
  it('created is deleted, deleted is restored, restored is deleted', async () => {
    const { api } = workspace
    const file = await newFile(api, record, 'a.txt')
    const created = await undo(api, file.id)
    expect([created.status, created.text]).toEqual([204, ''])
    expect((await api.get(`/files/${file.id}`)).status).toBe(404)
    const deletion = created.headers.get('x-change-id') ?? ''
    expect(await changesOf(api, file.id)).toEqual([
      { id: file.id, kind: 'created' },
      { id: deletion, kind: 'deleted' },
    ])
    const back = await undo(api, deletion)
    expect([back.status, back.body.data.id]).toEqual([200, file.id])
    const gone = await undo(api, back.headers.get('x-change-id') ?? '')
    expect([gone.status, await nameOf(api, file.id)]).toEqual([204, undefined])
    // Undone already: the same response, without a new change.
    const again = await undo(api, back.headers.get('x-change-id') ?? '')
    expect([again.status, again.headers.get('x-change-id')]).toEqual([204, gone.headers.get('x-change-id')])
    expect(await changesOf(api, file.id)).toHaveLength(4)
  })

  it('updated gets its name from before, unless it was changed since', async () => {
    const { api } = workspace
    const { id } = await newFile(api, record, 'first.txt')
    await api.put(`/files/${id}`, { name: 'second.txt' })
    const renaming = await lastOf(api, id)
    const read = (await api.get(`/changes/${renaming}`)).body.data.attributes
    expect(read).toMatchObject({ kind: 'updated', resource: 'files', record_id: id, undone_by: null })
    expect(read.changes).toEqual([{ field: 'name', before: 'first.txt', after: 'second.txt' }])
    await api.put(`/files/${id}`, { name: 'third.txt' })
    const refused = await undo(api, renaming)
    expect([refused.status, refused.body.errors.name[0]]).toEqual([
      422,
      expect.stringContaining('was changed again at'),
    ])
    const creation = await undo(api, id)
    expect([creation.status, Object.keys(creation.body.errors)]).toEqual([422, ['id']])
    await undo(api, await lastOf(api, id))
    const undone = await undo(api, renaming)
    expect([undone.status, undone.body.data.attributes.name]).toEqual([200, 'first.txt'])
    expect((await api.get(`/changes/${renaming}`)).body.data.attributes.undone_by).toBe(
      undone.headers.get('x-change-id'),
    )
    expect((await undo(api, id)).status).toBe(204)
  })

  it('compares If-Match, and deletes with force what was changed since', async () => {
    const { api } = workspace
    const { id, attributes } = await newFile(api, record, 'a.txt')
    await api.put(`/files/${id}`, { name: 'b.txt' })
    const stale = { headers: { 'If-Match': `"${attributes.updated_at}"` } }
    expect((await api.put(`/changes/${await lastOf(api, id)}/undo`, undefined, stale)).status).toBe(412)
    expect((await undo(api, id, { force: true })).status).toBe(204)
  })

  it('is refused if the file or its record is deleted, or the record has too many files', async () => {
    const { api } = workspace
    const own = await newRecord(workspace)
    const { id } = await newFile(api, own, 'a.txt')
    await api.put(`/files/${id}`, { name: 'b.txt' })
    const renaming = await lastOf(api, id)
    await api.delete(`/files/${id}`)
    expect((await undo(api, renaming)).body.errors.id[0]).toBe(`The file ${id} is deleted. Restore it first.`)
    await api.put(`/files/${id}/restore`)
    await api.delete(`/companies/${own}`)
    const refused = await undo(api, renaming)
    expect(refused.body.errors.id[0]).toBe(`The record ${own} of the file ${id} is deleted. Restore it first.`)
    // The record has caused the change of its files.
    const caused = await undo(api, await lastOf(api, id))
    expect(caused.body.errors.id[0]).toContain('caused the change')
    const deletion = (await api.get('/changes?since=2020-01-01&resource=companies&kind=deleted&limit=1000')).body.data
    await undo(api, deletion.at(-1).id)
    expect(await nameOf(api, id)).toBe('b.txt')
  })

  it('is for those who may see it, and needs their abilities', async () => {
    const { api, token, member } = workspace
    const { id } = await newFile(api, record, 'a.txt')
    expect((await undo(await token({ abilities: ['update'] }), id)).status).toBe(403)
    const other = await token({ user: await member('member') })
    expect((await other.get(`/changes/${id}`)).status).toBe(200)
    await api.delete(`/files/${id}`)
    expect((await other.get(`/changes/${id}`)).status).toBe(404)
    expect((await api.get(`/changes/${id}`)).status).toBe(200)
    expect((await undo((await newWorkspace()).api, id)).status).toBe(404)
  })

  it('is part of the undo of all changes of a token', async () => {
    const own = await workspace.token()
    const since = new Date().toISOString()
    const company = (await own.post('/companies', { name: 'By a program' })).body.data.id
    const { id } = (await sendFile(own, company, 'a.txt')).body.data
    await own.put(`/files/${id}`, { name: 'b.txt' })
    const undone = await own.post('/changes/undo', { own: true, since })
    expect(undone.status, undone.text).toBe(200)
    expect(undone.body.data.map((one: { resource: string; status: number }) => [one.resource, one.status])).toEqual([
      ['files', 200],
      ['files', 204],
      ['companies', 204],
    ])
    expect((await own.get(`/files/${id}`)).status).toBe(404)
  })
})
