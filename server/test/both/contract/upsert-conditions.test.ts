import { describe, expect, it } from 'vitest'
import { made, problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const onlyUpdate = { headers: { 'If-Match': '*' } }
const onlyCreate = { headers: { 'If-None-Match': '*' } }
const upsert = { name: 'Acme', match: { field: 'domains', value: 'acme.com' } }

/** Two companies that hold one value: they were created before the field became unique. */
async function withDuplicates(): Promise<{ workspace: TestWorkspace; ids: string[]; input: object }> {
  const workspace = await newWorkspace()
  const { code } = await workspace.field('companies', { name: 'Number', type: 'text' })
  const ids: string[] = []
  for (const _ of [1, 2]) ids.push((await made(workspace.api, 'companies', { custom_fields: { [code]: '7' } })).id)
  await workspace.updateField('companies', code, { unique: true })
  return { workspace, ids, input: { name: 'Acme', match: { field: code, value: '7' } } }
}

describe('sync 3. Upsert with If-Match: * only updates', () => {
  it('412 if no record holds the value, and nothing is done', async () => {
    const { api } = await newWorkspace()
    const refused = await api.post('/companies/upsert', upsert, onlyUpdate)
    expect(refused.status).toBe(412)
    expect(refused.body).toEqual({ message: expect.stringContaining('No record holds'), updated_at: null })
    expect((await api.get('/companies')).body.meta.total).toBe(0)
    await api.post('/companies/upsert', upsert)
    const updated = await api.post('/companies/upsert', { ...upsert, name: 'Globex' }, onlyUpdate)
    expect([updated.status, updated.body.data.attributes.name]).toEqual([200, 'Globex'])
  })

  it('several holders are 409', async () => {
    const { workspace, input, ids } = await withDuplicates()
    const refused = await workspace.api.post('/companies/upsert', input, onlyUpdate)
    expect([refused.status, refused.body.matches]).toEqual([409, ids])
  })
})

describe('sync 3. Upsert with If-None-Match: * only creates', () => {
  it('412 if a record holds the value, with matches, and nothing is done', async () => {
    const { api } = await newWorkspace()
    const created = await api.post('/companies/upsert', upsert, onlyCreate)
    expect(created.status).toBe(201)
    const { id, attributes } = created.body.data
    const refused = await api.post('/companies/upsert', { ...upsert, name: 'Globex' }, onlyCreate)
    expect(refused.status).toBe(412)
    const { updated_at } = attributes
    expect(refused.body).toEqual({ message: expect.stringContaining('holds'), updated_at, matches: [id] })
    expect((await api.get(`/companies/${id}`)).body).toEqual(created.body)
  })

  it('with several holders it is 412', async () => {
    const { workspace, input, ids } = await withDuplicates()
    const refused = await workspace.api.post('/companies/upsert', input, onlyCreate)
    expect([refused.status, refused.body.matches]).toEqual([412, ids])
  })

  it('of creators of one value at the same time one succeeds', async () => {
    const { api } = await newWorkspace()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => api.post('/companies/upsert', upsert, onlyCreate)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(412)])
  })
})

describe('sync 3. Upsert: the order of checks', () => {
  it('other values are 422, together with the problems of the body', async () => {
    const { api } = await newWorkspace()
    for (const value of ['"2026-11-14T09:30:00.125Z"', 'x', 'W/"a"', '"a", "b"']) {
      const headers = { 'If-Match': value, 'If-None-Match': value }
      const problems = await problemsOf(api.post('/companies/upsert', { ...upsert, name: '' }, { headers }))
      expect(Object.keys(problems).sort()).toEqual(['if_match', 'if_none_match', 'name'])
    }
  })

  it('body and parameters (422) come before the conditions (412)', async () => {
    const { api } = await newWorkspace()
    expect((await api.post('/companies/upsert', { ...upsert, nothing: 1 }, onlyUpdate)).status).toBe(422)
    await api.post('/companies/upsert', upsert)
    expect((await api.post('/companies/upsert', { ...upsert, nothing: 1 }, onlyCreate)).status).toBe(422)
    expect((await api.post('/companies/upsert?nothing=1', upsert, onlyCreate)).status).toBe(422)
  })
})
