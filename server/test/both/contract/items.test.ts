import { beforeAll, describe, expect, it } from 'vitest'
import { type OwnService, ownService } from '../../own-service.ts'

let own: OwnService

beforeAll(async () => {
  const off = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }
  own = await ownService({ ...off, RATE_LIMIT_ITEMS: '10' })
})

const rows = (count: number) => ({
  operations: Array.from({ length: count }, (_, index) => ({ op: 'create', data: { name: `${index}` } })),
})
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })

describe('sync 10. Items', () => {
  it('a batch costs as many as its operations, a write one; what does not fit is 429 as a whole and costs nothing', async () => {
    const { api } = await own.workspace()
    const left = (answer: { headers: Headers }) => answer.headers.get('x-ratelimit-remaining')
    expect(left(await api.post('/companies/batch', rows(6)))).toBe('4')
    const tooMany = await api.post('/companies/batch', rows(5))
    expect([tooMany.status, left(tooMany)]).toEqual([429, '4'])
    expect(tooMany.body.message).toContain('5 operations')
    expect(Number(tooMany.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(left(await api.post('/companies', { name: 'One' }))).toBe('3')
    // Rejected, it costs an item all the same.
    expect(left(await api.post('/companies', {}))).toBe('2')
    expect(left(await api.post('/companies/batch', rows(2)))).toBe('0')
    expect((await api.post('/companies', { name: 'More' })).status).toBe(429)
    expect((await api.get('/companies')).body.meta.total).toBe(9)
    expect((await api.get('/token')).body.data.attributes.limits.items).toBe(10)
  })

  it('a repetition costs none, and gets its response although none are left', async () => {
    const { api } = await own.workspace()
    const first = await api.post('/companies/batch', rows(5), keyed('five'))
    const one = await api.post('/companies', { name: 'One' }, keyed('one'))
    expect((await api.post('/companies/batch', rows(5), keyed('five'))).headers.get('idempotent-replayed')).toBe('true')
    expect((await api.post('/companies/batch', rows(4))).status).toBe(200)
    const again = await api.post('/companies/batch', rows(5), keyed('five'))
    expect([again.status, again.text]).toEqual([200, first.text])
    expect((await api.post('/companies', { name: 'One' }, keyed('one'))).text).toBe(one.text)
    expect((await api.post('/companies', { name: 'Two' }, keyed('two'))).status).toBe(429)
  })

  it('a dry run costs them, too', async () => {
    const { api } = await own.workspace()
    await api.post('/companies/batch', { ...rows(8), dry_run: true })
    expect((await api.post('/companies/batch', rows(3))).status).toBe(429)
  })

  it('one undo costs one, and several as many as changes, also those of a period', async () => {
    const { api } = await own.workspace()
    const left = (answer: { headers: Headers }) => answer.headers.get('x-ratelimit-remaining')
    const { body } = await api.post('/companies/batch', rows(3))
    const [one, two] = body.data.map(({ id }: { id: string }) => id)
    expect(left(await api.put(`/changes/${one}/undo`))).toBe('6')
    expect(left(await api.post('/changes/undo', { ids: [one, two] }))).toBe('4')
    const since = body.data[0].updated_at
    const owned = await api.post('/changes/undo', { own: true, since, dry_run: true })
    expect([owned.body.meta.total, left(owned)]).toEqual([1, '3'])
    expect((await api.post('/changes/undo', { ids: ['a', 'b', 'c', 'd'] })).status).toBe(429)
  })
})
