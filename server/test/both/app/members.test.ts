import { describe, expect, it } from 'vitest'
import { newUser, openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { newWorkspace } from '../../workspace.ts'

const tokenIn = (url: string) => new URL(url).searchParams.get('token') ?? ''

describe('members', () => {
  it('are listed for everyone, and managed by admins', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const viewer = await signedInMember(workspace, 'viewer')
    const base = `/w/${workspace.slug}/members`
    const { data } = (await viewer.browser.get(base)).body
    expect(data).toEqual([
      {
        id: workspace.owner.id,
        name: workspace.owner.name,
        email: workspace.owner.email,
        role: 'owner',
        verified: true,
        joined_at: expect.any(String),
        picture: null,
      },
      {
        id: admin.id,
        name: admin.name,
        email: admin.email,
        role: 'admin',
        verified: true,
        joined_at: expect.any(String),
        picture: null,
      },
      {
        id: viewer.id,
        name: viewer.name,
        email: viewer.email,
        role: 'viewer',
        verified: true,
        joined_at: expect.any(String),
        picture: null,
      },
    ])
    expect((await viewer.browser.patch(`${base}/${viewer.id}`, { role: 'admin' })).status).toBe(403)
    expect((await viewer.browser.delete(`${base}/${admin.id}`)).status).toBe(403)
    const changed = await admin.browser.patch(`${base}/${viewer.id}`, { role: 'member' })
    expect(changed.body.data).toMatchObject({ id: viewer.id, role: 'member' })
    // An admin makes no owners and touches none.
    expect((await admin.browser.patch(`${base}/${viewer.id}`, { role: 'owner' })).status).toBe(403)
    expect((await admin.browser.patch(`${base}/${workspace.owner.id}`, { role: 'viewer' })).status).toBe(403)
    expect((await admin.browser.delete(`${base}/${workspace.owner.id}`)).status).toBe(403)
    expect((await admin.browser.patch(`${base}/${viewer.email}`, { role: 'viewer' })).status).toBe(404)
    const wrong = await admin.browser.patch(`${base}/${viewer.id}`, { role: 'king', email: 'x@example.com' })
    expect(wrong.status).toBe(422)
    expect((await viewer.browser.delete(`${base}/${viewer.id}`)).status).toBe(200)
    expect((await viewer.browser.get(base)).status).toBe(404)
  })
})

describe('invitations', () => {
  it('an address has one open link, the one that was made last, also of several at the same time', async () => {
    const workspace = await newWorkspace()
    const { browser } = await signedInMember(workspace, 'admin')
    const base = `/w/${workspace.slug}/invitations`
    const email = `twice-${workspace.slug}@example.com`
    const first = (await browser.post(base, { email, role: 'admin' })).body.data
    const made = await Promise.all(
      [1, 2, 3].map(() => browser.post(base, { email: email.toUpperCase(), role: 'viewer' })),
    )
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
    const open = (await browser.get(base)).body.data
    expect(open).toMatchObject([{ email, role: 'viewer' }])
    const links = [first, ...made.map(({ body }) => body.data)]
    const found = await Promise.all(links.map(({ url }) => openBrowser().get(`/invitations/${tokenIn(url)}`)))
    expect(found.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404])
    expect(found[0]?.status).toBe(404)
  })

  it('make a member of a new account, once', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const base = `/w/${workspace.slug}/invitations`
    const email = `new-${workspace.slug}@example.com`
    const made = await admin.browser.post(base, { email: email.toUpperCase(), role: 'member' })
    expect(made.status).toBe(201)
    expect(made.body.data).toMatchObject({ email, role: 'member', mailed: false })
    const token = tokenIn(made.body.data.url)
    const [listed] = (await admin.browser.get(base)).body.data
    expect(listed).toMatchObject({ email, role: 'member', invited_by: { id: admin.id, name: admin.name } })
    expect(JSON.stringify(listed)).not.toContain(token)

    const guest = openBrowser()
    expect((await guest.get(`/invitations/${token}`)).body.data).toEqual({
      workspace: { name: `Workspace ${workspace.slug}` },
      email,
      role: 'member',
      account_exists: false,
    })
    const slipped = await guest.post(`/invitations/${token}/accept`, { name: 'New', password: PASSWORD, role: 'owner' })
    expect(Object.keys(slipped.body.errors)).toEqual(['role'])
    const accepted = await guest.post(`/invitations/${token}/accept`, { name: 'New', password: PASSWORD })
    expect(accepted).toMatchObject({ status: 200, body: { data: { slug: workspace.slug } } })
    expect((await guest.get('/session')).body.data).toMatchObject({
      user: { email, name: 'New' },
      workspaces: [{ slug: workspace.slug, role: 'member' }],
    })
    expect((await openBrowser().get(`/invitations/${token}`)).status).toBe(404)
    expect((await admin.browser.get(base)).body.data).toEqual([])
  })

  it('to an address that has an account need that account to sign in', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const user = await newUser(workspace.runtime)
    const { url } = (
      await admin.browser.post(`/w/${workspace.slug}/invitations`, { email: user.email, role: 'viewer' })
    ).body.data
    const path = `/invitations/${tokenIn(url)}`
    const browser = openBrowser()
    expect((await browser.get(path)).body.data.account_exists).toBe(true)
    expect((await browser.post(`${path}/accept`, { name: 'Thief', password: PASSWORD })).status).toBe(422)
    const stranger = await signedInMember(await newWorkspace(), 'member')
    expect((await stranger.browser.post(`${path}/accept`)).status).toBe(403)
    await browser.post('/sign-in', { email: user.email, password: PASSWORD })
    expect((await browser.post(`${path}/accept`)).body.data).toEqual({ slug: workspace.slug })
  })

  it('without an address can be used by anyone with the link, and of several users at once one succeeds', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const { url } = (await admin.browser.post(`/w/${workspace.slug}/invitations`, { role: 'member' })).body.data
    const tries = Array.from({ length: 4 }, (_, i) =>
      openBrowser().post(`/invitations/${tokenIn(url)}/accept`, {
        name: 'New',
        password: PASSWORD,
        email: `p${i}-${workspace.slug}@example.com`,
      }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 404, 404, 404])
    expect((await admin.browser.get(`/w/${workspace.slug}/members`)).body.data).toHaveLength(3)
  })

  it('can be withdrawn, and end when their author loses the rights', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const base = `/w/${workspace.slug}/invitations`
    const invite = async () => (await admin.browser.post(base, { role: 'viewer' })).body.data
    const first = await invite()
    expect((await admin.browser.delete(`${base}/${first.id}`)).status).toBe(200)
    expect((await openBrowser().get(`/invitations/${tokenIn(first.url)}`)).status).toBe(404)
    const second = await invite()
    await workspace.setRole(admin, 'member')
    expect((await openBrowser().get(`/invitations/${tokenIn(second.url)}`)).status).toBe(404)
    expect((await admin.browser.post(base, { role: 'viewer' })).status).toBe(403)
    expect((await admin.browser.get(base)).status).toBe(403)
  })

  it('an admin cannot invite an owner, a person twice or an invalid address', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const base = `/w/${workspace.slug}/invitations`
    expect((await admin.browser.post(base, { role: 'owner' })).status).toBe(403)
    expect((await admin.browser.post(base, { role: 'member', email: workspace.owner.email })).status).toBe(422)
    const wrong = await admin.browser.post(base, { role: 'boss', email: 'nobody' })
    expect(Object.keys(wrong.body.errors).sort()).toEqual(['email', 'role'])
    for (const token of ['x', 'a'.repeat(43), '%00', "'--"]) {
      expect((await openBrowser().get(`/invitations/${encodeURIComponent(token)}`)).status).toBe(404)
    }
  })
})

describe("an admin's link for a member's password", () => {
  it('sets it once and ends all sessions', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const member = await signedInMember(workspace, 'member')
    const made = await admin.browser.post(`/w/${workspace.slug}/members/${member.id}/reset-link`)
    expect(made.status).toBe(201)
    const token = tokenIn(made.body.data.url)
    const next = 'another good password'
    const browser = openBrowser()
    expect((await browser.post('/password/reset', { token, new_password: 'short' })).status).toBe(422)
    expect((await browser.post('/password/reset', { token, new_password: next })).status).toBe(200)
    expect((await member.browser.get('/session')).status).toBe(401)
    expect((await browser.post('/sign-in', { email: member.email, password: next })).status).toBe(200)
    const again = await browser.post('/password/reset', { token, new_password: next })
    expect(Object.keys(again.body.errors)).toEqual(['token'])
  })

  it('is not made for a role above the admin, nor for an account with access to more than the admin manages', async () => {
    const workspace = await newWorkspace()
    const admin = await signedInMember(workspace, 'admin')
    const link = (id: string) => admin.browser.post(`/w/${workspace.slug}/members/${id}/reset-link`)
    expect((await link(workspace.owner.id)).status).toBe(403)
    const elsewhere = await newWorkspace()
    const guest = await signedInMember(elsewhere, 'member')
    expect((await link(guest.id)).status).toBe(404)
    const invited = (await admin.browser.post(`/w/${workspace.slug}/invitations`, { role: 'member' })).body.data
    await guest.browser.post(`/invitations/${tokenIn(invited.url)}/accept`)
    expect((await link(guest.id)).status).toBe(403)
    const member = await signedInMember(workspace, 'member')
    expect((await member.browser.post(`/w/${workspace.slug}/members/${admin.id}/reset-link`)).status).toBe(403)
  })
})
