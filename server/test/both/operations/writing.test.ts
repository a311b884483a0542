import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { createRecord, updateRecord, upsertRecord } from '../../../src/records/write.ts'
import { createField } from '../../../src/schema/define.ts'
import { newWorkspace } from '../../workspace.ts'

const sent = (body: unknown) => ({ body, asked: { raw: {}, loose: true, issues: [] } })

/** A scope from before the workspace got a field more. */
async function outdated() {
  const { scope, api } = await newWorkspace()
  const before = await scope()
  await createRecord(before, registry.companies, sent({ name: 'First', custom_fields: { domains: ['first.example'] } }))
  await createField(await scope(), 'companies', { name: 'Size', type: 'number', required: true })
  return { before, api }
}

it('a write uses the current fields, though they have changed since it was admitted', async () => {
  const { before, api } = await outdated()
  const { data } = await createRecord(before, registry.companies, sent({ name: 'Acme', custom_fields: { size: 7 } }))
  expect(data()[0]?.attributes.custom_fields).toMatchObject({ size: 7 })
  const id = String(data()[0]?.id)
  await updateRecord(before, registry.companies, { id, ...sent({ custom_fields: { size: 8 } }) })
  expect((await api.get(`/companies/${id}`)).body.data.attributes.custom_fields).toMatchObject({ size: 8 })
  const match = { field: 'domains', value: 'first.example' }
  const upserted = await upsertRecord(
    before,
    registry.companies,
    sent({ match, name: 'One', custom_fields: { size: 9 } }),
  )
  expect(upserted).toMatchObject({ created: false })
})

it('and is refused by them', async () => {
  const { before, api } = await outdated()
  const creating = createRecord(before, registry.companies, sent({ name: 'Acme' }))
  await expect(creating).rejects.toThrow('The Size field is required.')
  expect((await api.get('/companies')).body.meta.total).toBe(1)
})
