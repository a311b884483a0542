import { describe, expect, inject, it } from 'vitest'
import { type Browser, openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { runKith } from '../../run-kith.ts'
import { newAuthenticator } from '../../sign-in/authenticator.ts'
import { nextCode } from '../../sign-in/totp.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

async function setUpCodes(browser: Browser): Promise<string> {
  const { secret } = (await browser.post('/factors/totp', { password: PASSWORD })).body.data
  await browser.post('/factors/totp/confirm', { code: await nextCode(secret) })
  return secret
}

async function strictWorkspace() {
  const workspace = await newWorkspace()
  const owner = await signedInMember(workspace, 'owner')
  await setUpCodes(owner.browser)
  expect((await owner.browser.post(`/w/${workspace.slug}/second-factor`, { required: true })).status).toBe(200)
  return { workspace, owner }
}

/** What a member's browser asks for: the settings, the records, the log, the stream. */
const paths = (slug: string) => [
  `/w/${slug}/workspace`,
  `/w/${slug}/v1/companies`,
  `/w/${slug}/members`,
  `/w/${slug}/v1/search?q=x`,
  `/w/${slug}/events`,
]

describe('a workspace that requires a second factor', () => {
  it('is switched on by owners and admins who have one', async () => {
    const workspace = await newWorkspace()
    const rule = `/w/${workspace.slug}/second-factor`
    const admin = await signedInMember(workspace, 'admin')
    const member = await signedInMember(workspace, 'member')
    const without = await admin.browser.post(rule, { required: true })
    expect(without.status).toBe(422)
    expect(without.body.errors.required).toBeDefined()
    expect((await member.browser.post(rule, { required: true })).status).toBe(403)
    expect((await admin.browser.post(rule, {})).status).toBe(422)
    await setUpCodes(admin.browser)
    expect((await admin.browser.post(rule, { required: true })).body.data).toEqual({ required: true })
    expect((await admin.browser.get(`/w/${workspace.slug}/workspace`)).body.data.requires_second_factor).toBe(true)
    const [entry] = (await admin.browser.get(`/w/${workspace.slug}/audit?resource=workspace`)).body.data
    expect(entry.changes).toMatchObject([{ field: 'require_second_factor', before: false, after: true }])
  })

  it('is closed to members without one, with the reason, until they set one up', async () => {
    const { workspace } = await strictWorkspace()
    const member = await signedInMember(workspace, 'member')
    for (const path of paths(workspace.slug)) {
      const { status, body } = await member.browser.get(path)
      expect(status, path).toBe(403)
      expect(body.reason, path).toBe('second_factor_missing')
    }
    expect((await member.browser.post(`/w/${workspace.slug}/v1/companies`, { name: 'x' })).status).toBe(403)
    // Their account and their other workspaces stay open.
    expect((await member.browser.get('/session')).status).toBe(200)
    await setUpCodes(member.browser)
    expect((await member.browser.get(`/w/${workspace.slug}/v1/companies`)).status).toBe(200)
  })

  it('is closed to a session that did not use it', async () => {
    const { workspace } = await strictWorkspace()
    const member = await signedInMember(workspace, 'member')
    const device = newAuthenticator(`http://localhost:${new URL(inject('service').url).port}`)
    const { body } = await member.browser.post('/factors/passkeys/options', {})
    await member.browser.post('/factors/passkeys', { name: 'Laptop', response: device.create(body.data) })
    expect((await member.browser.get(`/w/${workspace.slug}/workspace`)).status).toBe(200)
    const thief = openBrowser()
    await thief.post('/sign-in', { email: member.email, password: PASSWORD })
    const refused = await thief.get(`/w/${workspace.slug}/workspace`)
    expect(refused.status).toBe(403)
    expect(refused.body.reason).toBe('second_factor_unused')
  })

  it('reveals nothing to others, and tokens still work', async () => {
    const { workspace } = await strictWorkspace()
    const stranger = await signedInMember(await newWorkspace(), 'owner')
    expect((await stranger.browser.get(`/w/${workspace.slug}/workspace`)).status).toBe(404)
    expect((await workspace.api.get('/companies')).status).toBe(200)
  })

  it('opens for no program that a member without one lets in', async () => {
    const { workspace } = await strictWorkspace()
    const member = await signedInMember(workspace, 'member')
    const answer = await member.browser.post('/oauth/consent', {
      accept: true,
      query: 'client_id=x',
      workspace: workspace.slug,
      abilities: ['read'],
    })
    expect(answer.status).toBe(403)
    expect(answer.body.reason).toBe('second_factor_missing')
  })

  it('a factor that is given up closes it', async () => {
    const { workspace } = await strictWorkspace()
    const member = await signedInMember(workspace, 'member')
    await setUpCodes(member.browser)
    expect((await member.browser.get(`/w/${workspace.slug}/workspace`)).status).toBe(200)
    await member.browser.post('/factors/totp/off', { password: PASSWORD })
    expect((await member.browser.get(`/w/${workspace.slug}/workspace`)).status).toBe(403)
  })
})

describe('the operator', () => {
  async function kith(...args: string[]) {
    const { database_url, secret } = inject('service')
    return runKith(args, { DATABASE_URL: database_url, SECRET: secret })
  }

  it('switches the rule off for owners who are locked out', async () => {
    const { workspace } = await strictWorkspace()
    const member = await signedInMember(workspace, 'member')
    const { code, stdout } = await kith('workspace', 'second-factor', '--workspace', workspace.slug, '--off')
    expect(code).toBe(0)
    expect(stdout).toContain('does not require a second factor')
    expect((await member.browser.get(`/w/${workspace.slug}/workspace`)).status).toBe(200)
  })

  it('resets the factors of a user who has lost them, and ends their sessions', async () => {
    const workspace: TestWorkspace = await newWorkspace()
    const member = await signedInMember(workspace, 'member')
    await setUpCodes(member.browser)
    expect((await kith('user', 'reset-two-factor', '--email', member.email)).code).toBe(0)
    expect((await member.browser.get('/session')).status).toBe(401)
    const browser = openBrowser()
    const answer = await browser.post('/sign-in', { email: member.email, password: PASSWORD })
    expect(answer.body.data).toEqual({ needs_code: false })
    expect((await browser.get('/factors')).body.data).toMatchObject({ totp: false, passkeys: [], session_factor: null })
    expect((await kith('user', 'reset-two-factor', '--email', 'nobody@example.com')).code).not.toBe(0)
  })
})
