import { expect, it } from 'vitest'
import { signedInMember } from '../../browser.ts'
import { newWorkspace } from '../../workspace.ts'

it('fields are made, changed, ordered, archived, restored and deleted', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'admin')
  const base = `/w/${workspace.slug}/fields`
  const made = await browser.post(base, {
    ...{ entity_type: 'companies', name: 'Tier', type: 'select', description: 'How dear' },
    options: [{ label: 'Gold', color: 'amber' }, 'Silver'],
  })
  expect(made.status).toBe(201)
  const field = made.body.data
  expect(field).toMatchObject({ code: 'tier', system: false, archived_at: null, values: 0, position: 4 })
  expect(field.options).toMatchObject([
    { label: 'Gold', color: 'amber' },
    { label: 'Silver', color: expect.any(String) },
  ])
  await workspace.api.post('/companies', { name: 'Acme', custom_fields: { tier: 'gold', domains: ['acme.com'] } })

  const [gold, silver] = field.options
  const options = [{ id: silver.id, label: 'Argent', color: 'gray' }, 'Bronze', { id: gold.id }]
  const changed = await browser.patch(`${base}/${field.id}`, { name: 'Level', required: true, options })
  expect(changed.body.data).toMatchObject({ name: 'Level', required: true, values: 1, duplicates: 0 })
  expect(changed.body.data.options).toMatchObject([{ id: silver.id, label: 'Argent' }, { label: 'Bronze' }, gold])

  const listed = (await browser.get(`${base}?entity_type=companies`)).body.data
  expect(listed.map((one: { code: string; values: number }) => [one.code, one.values])).toEqual([
    ...[
      ['domains', 1],
      ['linkedin', 0],
      ['icp', 0],
      ['tier', 1],
    ],
  ])
  const ids = listed.map((one: { id: string }) => one.id).reverse()
  const ordered = await browser.post(`${base}/order`, { entity_type: 'companies', ids })
  expect(ordered.body.data.map((one: { id: string }) => one.id)).toEqual(ids)
  const shown = (await workspace.api.get('/companies')).body.data[0].attributes.custom_fields
  expect(Object.keys(shown)).toEqual(['tier', 'icp', 'linkedin', 'domains'])
  for (const wrong of [ids.slice(1), [...ids, ids[0]], [ids[0], ids[0], ids[1], ids[2]], 'x', null]) {
    expect((await browser.post(`${base}/order`, { entity_type: 'companies', ids: wrong })).status).toBe(422)
  }

  expect((await browser.delete(`${base}/${field.id}`)).status).toBe(422)
  expect((await browser.post(`${base}/${field.id}/archive`)).body.data.archived_at).toEqual(expect.any(String))
  expect(
    (await browser.get(base)).body.data.find((one: { id: string }) => one.id === field.id).archived_at,
  ).not.toBeNull()
  expect((await browser.post(`${base}/${field.id}/restore`)).body.data.archived_at).toBeNull()
  await browser.post(`${base}/${field.id}/archive`)
  expect((await browser.delete(`${base}/${field.id}`)).status).toBe(200)
  expect((await browser.patch(`${base}/${field.id}`, { name: 'x' })).status).toBe(404)
})

it('a field that is made unique reports how many values are held twice, and the number can be read before', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'owner')
  const base = `/w/${workspace.slug}/fields`
  const field = (await browser.post(base, { entity_type: 'companies', name: 'Number', type: 'text' })).body.data
  for (const number of ['1', '1', '2']) {
    await workspace.api.post('/companies', { name: 'x', custom_fields: { number } })
  }
  expect((await browser.get(`${base}/${field.id}/duplicates`)).body.data).toEqual({ count: 1 })
  expect((await browser.get(`${base}/${field.id}/values`)).body.data).toEqual({ count: 3 })
  expect((await browser.patch(`${base}/${field.id}`, { unique: true })).body.data).toMatchObject({
    unique: true,
    duplicates: 1,
  })
})

it('members see fields and change none; system fields stay', async () => {
  const workspace = await newWorkspace()
  const member = await signedInMember(workspace, 'member')
  const owner = await signedInMember(workspace, 'owner')
  const base = `/w/${workspace.slug}/fields`
  const { data } = (await member.browser.get(base)).body
  const stage = data.find((one: { code: string }) => one.code === 'stage')
  expect(stage.system).toBe(true)
  expect((await member.browser.post(base, { entity_type: 'companies', name: 'x', type: 'text' })).status).toBe(403)
  expect((await member.browser.patch(`${base}/${stage.id}`, { name: 'x' })).status).toBe(403)
  expect((await member.browser.post(`${base}/${stage.id}/archive`)).status).toBe(403)
  expect((await owner.browser.post(`${base}/${stage.id}/archive`)).status).toBe(422)
  expect((await owner.browser.patch(`${base}/${stage.id}`, { name: 'Phase' })).body.data.name).toBe('Phase')
  const wrong = await owner.browser.patch(`${base}/${stage.id}`, { type: 'text', system: false, archived_at: null })
  expect(wrong.status).toBe(422)
  expect((await owner.browser.post(base, { name: 'x', type: 'text' })).body.errors.entity_type).toBeDefined()
  const other = await newWorkspace()
  const stranger = await signedInMember(other, 'owner')
  expect((await stranger.browser.patch(`/w/${other.slug}/fields/${stage.id}`, { name: 'x' })).status).toBe(404)
})
