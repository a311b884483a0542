import { describe, expect, it } from 'vitest'
import { createRecordTool } from '../../../src/mcp/tools/write-records.ts'
import { made } from '../../records.ts'
import { connect, connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

const input = {
  resource: 'companies',
  attributes: { name: 'Acme', custom_fields: { icp: true } },
  idempotency_key: 'a',
}

describe('create_record with an idempotency_key', () => {
  it('makes one record, however often it is called, and returns the same answer', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const first = await call('create_record', input)
    const again = await call('create_record', { ...input, attributes: { custom_fields: { icp: true }, name: 'Acme' } })
    expect(first.created).toBe(true)
    expect(again).toEqual(first)
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(1)
  })

  it('makes one record of many calls at once', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('create_record', input)))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(1)
  })

  it('returns the stored answer, also after the record was changed or deleted', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const first = await call('create_record', input)
    await workspace.api.put(`/companies/${first.data.id}`, { name: 'Globex' })
    expect(await call('create_record', input)).toEqual(first)
    await workspace.api.delete(`/companies/${first.data.id}`)
    expect(await call('create_record', input)).toEqual(first)
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(0)
  })

  it('is refused for other arguments, another resource, and a malformed key', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    await call('create_record', input)
    const used = '- idempotency_key: The Idempotency-Key was used for another request in the last 24 hours'
    const others = [{ attributes: { name: 'Globex' } }, { resource: 'people' }, { include: ['peopleCount'] }]
    for (const other of others) expect(await refused('create_record', { ...input, ...other })).toContain(used)
    for (const key of ['', 'x'.repeat(256), 'a\u0000b', 'ä']) {
      expect(await refused('create_record', { ...input, idempotency_key: key })).toContain('- idempotency_key: ')
    }
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(1)
  })

  it('a refused call keeps no key', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    await refused('create_record', { ...input, attributes: { name: '' } })
    expect((await call('create_record', input)).created).toBe(true)
  })

  it('belongs to the token and the workspace: another token of the same user makes another record', async () => {
    const [workspace, other] = [await newWorkspace(), await newWorkspace()]
    const ids = new Set<string>()
    for (const place of [workspace, workspace, other]) {
      const { call } = await connectTo(place)
      ids.add((await call('create_record', input)).data.id)
    }
    expect(ids.size).toBe(3)
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(2)
  })

  it('is in the store of the Idempotency-Key header: the same key of the same token is another request', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const { call, refused } = await connect(new URL(api.base).origin, api.token)
    const rest = (key: string) => api.post('/companies', { name: 'Acme' }, { headers: { 'Idempotency-Key': key } })
    await call('create_record', { ...input, idempotency_key: 'tool' })
    const answer = await rest('tool')
    expect([answer.status, answer.body.errors.idempotency_key[0]]).toEqual([
      422,
      expect.stringMatching(/^The Idempotency-Key was used for another request .*: tools\/call create_record\. /),
    ])
    expect((await rest('rest')).status).toBe(201)
    expect(await refused('create_record', { ...input, idempotency_key: 'rest' })).toMatch(
      /: POST \/api\/v1\/companies\. /,
    )
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(2)
  })

  it('is forgotten after a day', async () => {
    const workspace = await newWorkspace()
    const at = async (time: string) => {
      const scope = { ...(await workspace.scope()), now: () => new Date(time) }
      const { data } = await createRecordTool.run(scope, input, { app_url: '' })
      return JSON.stringify(data)
    }
    const first = await at('2026-01-01T00:00:00.000Z')
    expect(await at('2026-01-01T23:59:59.999Z')).toBe(first)
    expect(await at('2026-01-02T00:00:00.000Z')).not.toBe(first)
  })

  it('needs no more than the ability to create', async () => {
    const { call } = await connectTo(await newWorkspace(), { abilities: ['create'] })
    const first = await call('create_record', input)
    expect(await call('create_record', input)).toEqual(first)
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
    expect(other).toContain('- idempotency_key: The Idempotency-Key was used for another request')
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
