import { describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { newWorkspace } from '../../workspace.ts'

const AT_ONCE = 50

function expectOne(answers: readonly Answered[], won: number): void {
  const statuses = answers.map((answer) => answer.status)
  expect(statuses.filter((status) => status === won)).toHaveLength(1)
  expect(statuses.filter((status) => status === 422)).toHaveLength(answers.length - 1)
}

const unique: Record<string, (index: number) => unknown> = {
  text: (index) => (index % 2 === 0 ? 'One' : 'ONE'),
  number: (index) => (index % 2 === 0 ? 7 : '7.0'),
  email: (index) => (index % 2 === 0 ? 'ada@example.com' : ['ADA@example.com']),
  phone: (index) => (index % 2 === 0 ? '+14155550100' : '+1 (415) 555-0100'),
  link: (index) => (index % 2 === 0 ? 'https://example.com/a' : 'EXAMPLE.com/A/'),
  domain: (index) => (index % 2 === 0 ? 'acme.com' : 'https://www.acme.com'),
  'tags-input': (index) => (index % 2 === 0 ? ['vip'] : ['VIP']),
}

describe('4. Unique: no other live record may hold the value, also when many come at once', () => {
  it.each(Object.entries(unique))('of %s one create succeeds, the others are 422', async (type, spelling) => {
    const { api, field } = await newWorkspace()
    await field('companies', { name: 'Key', type, unique: true })
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        api.post('/companies', { name: `Number ${index}`, custom_fields: { key: spelling(index) } }),
      ),
    )
    expectOne(answers, 201)
    for (const { status, body } of answers) {
      if (status === 422) expect(Object.keys(body.errors)).toEqual(['custom_fields.key'])
    }
    expect((await api.get('/companies')).body.meta.total).toBe(1)
  })

  it('lists of values that overlap in any order', async () => {
    const { api } = await newWorkspace()
    const domains = ['a.com', 'b.com', 'c.com']
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => {
        const own = [...domains.slice(index % 3), ...domains.slice(0, index % 3), `own-${index}.com`]
        return api.post('/companies', { name: 'x', custom_fields: { domains: own } })
      }),
    )
    expectOne(answers, 201)
  })

  it('of many records that take one value at once, one gets it', async () => {
    const { api } = await newWorkspace()
    const made = await Promise.all(Array.from({ length: 20 }, () => api.post('/companies', { name: 'x' })))
    const custom_fields = { domains: ['acme.com'] }
    const answers = await Promise.all(
      made.map(({ body }) => api.patch(`/companies/${body.data.id}`, { custom_fields })),
    )
    expectOne(answers, 200)
    const held = await api.post('/companies/query', {
      filter: { custom_fields: { domains: { $has_any: ['acme.com'] } } },
    })
    expect(held.body.meta.total).toBe(1)
  })

  it('two records that swap values at once never both hold one', async () => {
    const { api } = await newWorkspace()
    const ids: string[] = []
    for (const domain of ['a.com', 'b.com']) {
      ids.push((await api.post('/companies', { name: domain, custom_fields: { domains: [domain] } })).body.data.id)
    }
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const domains = [['a.com'], ['b.com'], []][index % 3]
        return api.patch(`/companies/${ids[index % 2]}`, { custom_fields: { domains } })
      }),
    )
    for (const { status } of answers) expect([200, 422]).toContain(status)
    const held = (await api.get('/companies')).body.data.flatMap(
      (record: { attributes: { custom_fields: { domains: string[] } } }) => record.attributes.custom_fields.domains,
    )
    expect(new Set(held).size).toBe(held.length)
  })
})
