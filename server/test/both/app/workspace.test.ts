import { expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import { signedInMember } from '../../browser.ts'
import { newWorkspace } from '../../workspace.ts'

it('a workspace is shown with its counts, and renamed by admins', async () => {
  const workspace = await newWorkspace()
  const admin = await signedInMember(workspace, 'admin')
  const member = await signedInMember(workspace, 'member')
  await workspace.api.post('/companies', { name: 'Acme' })
  const path = `/w/${workspace.slug}/workspace`
  const { data } = (await member.browser.get(path)).body
  expect(data).toEqual({
    id: workspace.id,
    slug: workspace.slug,
    name: `Workspace ${workspace.slug}`,
    role: 'member',
    paused: false,
    requires_second_factor: false,
    created_at: expect.any(String),
    trial_ends_at: null,
    counts: { companies: 1, people: 0, opportunities: 0, tasks: 0, notes: 0 },
  })
  expect((await member.browser.patch(path, { name: 'Mine' })).status).toBe(403)
  expect((await admin.browser.patch(path, { name: ' Ours ' })).body.data).toMatchObject({
    name: 'Ours',
    slug: workspace.slug,
  })
  const slipped = await admin.browser.patch(path, { name: 'x', slug: 'other', complimentary: 1, paused_at: null })
  expect(Object.keys(slipped.body.errors).sort()).toEqual(['complimentary', 'paused_at', 'slug'])
  expect((await admin.browser.get(`/w/${workspace.slug}/billing`)).status).toBe(404)
})

it('anyone who is signed in makes another workspace and owns it', async () => {
  const { browser } = await signedInMember(await newWorkspace(), 'viewer')
  const slug = `other-${Date.now()}`
  const made = await browser.post('/workspaces', { name: 'Other', slug })
  expect(made).toMatchObject({ status: 201, body: { data: { name: 'Other', slug } } })
  expect((await browser.get(`/w/${slug}/workspace`)).body.data.role).toBe('owner')
  expect((await browser.post('/workspaces', { name: 'Other', slug })).status).toBe(422)
  for (const reserved of ['api', 'set-up', 'sign-in', 'invitation', 'reset-password', 'new-workspace', 'oauth']) {
    expect((await browser.post('/workspaces', { name: 'x', slug: reserved })).status, reserved).toBe(422)
  }
})

it('sample data comes on request of an admin, while the workspace is empty', async () => {
  const workspace = await newWorkspace()
  const admin = await signedInMember(workspace, 'admin')
  const member = await signedInMember(workspace, 'member')
  const path = `/w/${workspace.slug}/sample`
  expect((await member.browser.post(path, {})).status).toBe(403)
  expect((await admin.browser.post(path, {})).status).toBe(201)
  const listed = (await workspace.api.get('/opportunities?per_page=1')).body
  expect(listed.meta.total).toBeGreaterThan(10)
  expect(listed.data[0].attributes.creation_source).toBe('sample')
  expect((await admin.browser.post(path, {})).status).toBe(422)
})

it('its owner deletes it, having written its slug, and nothing of it opens any more', async () => {
  const workspace = await newWorkspace()
  const admin = await signedInMember(workspace, 'admin')
  const owner = await signedInMember(workspace, 'owner')
  const { number } = (await workspace.scope()).workspace
  const { id } = (await workspace.api.post('/companies', { name: 'Acme', custom_fields: { domains: ['acme.com'] } }))
    .body.data
  await workspace.api.post('/notes', { title: 'x', company_ids: [id] })
  const path = `/w/${workspace.slug}/workspace`
  expect((await admin.browser.delete(path, { confirm: workspace.slug })).status).toBe(403)
  expect((await owner.browser.delete(path, { confirm: 'other' })).status).toBe(422)
  expect((await owner.browser.delete(path, {})).status).toBe(422)
  expect((await owner.browser.delete(path, { confirm: workspace.slug })).status).toBe(200)
  expect((await workspace.api.get('/companies')).status).toBe(401)
  expect((await owner.browser.get(path)).status).toBe(404)
  expect((await owner.browser.get('/session')).body.data.workspaces).toEqual([])
  expect((await owner.browser.post('/workspaces', { name: 'Again', slug: workspace.slug })).status).toBe(201)

  // Soon what is left is wiped, in every table that names the workspace.
  const { engine } = workspace.runtime
  const left = () => sql`select id from workspaces where id = ${workspace.id}`.all(engine.db)
  await expect.poll(left, { interval: 100 }).toEqual([])
  const copied = await engine.loadTables(engine.db)
  const named = copied.filter(({ columns }) => columns.some((column) => column.name === 'workspace_id'))
  expect(named.length).toBeGreaterThan(10)
  for (const name of [...named.map((table) => table.name), 'record_counts']) {
    const rows = sql`select 1 from ${sql.table(name)} where workspace_id = ${workspace.id} limit 1`
    expect(await rows.all(engine.db), name).toEqual([])
  }
  for (const name of ['records', 'field_values', 'key_moves']) {
    const rows = sql`select 1 from ${sql.table(name)} where workspace = ${number} limit 1`
    expect(await rows.all(engine.db), name).toEqual([])
  }
  expect((await engine.db.session.run(`select 1 from workspaces where id = '${workspace.id}'`, [])).rows).toEqual([])
})
