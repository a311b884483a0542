import { expect, it } from 'vitest'
import { gone, made } from '../../records.ts'
import { newWorkspace } from '../../workspace.ts'
import { follow, now, page } from './feed.ts'

it('thin entries are the full ones without record, with the external ids of live records and of those that are gone', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  const cursor = await now(workspace)
  const winner = await made(api, 'companies', { external_ids: { erp: ['a "quoted"\tid', 'ü'] } })
  const loser = await made(api, 'companies', { external_ids: { shop: ['7'] } })
  await api.put(`/companies/${winner.id}`, { name: 'Renamed', external_ids: { erp: ['b'] } })
  await api.put(`/companies/${winner.id}/merge`, { loser_ids: [loser.id] })
  const last = await made(api, 'companies', { external_ids: { erp: ['gone'] } })
  await gone(api, 'companies', last.id)
  const full = await follow(workspace, cursor)
  const thin = full.entries.map(({ attributes: { record, ...attributes }, ...entry }) => ({ ...entry, attributes }))
  expect(thin.map(({ attributes }) => attributes.kind)).toEqual(
    expect.arrayContaining(['created', 'updated', 'merged', 'deleted']),
  )
  expect((await page(workspace, `cursor=${cursor}&payload=thin`)).data).toEqual(thin)
  const before = await follow(workspace, cursor, 'payload=thin&limit=2')
  expect(before.entries).toEqual(thin)
})

it('has_more is false when no entry that is asked for is left', async () => {
  const workspace = await newWorkspace()
  const cursor = await now(workspace)
  const asked = `cursor=${cursor}&payload=thin&resource=people`
  for (const type of ['people', 'companies', 'people', 'companies'] as const) await made(workspace.api, type)
  const [one, both] = [await page(workspace, `${asked}&limit=1`), await page(workspace, `${asked}&limit=2`)]
  expect([one.data.length, one.meta.has_more]).toEqual([1, true])
  expect([both.data.length, both.meta.has_more]).toEqual([2, false])
})
