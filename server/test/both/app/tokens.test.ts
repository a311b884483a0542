import { expect, it } from 'vitest'
import { apiAt } from '../../api.ts'
import { signedInMember } from '../../browser.ts'
import { newWorkspace } from '../../workspace.ts'

it('a token is made in the application, shown once, used against the API and revoked', async () => {
  const workspace = await newWorkspace()
  const { browser, id, name, email } = await signedInMember(workspace, 'member')
  const base = `/w/${workspace.slug}/tokens`
  const made = await browser.post(base, { name: 'Sync', abilities: ['create', 'read'], expires_in_days: 30 })
  expect(made.status).toBe(201)
  const { token, ...fresh } = made.body.data
  expect(fresh).toEqual({
    id: expect.any(String),
    name: 'Sync',
    abilities: ['read', 'create'],
    expires_at: expect.any(String),
    created_at: expect.any(String),
  })
  const api = apiAt(browser.url, token)
  expect((await api.post('/companies', { name: 'Acme' })).body.data.attributes.creation_source).toBe('api')
  expect((await api.delete('/companies/01arz3ndektsv4rrffq69g5fav')).status).toBe(403)
  const [row] = (await browser.get(base)).body.data
  expect(row).toMatchObject({ id: fresh.id, name: 'Sync', user: { id, name, email }, abilities: ['read', 'create'] })
  expect(JSON.stringify(row)).not.toContain(token)
  expect((await browser.delete(`${base}/${fresh.id}`)).status).toBe(200)
  expect((await api.get('/companies')).status).toBe(401)
  expect((await browser.get(base)).body.data).toEqual([])
})

it('what a token may be is checked, and all problems are reported', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'viewer')
  const base = `/w/${workspace.slug}/tokens`
  const wrong = await browser.post(base, { name: ' ', abilities: ['rule'], expires_in_days: 5 })
  expect(Object.keys(wrong.body.errors).sort()).toEqual(['abilities', 'expires_in_days', 'name'])
  expect((await browser.post(base, { name: 'x', abilities: 'read', expires_in_days: null })).status).toBe(422)
  const slipped = await browser.post(base, {
    name: 'x',
    abilities: ['read'],
    expires_in_days: null,
    user_id: workspace.owner.id,
  })
  expect(Object.keys(slipped.body.errors)).toEqual(['user_id'])
  const never = await browser.post(base, { name: 'x', abilities: ['read', 'create'], expires_in_days: null })
  expect(never.body.data.expires_at).toBeNull()
  // A token never allows more than the role of its user.
  expect((await apiAt(browser.url, never.body.data.token).post('/companies', { name: 'x' })).status).toBe(403)
})

it('an admin sees and revokes all tokens of the workspace, a member only their own', async () => {
  const workspace = await newWorkspace()
  const admin = await signedInMember(workspace, 'admin')
  const member = await signedInMember(workspace, 'member')
  const base = `/w/${workspace.slug}/tokens`
  const owners = await workspace.token()
  const own = (await member.browser.post(base, { name: 'mine', abilities: ['read'], expires_in_days: 7 })).body.data
  const idsOf = async (browser: typeof admin.browser, path: string) =>
    (await browser.get(path)).body.data.map((token: { id: string }) => token.id)
  expect(await idsOf(member.browser, base)).toEqual([own.id])
  expect((await member.browser.get(`${base}?all=1`)).status).toBe(403)
  expect(await idsOf(admin.browser, base)).toEqual([])
  expect(await idsOf(admin.browser, `${base}?all=1`)).toEqual(expect.arrayContaining([own.id, owners.id]))
  expect((await member.browser.delete(`${base}/${owners.id}`)).status).toBe(404)
  expect((await admin.browser.delete(`${base}/${owners.id}`)).status).toBe(200)
  expect((await owners.get('/companies')).status).toBe(401)
  expect((await admin.browser.get(`${base}?al=1`)).status).toBe(422)
})
