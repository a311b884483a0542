import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../../../src/accounts/users.ts'
import { openBrowser, PASSWORD } from '../../browser.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { freePort } from '../../setup/postgres.ts'
import { startProvider, type TestProvider } from '../../sign-in/oidc-provider.ts'
import { comeBack, signInThrough, visitProvider } from '../../sign-in/visit-provider.ts'
import type { TestWorkspace } from '../../workspace.ts'

let provider: TestProvider
let own: OwnService
let workspace: TestWorkspace

const unique = () => randomBytes(6).toString('hex')

beforeAll(async () => {
  provider = await startProvider()
  const PORT = String(await freePort())
  const OIDC_MEMBERSHIP = 'acme.example=acme:member, partner.example=acme:viewer, gone.example=no-such-workspace'
  own = await ownService({ ...provider.env, PORT, OIDC_MEMBERSHIP, OIDC_SECOND_FACTOR: 'true' })
  provider.expect(`http://localhost:${PORT}`)
  workspace = await own.workspace()
  await own.runtime.engine.single.session.run(`update workspaces set slug = 'acme' where id = '${workspace.id}'`, [])
})

/** Somebody whom the provider knows. */
function person(domain: string, rest: { email_verified?: boolean; name?: string } = {}) {
  const login = unique()
  const email = `${login}@${domain}`
  provider.people.set(login, { email, email_verified: true, name: 'Grace Moss', ...rest })
  return { login, email }
}

async function run(sql: string): Promise<unknown[]> {
  return (await own.runtime.engine.single.session.run(sql, [])).rows
}

const yes = () => (own.runtime.engine.dialect === 'sqlite' ? '1' : 'true')

describe('sign-in through a provider', () => {
  it('is shown on the sign-in page, and makes an account with the memberships of the domain', async () => {
    const browser = openBrowser(own.url)
    expect((await browser.get('/start')).body.data.provider).toBe('Acme Login')
    const { login, email } = person('acme.example')
    expect(await signInThrough(browser, login, '/acme/companies?sort=name')).toBe('/acme/companies?sort=name')
    const { user, workspaces } = (await browser.get('/session')).body.data
    expect(user).toMatchObject({ email, name: 'Grace Moss' })
    expect(workspaces).toMatchObject([{ slug: 'acme', role: 'member' }])
    expect((await browser.get('/w/acme/workspace')).status).toBe(200)
    // A second time it is the same account, and nothing of the provider is kept.
    const again = openBrowser(own.url)
    await signInThrough(again, login)
    expect((await again.get('/session')).body.data.user.id).toBe(user.id)
    const kept = `select access_token, refresh_token, id_token from accounts where user_id = '${user.id}'`
    expect(await run(kept)).toEqual([{ access_token: null, refresh_token: null, id_token: null }])
  })

  it('gives each domain its role, and nothing where the workspace does not exist', async () => {
    const partner = openBrowser(own.url)
    await signInThrough(partner, person('partner.example').login)
    expect((await partner.get('/session')).body.data.workspaces).toMatchObject([{ slug: 'acme', role: 'viewer' }])
    const lost = openBrowser(own.url)
    await signInThrough(lost, person('gone.example').login)
    expect((await lost.get('/session')).body.data.workspaces).toEqual([])
  })

  it('makes no account for a domain that belongs to no workspace', async () => {
    const browser = openBrowser(own.url)
    expect(await signInThrough(browser, person('stranger.example').login)).toBe('/sign-in?problem=no_account')
    // A domain that only ends like ours is another one.
    expect(await signInThrough(browser, person('evil-acme.example').login)).toBe('/sign-in?problem=no_account')
    expect((await browser.get('/session')).status).toBe(401)
  })

  it('an address that the provider has not verified counts for nothing', async () => {
    const browser = openBrowser(own.url)
    const { login } = person('acme.example', { email_verified: false })
    expect(await signInThrough(browser, login)).toBe('/sign-in?problem=email_not_verified')
    expect((await browser.get('/session')).status).toBe(401)
  })

  it('opens an account that is here already only if its address is verified on both sides', async () => {
    const { login, email } = person('stranger.example')
    const { id } = await createUser(own.runtime, { email, name: 'Grace', password: PASSWORD })
    await run(`update users set email_verified = ${yes() === '1' ? '0' : 'false'} where id = '${id}'`)
    const browser = openBrowser(own.url)
    expect(await signInThrough(browser, login)).toBe('/sign-in?problem=account_not_linked')
    expect((await browser.get('/session')).status).toBe(401)
    await run(`update users set email_verified = ${yes()} where id = '${id}'`)
    expect(await signInThrough(browser, login)).toBe('/')
    expect((await browser.get('/session')).body.data.user.id).toBe(id)
  })

  it('an account is connected on purpose by who is signed in, with the same address only', async () => {
    const { login, email } = person('stranger.example')
    await createUser(own.runtime, { email, name: 'Grace', password: PASSWORD })
    const browser = openBrowser(own.url)
    await browser.post('/sign-in', { email, password: PASSWORD })
    const connect = async (as: string) => {
      const { body } = await browser.post('/factors/provider', { back: '/acme/settings/security' })
      return comeBack(browser, await visitProvider(body.data.url, as))
    }
    expect(await connect(person('acme.example').login)).toMatch(/^\/acme\/settings\/security\?problem=email/)
    expect((await browser.get('/factors')).body.data.provider).toEqual({ name: 'Acme Login', connected: false })
    expect(await connect(login)).toBe('/acme/settings/security')
    expect((await browser.get('/factors')).body.data.provider.connected).toBe(true)
    const other = openBrowser(own.url)
    expect(await signInThrough(other, login)).toBe('/')
    expect((await browser.delete('/factors/provider')).status).toBe(200)
    expect((await browser.get('/factors')).body.data.provider.connected).toBe(false)
  })

  it('a member who was removed does not come back by the domain', async () => {
    const { login } = person('acme.example')
    const browser = openBrowser(own.url)
    await signInThrough(browser, login)
    const { user } = (await browser.get('/session')).body.data
    await run(`delete from members where user_id = '${user.id}'`)
    await signInThrough(browser, login)
    expect((await browser.get('/session')).body.data.workspaces).toEqual([])
  })

  it('a callback works once, in the browser that began it, and leads to no other site', async () => {
    const { login } = person('acme.example')
    const browser = openBrowser(own.url)
    const { body } = await browser.post('/sign-in/provider', { next: 'https://evil.example.com/' })
    const asked = new URL(body.data.url).searchParams
    expect(asked.get('code_challenge_method')).toBe('S256')
    const callback = await visitProvider(body.data.url, login)
    const thief = openBrowser(own.url)
    expect(await comeBack(thief, callback)).toBe('/sign-in?problem=state_mismatch')
    expect((await thief.get('/session')).status).toBe(401)
    expect(await comeBack(browser, callback)).toBe('/')
    expect((await browser.get('/session')).status).toBe(200)
    const again = openBrowser(own.url)
    for (const [name, value] of browser.cookies) if (!name.includes('session')) again.cookies.set(name, value)
    expect(await comeBack(again, callback)).toBe('/sign-in?problem=state_mismatch')
    const dots = `${own.url}/api/auth/oauth2/callback/oidc/%2e%2e/%2e%2e/sign-in/email`
    expect((await fetch(dots, { redirect: 'manual' })).status).toBe(404)
  })

  it('counts as a second factor where the installation says so', async () => {
    const browser = openBrowser(own.url)
    await signInThrough(browser, person('acme.example').login)
    expect((await browser.get('/factors')).body.data).toMatchObject({ session_factor: 'provider', has_password: false })
    await run(`update workspaces set require_second_factor = 1 where slug = 'acme'`)
    expect((await browser.get('/w/acme/workspace')).status).toBe(200)
    await run(`update workspaces set require_second_factor = 0 where slug = 'acme'`)
  })
})

it('without a provider there is no such way in', async () => {
  const browser = openBrowser()
  expect((await browser.get('/start')).body.data.provider).toBeNull()
  expect((await browser.post('/sign-in/provider', {})).status).toBe(404)
  expect((await fetch(`${browser.url}/api/auth/oauth2/callback/oidc?code=x&state=y`)).status).toBe(404)
})
