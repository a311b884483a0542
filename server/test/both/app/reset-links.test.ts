import { describe, expect, it } from 'vitest'
import { createWorkspace } from '../../../src/accounts/workspaces.ts'
import { type Member, openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const next = 'another good password'

async function linkFor(admin: Member, { slug }: TestWorkspace, member: Member): Promise<string> {
  const made = await admin.browser.post(`/w/${slug}/members/${member.id}/reset-link`)
  expect(made.status).toBe(201)
  return new URL(made.body.data.url).searchParams.get('token') ?? ''
}

const used = (token: string) => openBrowser().post('/password/reset', { token, new_password: next })

/** A workspace, an admin who has made a link, and the member whom it is for. */
async function linked() {
  const workspace = await newWorkspace()
  const admin = await signedInMember(workspace, 'admin')
  const member = await signedInMember(workspace, 'member')
  return { workspace, admin, member, token: await linkFor(admin, workspace, member) }
}

async function expectGone(token: string, member: Member): Promise<void> {
  const answer = await used(token)
  expect(answer.status).toBe(422)
  expect(answer.body.errors.token[0]).toMatch(/Forgot password.*ask an admin/)
  expect((await openBrowser().post('/sign-in', { email: member.email, password: PASSWORD })).status).toBe(200)
}

/** As if it had been made at the same moment as the change, so that the change did not see it. */
async function put(workspace: TestWorkspace, token: string, link: { member: Member; admin: Member }): Promise<void> {
  const { passwordLinkTable } = await import('../../../src/storage/tables/accounts.ts')
  const { hashToken } = await import('../../../src/accounts/tokens.ts')
  await workspace.runtime.engine.transaction((inside) =>
    passwordLinkTable.insert(inside, {
      hash: hashToken(token),
      user_id: link.member.id,
      created_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      source: 'admin',
      workspace_id: workspace.id,
      creator_id: link.admin.id,
    }),
  )
}

describe("an admin's reset link opens nothing any more", () => {
  it('after its user has joined another workspace', async () => {
    const { workspace, member, admin, token } = await linked()
    const other = await newWorkspace()
    const owner = await signedInMember(other, 'owner')
    const invited = (await owner.browser.post(`/w/${other.slug}/invitations`, { role: 'member' })).body.data
    const path = `/invitations/${new URL(invited.url).searchParams.get('token')}/accept`
    expect((await member.browser.post(path)).status).toBe(200)
    await expectGone(token, member)
    // The permission is asked again as well.
    await put(workspace, token, { member, admin })
    await expectGone(token, member)
  })

  it('after its user has made a workspace', async () => {
    const { workspace, member, admin, token } = await linked()
    await createWorkspace(workspace.runtime, { name: 'Own', owner: member.id })
    await expectGone(token, member)
    await put(workspace, token, { member, admin })
    await expectGone(token, member)
  })

  it('after its user has become an owner', async () => {
    const { workspace, member, admin, token } = await linked()
    await workspace.setRole(member, 'owner')
    await expectGone(token, member)
    await put(workspace, token, { member, admin })
    await expectGone(token, member)
  })

  it('after its user was removed', async () => {
    const { workspace, member, admin, token } = await linked()
    await workspace.remove(member)
    await expectGone(token, member)
    await put(workspace, token, { member, admin })
    await expectGone(token, member)
  })

  it('after the admin has got another role, or was removed', async () => {
    const { workspace, member, admin, token } = await linked()
    await workspace.setRole(admin, 'member')
    await expectGone(token, member)
    await put(workspace, token, { member, admin })
    await expectGone(token, member)
    await workspace.setRole(admin, 'admin')
    const another = await linkFor(admin, workspace, member)
    await workspace.remove(admin)
    await expectGone(another, member)
    await put(workspace, another, { member, admin })
    await expectGone(another, member)
  })
})

it("an admin's reset link works as long as nothing has changed", async () => {
  const { member, token } = await linked()
  expect((await used(token)).status).toBe(200)
  expect((await openBrowser().post('/sign-in', { email: member.email, password: next })).status).toBe(200)
})
