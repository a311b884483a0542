import { describe, expect, it } from 'vitest'
import type { Answered, Api } from '../../api.ts'
import { eachTested } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'

const SPELLINGS = ['acme.com', 'ACME.com', 'www.acme.com', 'https://acme.com/', 'http://WWW.ACME.COM/about']

/** Many upserts of one value at once, in turn by these callers and in every spelling. */
function upsertAtOnce(callers: readonly Api[], times: number): Promise<Answered[]> {
  return Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const match = { field: 'domains', value: SPELLINGS[index % SPELLINGS.length] }
      const answer = await callers[index % callers.length]?.post('/companies/upsert', { name: `Name ${index}`, match })
      if (!answer) throw new Error('There is no caller.')
      return answer
    }),
  )
}

function expectOneRecord(answers: readonly Answered[]): void {
  const statuses = answers.map((answer) => answer.status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  expect(statuses.filter((status) => status === 200)).toHaveLength(answers.length - 1)
  expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1)
}

describe('6. Upsert: any number of upserts of one value at once make one record', () => {
  it('200 at once, in every spelling', async () => {
    const { api } = await workspaceWithOwn()
    const answers = await upsertAtOnce([api], 200)
    expectOneRecord(answers)
    const { data, meta } = (await api.get('/companies')).body
    expect(meta.total).toBe(1)
    // The record is as one of the answers said, the one of the last write.
    const last = answers
      .map((answer) => answer.body.data)
      .sort((a, b) => (a.attributes.updated_at < b.attributes.updated_at ? 1 : -1))[0]
    expect(data).toEqual([last])
    // Two effective writes of one record never share updated_at.
    expect(new Set(answers.map((answer) => answer.body.data.attributes.updated_at)).size).toBe(200)
  })

  it.each(eachTested)('of every resource: %s', async (type, { label }) => {
    const { api, field } = await workspaceWithOwn()
    await field(type, { name: 'Key', type: 'text', unique: true })
    const send = (value: string) => api.post(`/${type}/upsert`, { [label]: 'x', match: { field: 'key', value } })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => send(index % 2 === 0 ? 'one' : 'ONE')))
    expectOneRecord(answers)
    expect((await api.get(`/${type}`)).body.meta.total).toBe(1)
  })

  it('values apart make records apart, also when they come in different order', async () => {
    const { api } = await workspaceWithOwn()
    const domains = ['a.com', 'b.com', 'c.com', 'd.com']
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, index) => {
        const value = domains[index % 4]
        const custom_fields = { domains: [value, `${index % 4}.example.com`] }
        if (index % 8 < 4) custom_fields.domains.reverse()
        return api.post('/companies/upsert', { name: 'x', match: { field: 'domains', value }, custom_fields })
      }),
    )
    for (const value of domains) expectOneRecord(answers.filter((_, index) => domains[index % 4] === value))
    expect((await api.get('/companies')).body.meta.total).toBe(4)
  })

  it('creates and upserts of one value at once make one record', async () => {
    const { api } = await workspaceWithOwn()
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 2 === 0
          ? api.post('/companies', { name: 'Made', custom_fields: { domains: ['acme.com'] } })
          : api.post('/companies/upsert', { name: 'Upserted', match: { field: 'domains', value: 'acme.com' } }),
      ),
    )
    const statuses = answers.map((answer) => answer.status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(new Set(statuses)).toEqual(new Set([201, 200, 422]))
    expect((await api.get('/companies')).body.meta.total).toBe(1)
  })

  it('deletes in between make the next upsert create again, and nothing fails', async () => {
    const { api } = await workspaceWithOwn()
    const upsert = () => api.post('/companies/upsert', { name: 'x', match: { field: 'domains', value: 'acme.com' } })
    const id = (await upsert()).body.data.id
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        if (index % 10 !== 5) return upsert()
        const [held] = (await api.get('/companies')).body.data
        return api.delete(`/companies/${held?.id ?? id}`)
      }),
    )
    expect([200, 201, 204, 404]).toEqual(expect.arrayContaining([...new Set(answers.map((answer) => answer.status))]))
    const created = answers.filter((answer) => answer.status === 201).length + 1
    const deleted = answers.filter((answer) => answer.status === 204).length
    expect((await api.get('/companies')).body.meta.total).toBe(created - deleted)
    expect(created - deleted).toBeLessThanOrEqual(1)
  })
})
