import { expect, it } from 'vitest'
import { signedInMember } from '../../browser.ts'
import { newWorkspace } from '../../workspace.ts'

it('fields are listed with archived ones, and with how many records hold a value', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'member')
  const admin = await signedInMember(workspace, 'admin')
  const schema = `/w/${workspace.slug}/v1/schema/companies`
  const field = { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] }
  expect((await browser.post(`${schema}/fields`, field)).status).toBe(403)
  expect((await admin.browser.post(`${schema}/fields`, field)).status).toBe(201)
  await workspace.api.post('/companies', { name: 'Acme', custom_fields: { tier: 'gold', domains: ['acme.com'] } })
  const listed = async () => {
    const { data } = (await browser.get(`/w/${workspace.slug}/fields?entity_type=companies`)).body
    return data.map((one: { code: string; values: number; system: boolean; archived_at: string | null }) => [
      one.code,
      one.values,
      one.system,
      one.archived_at !== null,
    ])
  }
  const others = [
    ['domains', 1, true, false],
    ['linkedin', 0, false, false],
    ['icp', 0, false, false],
  ]
  expect(await listed()).toEqual([...others, ['tier', 1, false, false]])
  expect((await admin.browser.delete(`${schema}/fields/tier`)).status).toBe(204)
  expect(await listed()).toEqual([...others, ['tier', 1, false, true]])
  expect((await admin.browser.put(`${schema}/fields/tier/restore`)).status).toBe(200)
  expect(await listed()).toEqual([...others, ['tier', 1, false, false]])
})

it('how many values are held twice can be read before a field is made unique', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'owner')
  const path = `/w/${workspace.slug}/v1/schema/companies/fields`
  const { id } = (await browser.post(path, { name: 'Number', type: 'text' })).body.data
  for (const number of ['1', '1', '2']) {
    await workspace.api.post('/companies', { name: 'x', custom_fields: { number } })
  }
  expect((await browser.get(`/w/${workspace.slug}/fields/${id}/duplicates`)).body.data).toEqual({ count: 1 })
  const other = await newWorkspace()
  const stranger = await signedInMember(other, 'owner')
  expect((await stranger.browser.get(`/w/${other.slug}/fields/${id}/duplicates`)).status).toBe(404)
})
