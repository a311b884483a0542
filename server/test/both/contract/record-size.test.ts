import { RECORD_MAX_BYTES } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { beforeAll, describe, expect, it } from 'vitest'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { undoMerge } from '../../../src/records/merge/undo-merge.ts'
import { restoreRecord } from '../../../src/records/trash/restore.ts'
import { BIG, bigFields, bigValues, storeBehind } from '../../large-records.ts'
import { gone, made, problemsOf } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
  await bigFields(workspace, 'companies')
})

const tooLarge =
  /^The custom_fields of the record would have ([\d,]+) bytes with its name, and a record can have 1,048,576 \(1 MiB\)\./

function sizeIn(errors: Record<string, string[]>, path = 'custom_fields'): number {
  expect(Object.keys(errors)).toEqual([path])
  const [, size = ''] = tooLarge.exec(errors[path]?.[0] ?? '') ?? []
  expect(errors[path]?.[0]).toMatch(tooLarge)
  return Number(size.replaceAll(',', ''))
}

describe('A record has at most 1 MiB', () => {
  it('an update that makes it larger is refused with the size, and changes nothing', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies', { custom_fields: bigValues([BIG, BIG, BIG]) })
    for (const send of [api.put, api.patch]) {
      const errors = await problemsOf(send(`/companies/${id}`, { custom_fields: { big_4: 'y'.repeat(BIG) } }))
      const size = sizeIn(errors)
      expect(size).toBeGreaterThan(RECORD_MAX_BYTES)
      expect(size).toBeLessThan(RECORD_MAX_BYTES + 1000)
    }
    expect((await api.get(`/companies/${id}`)).body.data.attributes.custom_fields.big_4).toBeNull()
    const room = await api.patch(`/companies/${id}`, { custom_fields: { big_4: 'y'.repeat(BIG - 1000) } })
    expect(room.status).toBe(200)
  })

  it('counts the bytes of UTF-8, not characters', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies', { custom_fields: bigValues([BIG, BIG], 'x') })
    const errors = await problemsOf(api.patch(`/companies/${id}`, { custom_fields: { big_3: 'é'.repeat(BIG) } }))
    expect(sizeIn(errors)).toBeGreaterThan(RECORD_MAX_BYTES)
    expect((await api.patch(`/companies/${id}`, { custom_fields: { big_3: 'e'.repeat(BIG) } })).status).toBe(200)
  })

  it('also for upserts and tools', async () => {
    const { api } = workspace
    const custom_fields = { domains: ['large.example'], ...bigValues([BIG, BIG, BIG]) }
    const { id } = await made(api, 'companies', { custom_fields })
    const match = { field: 'domains', value: 'large.example' }
    const values = { big_4: 'y'.repeat(BIG) }
    sizeIn(await problemsOf(api.post('/companies/upsert', { match, name: 'One', custom_fields: values })))
    const tools = await connectTo(workspace)
    const text = await tools.refused('update_record', {
      resource: 'companies',
      id,
      attributes: { custom_fields: values },
    })
    expect(text).toContain('a record can have 1,048,576 (1 MiB)')
  })

  it('a new record counts as it will be stored: choices have an id there, which is longer than their label', async () => {
    const { api } = workspace
    const labels = Array.from({ length: 200 }, (_, index) => `o${index}`)
    await workspace.field('companies', {
      name: 'Choices',
      type: 'multi-select',
      options: labels.map((label) => ({ label })),
    })
    const values = bigValues([BIG, BIG, BIG, BIG - 4000])
    const errors = await problemsOf(
      api.post('/companies', { name: 'One', custom_fields: { ...values, choices: labels } }),
    )
    expect(sizeIn(errors)).toBeGreaterThan(RECORD_MAX_BYTES)
    expect((await api.post('/companies', { name: 'One', custom_fields: { ...values, choices: ['o1'] } })).status).toBe(
      201,
    )
  })

  it('one that is larger already can be read, sent back, renamed and made smaller, and not larger', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    await storeBehind(workspace, 'companies', { ids: [id], values: bigValues([BIG, BIG, BIG, BIG, BIG]) })
    const read = await api.get(`/companies/${id}`)
    expect(read.body.data.attributes.custom_fields.big_5).toHaveLength(BIG)
    const same = await api.patch(`/companies/${id}`, { custom_fields: { big_1: 'x'.repeat(BIG) } })
    expect([same.status, same.body.data.attributes.updated_at]).toEqual([200, read.body.data.attributes.updated_at])
    expect((await api.patch(`/companies/${id}`, { name: 'A longer name' })).status).toBe(200)
    expect((await api.patch(`/companies/${id}`, { custom_fields: { big_1: 'z'.repeat(BIG - 1) } })).status).toBe(200)
    sizeIn(await problemsOf(api.patch(`/companies/${id}`, { custom_fields: { big_1: 'z'.repeat(BIG) } })))
    await gone(api, 'companies', id)
    const back = await restoreRecord(await workspace.scope(), registry.companies, { id })
    expect(back.data()[0]?.id).toBe(id)
  })

  it('a merge whose result would be larger is refused; undoing one never is', async () => {
    const { api } = workspace
    const winner = await made(api, 'companies', { custom_fields: bigValues([BIG, BIG, BIG]) })
    const loser = await made(api, 'companies')
    await storeBehind(workspace, 'companies', {
      ids: [loser.id],
      values: { big_4: 'x'.repeat(BIG), big_5: 'x'.repeat(10) },
    })
    const merge = async (attributes: object) =>
      mergeRecords(await workspace.scope(), registry.companies, {
        winner_id: winner.id,
        loser_ids: [loser.id],
        attributes,
      })
    await expect(merge({})).rejects.toThrow(tooLarge)
    expect((await api.get(`/companies/${loser.id}`)).status).toBe(200)
    const { merge_id } = await merge({ custom_fields: { big_4: 'short' } })
    await storeBehind(workspace, 'companies', { ids: [winner.id], values: bigValues([BIG, BIG, BIG, BIG, BIG]) })
    expect((await undoMerge(await workspace.scope(), merge_id)).data()[0]?.id).toBe(winner.id)
  })
})
