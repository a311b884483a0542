import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { createRecordOnce } from '../../../src/records/create.ts'
import { made } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

const input = {
  resource: 'companies',
  attributes: { name: 'Acme', custom_fields: { icp: true } },
  idempotency_key: 'a',
}

describe('create_record with an idempotency_key', () => {
  it('makes one record, however often it is called', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const first = await call('create_record', input)
    const again = await call('create_record', { ...input, attributes: { custom_fields: { icp: true }, name: 'Acme' } })
    expect([first.created, again.created]).toEqual([true, false])
    expect(again.data).toEqual(first.data)
    expect((await call('create_record', { ...input, include: 'peopleCount' })).data.attributes.people_count).toBe(0)
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(1)
  })

  it('makes one record of many calls at once', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('create_record', input)))
    expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1)
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(1)
  })

  it('shows the record as it is by now', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const { data } = await call('create_record', input)
    await workspace.api.put(`/companies/${data.id}`, { name: 'Globex' })
    expect((await call('create_record', input)).data.attributes.name).toBe('Globex')
  })

  it('is refused for another input, another resource, and a record that is gone', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    const { data } = await call('create_record', input)
    const used =
      '- idempotency_key: The idempotency_key was used for another input already. Use a new key for a new record.'
    expect(await refused('create_record', { ...input, attributes: { name: 'Globex' } })).toContain(used)
    expect(await refused('create_record', { ...input, resource: 'people', attributes: { name: 'Acme' } })).toContain(
      used,
    )
    await workspace.api.delete(`/companies/${data.id}`)
    expect(await refused('create_record', input)).toContain(`${data.id}, has been deleted since.`)
    for (const key of ['', 'x'.repeat(256), 'a\u0000b']) {
      expect(await refused('create_record', { ...input, idempotency_key: key })).toContain('- idempotency_key: ')
    }
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(0)
  })

  it('a refused call keeps no key', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    await refused('create_record', { ...input, attributes: { name: '' } })
    expect((await call('create_record', input)).created).toBe(true)
  })

  it('holds for one user and one workspace, through any of their tokens', async () => {
    const [workspace, other] = [await newWorkspace(), await newWorkspace()]
    const { data } = await (await connectTo(workspace)).call('create_record', input)
    const again = await (await connectTo(workspace)).call('create_record', input)
    expect([again.created, again.data.id]).toEqual([false, data.id])
    const colleague = await connectTo(workspace, { user: await workspace.member('member') })
    expect((await colleague.call('create_record', input)).created).toBe(true)
    expect((await (await connectTo(other)).call('create_record', input)).created).toBe(true)
  })

  it('is forgotten after a day', async () => {
    const workspace = await newWorkspace()
    const sent = { body: { name: 'Acme' }, asked: { raw: {}, loose: false, issues: [] } }
    const at = async (time: string) => {
      const scope = { ...(await workspace.scope()), now: () => new Date(time) }
      return (await createRecordOnce(scope, registry.companies, { ...sent, key: 'k' })).created
    }
    expect(await at('2026-01-01T00:00:00.000Z')).toBe(true)
    expect(await at('2026-01-01T23:59:59.999Z')).toBe(false)
    expect(await at('2026-01-02T00:00:00.000Z')).toBe(true)
  })

  it('needs no more than the ability to create', async () => {
    const { call } = await connectTo(await newWorkspace(), { abilities: ['create'] })
    expect((await call('create_record', input)).created).toBe(true)
    expect((await call('create_record', input)).created).toBe(false)
  })

  it('without a key every call makes a record', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const { idempotency_key: _, ...bare } = input
    await made(workspace.api, 'companies', {})
    for (const _ of [1, 2]) expect((await call('create_record', bare)).created).toBe(true)
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(3)
  })
})

describe('batch_records with an idempotency_key', () => {
  const creating = (name: string) => ({ op: 'create', resource: 'companies', data: { name } })
  const batch = { operations: [creating('A'), creating('')], idempotency_key: 'b' }

  it('is carried out once, also by calls at the same time, and has the same results', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    const answers = await Promise.all(Array.from({ length: 4 }, () => call('batch_records', batch)))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]?.meta).toMatchObject({ total: 2, succeeded: 1, failed: 1 })
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(1)
    const other = await refused('batch_records', { ...batch, operations: [creating('B')] })
    expect(other).toContain('- idempotency_key: The idempotency_key was used for another input already.')
    expect(await refused('create_record', { ...input, idempotency_key: 'b' })).toContain('- idempotency_key: ')
    expect(await refused('batch_records', { ...batch, idempotency_key: '' })).toContain('- idempotency_key: ')
  })

  it('keeps no key of a dry run, nor of an atomic batch that failed', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    await call('batch_records', { ...batch, dry_run: true })
    expect(await refused('batch_records', { ...batch, atomic: true })).toContain('operations.1.data.name')
    expect((await call('batch_records', batch)).meta.succeeded).toBe(1)
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(1)
  })
})
