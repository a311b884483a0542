import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMember, listMembers } from '../../../src/accounts/members.ts'
import { verifyUser } from '../../../src/accounts/sign-in/change-email.ts'
import { createWorkspace } from '../../../src/accounts/workspaces.ts'
import { type Browser, openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { type PostOffice, postOffice } from '../../post-office.ts'
import { runKith } from '../../run-kith.ts'
import { newWorkspace, sharedEnv, type TestWorkspace } from '../../workspace.ts'

/** Somebody who has made an account with an invitation to an address that may be anybody's. */
async function guestOf(
  workspace: TestWorkspace,
  url?: string,
): Promise<{ email: string; browser: Browser; id: string }> {
  const admin = await signedInMember(workspace, 'admin', url)
  const email = `guest-${workspace.slug}@example.com`
  const made = await admin.browser.post(`/w/${workspace.slug}/invitations`, { email, role: 'member' })
  const browser = openBrowser(url)
  const path = `/invitations/${new URL(made.body.data.url).searchParams.get('token')}/accept`
  expect((await browser.post(path, { name: 'Guest', password: PASSWORD })).status).toBe(200)
  return { email, browser, id: (await browser.get('/session')).body.data.user.id }
}

const verifiedIn = async (browser: Browser) => (await browser.get('/session')).body.data.user.verified

describe('an account that was made with an invitation', () => {
  it('is unverified, and is shown so in the list of members and to people who invite it elsewhere', async () => {
    const workspace = await newWorkspace()
    const guest = await guestOf(workspace)
    expect(await verifiedIn(guest.browser)).toBe(false)
    const { data } = (await guest.browser.get(`/w/${workspace.slug}/members`)).body
    expect(data.map((one: { verified: boolean }) => one.verified)).toEqual([true, true, false])
    const elsewhere = await newWorkspace()
    const admin = await signedInMember(elsewhere, 'admin')
    const base = `/w/${elsewhere.slug}/invitations`
    const warned = await admin.browser.post(base, { email: guest.email, role: 'viewer' })
    expect(warned.body.data.unverified_account).toBe(true)
    for (const email of [workspace.owner.email, 'nobody@example.com']) {
      expect((await admin.browser.post(base, { email, role: 'viewer' })).body.data.unverified_account).toBe(false)
    }
    expect((await admin.browser.post(base, { role: 'viewer' })).body.data.unverified_account).toBe(false)
  })

  it('needs a word of the operator to be added by its address', async () => {
    const guest = await guestOf(await newWorkspace())
    const other = await newWorkspace()
    const { runtime } = other
    const member = { email: guest.email, role: 'member' }
    await expect(addMember(await other.scope(), member)).rejects.toThrow('is unverified')
    const workspace = { name: 'Another', owner: guest.email }
    await expect(createWorkspace(runtime, workspace)).rejects.toThrow('is unverified')
    expect(await addMember(await other.scope(), { ...member, unverified: true })).toMatchObject({ verified: false })
    expect(await verifyUser(runtime, guest.email)).toMatchObject({ id: guest.id, verified: true })
    await createWorkspace(runtime, workspace)
    expect((await listMembers(await other.scope())).map(({ verified }) => verified)).toEqual([true, true])
    expect(await verifiedIn(guest.browser)).toBe(true)
  })

  it('is called unverified on the command line, until the operator verifies it', async () => {
    const guest = await guestOf(await newWorkspace())
    const other = await newWorkspace()
    const add = ['member', 'add', '--workspace', other.slug, '--email', guest.email]
    const refused = await runKith(add, sharedEnv())
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringMatching(/unverified.*kith user verify/)])
    const added = await runKith([...add, '--unverified'], sharedEnv())
    expect(added.stdout).toContain(`Added ${guest.email} (unverified) to`)
    const listed = await runKith(['member', 'list', '--workspace', other.slug], sharedEnv())
    expect(listed.stdout).toMatch(new RegExp(`${guest.email}\\s+unverified`))
    const verified = await runKith(['user', 'verify', '--email', guest.email, '--json'], sharedEnv())
    expect(JSON.parse(verified.stdout)).toMatchObject({ id: guest.id, email: guest.email, verified: true })
    expect(await verifiedIn(guest.browser)).toBe(true)
  })

  it('cannot be confirmed without mail, and the message says whom to ask', async () => {
    const guest = await guestOf(await newWorkspace())
    const answer = await guest.browser.post('/email/send-confirmation')
    expect([answer.status, answer.body.errors.email[0]]).toEqual([422, expect.stringContaining('kith user verify')])
    expect((await guest.browser.post('/email/confirm', { token: 'x' })).status).toBe(422)
  })
})

describe('with mail', () => {
  let post: PostOffice
  let own: OwnService

  beforeAll(async () => {
    post = await postOffice()
    own = await ownService({ SMTP_URL: post.url })
  })

  afterAll(async () => {
    await own.stop()
    post.close()
  })

  /** The token in the newest mail to an address with a link to a page. */
  async function tokenFor(address: string, page: string, count = 1): Promise<string> {
    const mine = () => {
      const plain = post.letters.map((letter) => letter.replaceAll('=\n', '').replaceAll('=3D', '='))
      return plain.filter((one) => one.includes(`To: ${address}`) && one.includes(`/${page}`))
    }
    await expect.poll(() => mine().length).toBe(count)
    const letter = mine().at(-1) ?? ''
    return new RegExp(`${page}\\?token=([\\w-]+)`).exec(letter)?.[1] ?? ''
  }

  it('a link that was sent to the address proves it, for the account that asked and once', async () => {
    const guest = await guestOf(await own.workspace(), own.url)
    const first = await tokenFor(guest.email, 'confirm-email')
    // Another account cannot use it, and neither can somebody who is not signed in: the click of a stranger proves
    // nothing.
    const { browser: stranger } = await signedInMember(await own.workspace(), 'member', own.url)
    expect((await stranger.post('/email/confirm', { token: first })).status).toBe(422)
    expect((await openBrowser(own.url).post('/email/confirm', { token: first })).status).toBe(401)
    expect((await guest.browser.post('/email/send-confirmation')).status).toBe(200)
    const second = await tokenFor(guest.email, 'confirm-email', 2)
    expect((await guest.browser.post('/email/confirm', { token: first })).status).toBe(422)
    expect(await verifiedIn(guest.browser)).toBe(false)
    expect((await guest.browser.post('/email/confirm', { token: second })).status).toBe(200)
    expect(await verifiedIn(guest.browser)).toBe(true)
    expect((await guest.browser.post('/email/confirm', { token: second })).status).toBe(422)
    // There is nothing left to send.
    expect((await guest.browser.post('/email/send-confirmation')).status).toBe(200)
  })

  it('and so does a password that is reset by mail, but not with a link of an admin', async () => {
    const workspace = await own.workspace()
    const guest = await guestOf(workspace, own.url)
    const admin = await signedInMember(workspace, 'admin', own.url)
    const signIn = async (password: string) => {
      const browser = openBrowser(own.url)
      expect((await browser.post('/sign-in', { email: guest.email, password })).status).toBe(200)
      return browser
    }
    const { url } = (await admin.browser.post(`/w/${workspace.slug}/members/${guest.id}/reset-link`)).body.data
    const handed = { token: new URL(url).searchParams.get('token'), new_password: 'another good password' }
    expect((await openBrowser(own.url).post('/password/reset', handed)).status).toBe(200)
    expect(await verifiedIn(await signIn(handed.new_password))).toBe(false)
    await openBrowser(own.url).post('/password/forgot', { email: guest.email })
    const mailed = { token: await tokenFor(guest.email, 'reset-password'), new_password: PASSWORD }
    expect((await openBrowser(own.url).post('/password/reset', mailed)).status).toBe(200)
    expect(await verifiedIn(await signIn(PASSWORD))).toBe(true)
  })

  it('an invitation to an address is for accounts that have proved it', async () => {
    const guest = await guestOf(await own.workspace(), own.url)
    const token = await tokenFor(guest.email, 'confirm-email')
    const workspace = await own.workspace()
    const admin = await signedInMember(workspace, 'admin', own.url)
    const base = `/w/${workspace.slug}/invitations`
    const { url } = (await admin.browser.post(base, { email: guest.email, role: 'viewer' })).body.data
    const path = `/invitations/${new URL(url).searchParams.get('token')}/accept`
    const refused = await guest.browser.post(path)
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('Confirm first')])
    expect((await guest.browser.post('/email/confirm', { token })).status).toBe(200)
    expect((await guest.browser.post(path)).status).toBe(200)
  })
})
