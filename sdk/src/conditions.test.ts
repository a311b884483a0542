import { describe, expect, it } from 'vitest'
import { localService } from '../test/local-service.ts'
import { createClient } from './client.ts'

const AT = '2026-11-14T09:30:00.125Z'
const record = { id: '1', type: 'companies' as const, attributes: { name: 'Acme', updated_at: AT } }

async function client(status = 200, body: unknown = { data: record }, headers = {}) {
  const { url, received } = await localService({ status, body, headers })
  const sent = (name: string) => received.map((request) => request.headers[name])
  return { kith: createClient({ url, token: 't', retries: 1 }), sent, received }
}

describe('ifMatch', () => {
  it('sends the updated_at of a record, a time, a tag or *', async () => {
    const { kith, sent } = await client()
    for (const ifMatch of [record, AT, `"${AT}~9c1f2a7b0d3e4f55"`, '*']) {
      await kith.companies.update('1', { name: 'Acme' }, { ifMatch })
    }
    await kith.companies.delete('1', { ifMatch: record })
    expect(sent('if-match')).toEqual([`"${AT}"`, `"${AT}"`, `"${AT}~9c1f2a7b0d3e4f55"`, '*', `"${AT}"`])
    // Otherwise an attempt after a lost answer would fail because of the first one.
    expect(new Set(sent('idempotency-key')).size).toBe(5)
    expect(sent('idempotency-key')).not.toContain(undefined)
  })

  it('needs a record with its updated_at', async () => {
    const { kith } = await client()
    expect(() => kith.companies.update('1', {}, { ifMatch: { attributes: {} } })).toThrow(TypeError)
  })

  it('fails with the kind precondition_failed, and is not repeated', async () => {
    const { kith, received } = await client(412, { message: 'It was changed.', updated_at: AT })
    const failed = kith.companies.update('1', { name: 'Acme' }, { ifMatch: '*' })
    await expect(failed).rejects.toMatchObject({ kind: 'precondition_failed', status: 412, updated_at: AT })
    expect(received).toHaveLength(1)
  })
})

describe('idempotencyKey', () => {
  it('is new for each create and upsert, absent where it is false, and as given', async () => {
    const { kith, sent } = await client()
    const upsert = { match: { field: 'domains', value: 'acme.com' }, name: 'Acme' } as const
    await kith.companies.create({ name: 'Acme' })
    await kith.companies.upsert(upsert)
    await kith.companies.create({ name: 'Acme' }, { idempotencyKey: false })
    await kith.companies.upsert(upsert, { idempotencyKey: false })
    await kith.companies.create({ name: 'Acme' }, { idempotencyKey: 'mine' })
    await kith.companies.update('1', { name: 'Acme' }, { idempotencyKey: 'mine too' })
    await kith.companies.update('1', { name: 'Acme' })
    await kith.companies.query()
    const [first, second, ...rest] = sent('idempotency-key')
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).not.toBe(first)
    expect(rest).toEqual([undefined, undefined, 'mine', 'mine too', undefined, undefined])
  })

  it('that is being used fails with the kind conflict, after it was repeated', async () => {
    const { kith, received } = await client(409, { message: 'Still running.' }, { 'Retry-After': '0' })
    await expect(kith.companies.create({ name: 'Acme' })).rejects.toMatchObject({ kind: 'conflict', status: 409 })
    expect(received).toHaveLength(2)
  })

  it('continues a batch of which a later part failed: the error has the results of the parts before', async () => {
    const done = { index: 0, op: 'create', status: 201, id: '1' }
    const { url, received } = await localService({ status: 200, body: { data: [done] } }, { status: 500 })
    const inputs = Array.from({ length: 1001 }, () => ({ name: 'Acme' }))
    const { companies } = createClient({ url, token: 't' })
    const failed = companies.createMany(inputs, { idempotencyKey: 'mine' })
    await expect(failed).rejects.toMatchObject({ kind: 'server_error', results: [done] })
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine.1000'])
  })
})
