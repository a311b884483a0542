import { createClient } from '@kith/sdk'
import { expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'

it('the client writes many records, in parts of 1,000, with the results in order, and names records by match', async () => {
  const { api } = await newWorkspace()
  const kith = createClient({ url: api.base.replace(/\/v1$/, ''), token: api.token })
  const names = Array.from({ length: 1002 }, (_, index) => ({ name: index === 1001 ? '' : `Row ${index}` }))
  const made = await kith.companies.createMany(names)
  expect(made.meta).toEqual({ total: 1002, succeeded: 1001, failed: 1, atomic: false, dry_run: false })
  expect(made.data.map(({ index }) => index)).toEqual(names.map((_, index) => index))
  expect(made.data.at(-1)).toMatchObject({ status: 422, errors: { name: ['The name field is required.'] } })

  for (const atomic of [false, true]) {
    const meta = { total: 0, succeeded: 0, failed: 0, atomic, dry_run: false }
    expect(await kith.companies.createMany([], { atomic })).toEqual({ data: [], meta })
  }

  const match = { field: 'external_ids.crm', value: '7' } as const
  const upserted = await kith.companies.upsertMany([
    { match, name: 'Seven' },
    { match, name: 'Seven' },
  ])
  expect(upserted.data.map(({ created }) => created)).toEqual([true, false])
  const { data } = await kith.people.create({ name: 'Ada', company_id: { match } })
  expect(data.attributes.company_id).toBe(upserted.data[0]?.id)

  const mixed = await kith.batch(
    [
      { op: 'create', resource: 'companies', lid: 'new', data: { name: 'New' } },
      { op: 'create', resource: 'people', data: { name: 'Bo', company_id: { lid: 'new' } } },
      { op: 'delete', resource: 'people', id: data.id },
    ],
    { atomic: true, return: 'record' },
  )
  expect(mixed.data.map(({ status }) => status)).toEqual([201, 201, 204])
  expect(mixed.data[1]?.data?.attributes).toMatchObject({ company_id: mixed.data[0]?.id })

  const labelled = await kith.companies.update(
    upserted.data[0]?.id ?? '',
    {
      external_ids: { crm: { $add: ['8'] } },
      custom_fields: { domains: { $add: ['seven.example'], $remove: ['x.example'] } },
    },
    { include: ['externalIds'] },
  )
  expect(labelled.data.attributes).toMatchObject({
    external_ids: { crm: ['7', '8'] },
    custom_fields: { domains: ['seven.example'] },
  })

  const byMatch = await kith.companies.batch([
    { op: 'update', match, data: { name: 'Eight' } },
    { op: 'delete', match },
    { op: 'delete', match },
  ])
  expect(byMatch.data.map(({ status }) => status)).toEqual([200, 204, 404])
})
