import { describe, expect, inject, it } from 'vitest'
import { type Browser, openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { newAuthenticator } from '../../sign-in/authenticator.ts'
import { newWorkspace } from '../../workspace.ts'

/** Where the service believes it is: passkeys are bound to it. */
const origin = () => `http://localhost:${new URL(inject('service').url).port}`

async function added(browser: Browser, name = 'Laptop') {
  const device = newAuthenticator(origin())
  const { body } = await browser.post('/factors/passkeys/options', {})
  const answer = await browser.post('/factors/passkeys', { name, response: device.create(body.data) })
  return { device, answer }
}

async function challenge(browser: Browser): Promise<{ challenge: string; userVerification: string }> {
  return (await browser.post('/sign-in/passkey/options', {})).body.data
}

describe('passkeys', () => {
  it('are added, named, listed and removed', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'member')
    const { answer } = await added(browser, ' Laptop ')
    expect(answer.status).toBe(201)
    const own = (await browser.get('/factors')).body.data
    expect(own.passkeys).toMatchObject([{ name: 'Laptop', created_at: expect.any(String) }])
    expect(own.session_factor).toBe('passkey')
    const [{ id }] = own.passkeys
    expect((await browser.patch(`/factors/passkeys/${id}`, { name: 'Old laptop' })).status).toBe(200)
    expect((await browser.get('/factors')).body.data.passkeys[0].name).toBe('Old laptop')
    expect((await browser.patch(`/factors/passkeys/${id}`, { name: '' })).status).toBe(422)
    expect((await browser.delete(`/factors/passkeys/${id}`)).status).toBe(200)
    expect((await browser.delete(`/factors/passkeys/${id}`)).status).toBe(404)
    expect((await browser.get('/factors')).body.data).toMatchObject({ passkeys: [], session_factor: null })
  })

  it('of others can be neither renamed nor removed', async () => {
    const workspace = await newWorkspace()
    const one = await signedInMember(workspace, 'admin')
    const two = await signedInMember(workspace, 'member')
    await added(two.browser)
    const [{ id }] = (await two.browser.get('/factors')).body.data.passkeys
    expect((await one.browser.patch(`/factors/passkeys/${id}`, { name: 'Mine' })).status).toBe(404)
    expect((await one.browser.delete(`/factors/passkeys/${id}`)).status).toBe(404)
    expect((await two.browser.get('/factors')).body.data.passkeys[0].name).toBe('Laptop')
  })

  it('begin a session without a password', async () => {
    const { browser, email } = await signedInMember(await newWorkspace(), 'member')
    const { device } = await added(browser)
    const elsewhere = openBrowser()
    const options = await challenge(elsewhere)
    expect(options.userVerification).toBe('required')
    expect((await elsewhere.post('/sign-in/passkey', { response: device.get(options) })).status).toBe(200)
    expect((await elsewhere.get('/session')).body.data.user.email).toBe(email)
    expect((await elsewhere.get('/factors')).body.data.session_factor).toBe('passkey')
  })

  it('an answer works once, for the challenge of this browser, at our address, from a device that checked its user', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'member')
    const { device } = await added(browser)
    const tried = async (asked: Parameters<typeof device.get>[1]) => {
      const thief = openBrowser()
      const options = await challenge(thief)
      return (await thief.post('/sign-in/passkey', { response: device.get(options, asked) })).status
    }
    expect(await tried({ origin: 'https://evil.example.com' })).toBe(422)
    expect(await tried({ challenge: 'c29tZXRoaW5nIGVsc2U' })).toBe(422)
    expect(await tried({ userVerified: false })).toBe(422)
    expect(await tried({})).toBe(200)
    const once = openBrowser()
    const response = device.get(await challenge(once))
    const kept = new Map(once.cookies)
    expect((await once.post('/sign-in/passkey', { response })).status).toBe(200)
    const again = openBrowser()
    for (const [name, value] of kept) again.cookies.set(name, value)
    expect((await again.post('/sign-in/passkey', { response })).status).toBe(422)
    const other = newAuthenticator(origin())
    const stranger = openBrowser()
    expect((await stranger.post('/sign-in/passkey', { response: other.get(await challenge(stranger)) })).status).toBe(
      422,
    )
    expect((await stranger.get('/session')).status).toBe(401)
  })

  it('of a device that does not check its user are not taken', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'member')
    const device = newAuthenticator(origin())
    const { body } = await browser.post('/factors/passkeys/options', {})
    const response = device.create(body.data, { userVerified: false })
    expect((await browser.post('/factors/passkeys', { name: 'Key', response })).status).toBe(422)
    expect((await browser.get('/factors')).body.data.passkeys).toEqual([])
  })

  it('a session that began with the password alone changes none of the factors of an account that has one', async () => {
    const { browser, email } = await signedInMember(await newWorkspace(), 'member')
    const { device } = await added(browser)
    const thief = openBrowser()
    await thief.post('/sign-in', { email, password: PASSWORD })
    const [{ id }] = (await thief.get('/factors')).body.data.passkeys
    const answers = [
      await thief.delete(`/factors/passkeys/${id}`),
      await thief.post('/factors/passkeys/options', {}),
      await thief.post('/factors/totp', { password: PASSWORD }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(403)
      expect(body.reason).toBe('second_factor_unused')
    }
    // With the passkey the same browser may.
    await thief.post('/sign-in/passkey', { response: device.get(await challenge(thief)) })
    expect((await thief.delete(`/factors/passkeys/${id}`)).status).toBe(200)
  })
})
