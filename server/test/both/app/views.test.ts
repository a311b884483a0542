import { expect, it } from 'vitest'
import { signedInMember } from '../../browser.ts'
import { newWorkspace } from '../../workspace.ts'

const state = {
  columns: ['name', 'custom_fields.icp'],
  sort: '-name',
  filter: { name: { $contains: 'a' } },
  layout: 'table',
}

it('a workspace starts with a shared view of the opportunities of its reader', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'member')
  const { body } = await browser.get(`/w/${workspace.slug}/views`)
  const filter = { custom_fields: { owner: { $in: ['me'] } } }
  const shown = { resource: 'opportunities', name: 'My opportunities', shared: true, state: { filter } }
  expect(body.data).toEqual([expect.objectContaining(shown)])
  const listed = await browser.post(`/w/${workspace.slug}/v1/opportunities/query`, { filter })
  expect(listed.status, listed.text).toBe(200)
})

it('a private view is its owner’s alone; a shared one is read by everyone and changed by its owner and admins', async () => {
  const workspace = await newWorkspace()
  const ada = await signedInMember(workspace, 'member')
  const bob = await signedInMember(workspace, 'member')
  const admin = await signedInMember(workspace, 'admin')
  const base = `/w/${workspace.slug}/views`
  const made = await ada.browser.post(base, { resource: 'companies', name: ' Mine ', shared: false, state })
  expect(made.status).toBe(201)
  const view = made.body.data
  expect(view).toEqual({
    id: expect.any(String),
    resource: 'companies',
    name: 'Mine',
    shared: false,
    state,
    position: 1,
    owner: { id: ada.id, name: ada.name },
  })
  expect((await bob.browser.get(`${base}?resource=companies`)).body.data).toEqual([])
  expect((await bob.browser.patch(`${base}/${view.id}`, { name: 'Yours' })).status).toBe(404)
  expect((await admin.browser.delete(`${base}/${view.id}`)).status).toBe(404)
  const shared = await ada.browser.patch(`${base}/${view.id}`, { shared: true, name: 'Ours', position: 3 })
  expect(shared.body.data).toEqual({ ...view, shared: true, name: 'Ours', position: 3 })
  expect((await bob.browser.get(`${base}?resource=companies`)).body.data).toEqual([shared.body.data])
  expect((await bob.browser.get(`${base}?resource=people`)).body.data).toEqual([])
  expect((await bob.browser.patch(`${base}/${view.id}`, { name: 'Yours' })).status).toBe(403)
  expect((await admin.browser.patch(`${base}/${view.id}`, { state: { layout: 'board' } })).body.data.state).toEqual({
    layout: 'board',
  })
  await workspace.remove(ada)
  expect((await bob.browser.get(`${base}?resource=companies`)).body.data[0].owner).toBeNull()
  expect((await admin.browser.delete(`${base}/${view.id}`)).status).toBe(200)
  expect((await bob.browser.get(`${base}?resource=companies`)).body.data).toEqual([])
})

it('a viewer keeps views of their own and shares none', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'viewer')
  const base = `/w/${workspace.slug}/views`
  const made = await browser.post(base, { resource: 'tasks', name: 'x', state: {} })
  expect(made.status).toBe(201)
  expect((await browser.post(base, { resource: 'tasks', name: 'x', shared: true, state: {} })).status).toBe(403)
  expect((await browser.patch(`${base}/${made.body.data.id}`, { shared: true })).status).toBe(403)
})

it('what cannot be a view is refused, and none is seen from another workspace', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'member')
  const base = `/w/${workspace.slug}/views`
  const wrong = await browser.post(base, { resource: 'company', name: '', state: [], owner_id: 'x', shared: 'yes' })
  expect(Object.keys(wrong.body.errors).sort()).toEqual(['name', 'owner_id', 'resource', 'shared', 'state'])
  const large = await browser.post(base, { resource: 'notes', name: 'x', state: { text: 'x'.repeat(33_000) } })
  expect(Object.keys(large.body.errors)).toEqual(['state'])
  const made = (await browser.post(base, { resource: 'notes', name: 'x', shared: true, state: {} })).body.data
  const other = await newWorkspace()
  const stranger = await signedInMember(other, 'admin')
  for (const slug of [other.slug, workspace.slug]) {
    expect((await stranger.browser.patch(`/w/${slug}/views/${made.id}`, { name: 'y' })).status).toBe(404)
  }
})
