import { beforeAll, describe, expect, it } from 'vitest'
import { newUser, openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { newWorkspace, sharedRuntime } from '../../workspace.ts'

describe('signing in', () => {
  it('begins a session whose cookie no script can read, and signing out ends it', async () => {
    const user = await newUser(sharedRuntime())
    const browser = openBrowser()
    expect((await browser.get('/session')).status).toBe(401)
    const answer = await browser.post('/sign-in', { email: user.email.toUpperCase(), password: PASSWORD })
    expect(answer.status).toBe(200)
    const [cookie = ''] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/HttpOnly/i)
    expect(cookie).toMatch(/SameSite=Lax/i)
    const { body } = await browser.get('/session')
    expect(body.data).toEqual({
      user: { id: user.id, name: user.name, email: user.email, verified: true },
      workspaces: [],
      session_id: expect.any(String),
      formats: { numbers: 'auto', dates: 'auto', hours: 'auto', first_day: 'auto' },
      time_zone: null,
      workspace_problem: null,
    })
    const before = browser.cookie()
    expect((await browser.post('/sign-out')).status).toBe(200)
    expect((await browser.get('/session')).status).toBe(401)
    // The cookie that was thrown away opens nothing any more.
    expect((await browser.get('/session', { headers: { Cookie: before } })).status).toBe(401)
  })

  it('is refused alike for a wrong password, an unknown account and one without a password', async () => {
    const user = await newUser(sharedRuntime())
    const { owner } = await newWorkspace()
    const answers = []
    for (const email of [user.email, 'nobody@example.com', owner.email]) {
      answers.push(await openBrowser().post('/sign-in', { email, password: 'a wrong password' }))
    }
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    for (const { headers } of answers) expect(headers.getSetCookie()).toEqual([])
  })

  it('gives a fresh session, whatever cookie came along (session fixation)', async () => {
    const user = await newUser(sharedRuntime())
    const thief = openBrowser()
    const other = await newUser(sharedRuntime())
    await thief.post('/sign-in', { email: other.email, password: PASSWORD })
    const planted = thief.cookie()
    const victim = openBrowser()
    for (const [name, value] of thief.cookies) victim.cookies.set(name, value)
    await victim.post('/sign-in', { email: user.email, password: PASSWORD })
    expect(victim.cookies.get('kith.session_token')).not.toBe(thief.cookies.get('kith.session_token'))
    expect(victim.cookie()).not.toBe(planted)
    expect((await thief.get('/session')).body.data.user.id).toBe(other.id)
    expect((await victim.get('/session')).body.data.user.id).toBe(user.id)
  })

  it('a cookie with a changed signature, another token or none signs in no one', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'member')
    const [name = '', value = ''] = [...browser.cookies].find(([one]) => one.endsWith('session_token')) ?? []
    const [token = '', signature = ''] = decodeURIComponent(value).split('.')
    const forged = [
      `${token}.${signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))}`,
      `${token}x.${signature}`,
      token,
      '.',
      '',
    ]
    for (const text of forged) {
      const headers = { Cookie: `${name}=${encodeURIComponent(text)}` }
      expect((await browser.get('/session', { headers })).status).toBe(401)
    }
    expect((await browser.get('/session', { headers: { Cookie: `${name}=%E0%A4%A` } })).status).toBe(401)
  })

  it('unknown keys, wrong types and bodies that are no object are refused', async () => {
    const browser = openBrowser()
    const wrong = await browser.post('/sign-in', { email: 1, password: PASSWORD, remember: true })
    expect(wrong.status).toBe(422)
    expect(Object.keys(wrong.body.errors).sort()).toEqual(['email', 'remember'])
    expect((await browser.send('POST', '/sign-in', '[]')).status).toBe(422)
    expect((await browser.send('POST', '/sign-in', '{"email"')).status).toBe(422)
    expect((await browser.send('POST', '/sign-in', JSON.stringify({ email: 'x'.repeat(100_000) }))).status).toBe(413)
  })
})

describe('attempts are limited', () => {
  let own: OwnService

  beforeAll(async () => {
    own = await ownService({ SIGN_IN_LIMIT_ACCOUNT: '3', SIGN_IN_LIMIT_ADDRESS: '4', TRUST_PROXY: 'true' })
  })

  async function tried(address: string, email: string, password = 'wrong password') {
    return openBrowser(own.url).post('/sign-in', { email, password }, { headers: { 'X-Forwarded-For': address } })
  }

  it('for each account and address, with Retry-After', async () => {
    const user = await newUser(own.runtime)
    for (const [i, email] of [user.email, 'nobody@example.com'].entries()) {
      for (let attempt = 0; attempt < 3; attempt++) {
        const spelled = attempt % 2 === 0 ? email : ` ${email.toUpperCase()}`
        expect((await tried(`192.0.2.${i}`, spelled)).status).toBe(422)
      }
      // The right password does not help meanwhile, and an account that does not exist is limited alike.
      const refused = await tried(`192.0.2.${i}`, email, PASSWORD)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })
})

describe('sessions', () => {
  it('are listed, and each of them can be ended', async () => {
    const workspace = await newWorkspace()
    const { browser, email } = await signedInMember(workspace, 'member')
    const elsewhere = openBrowser()
    await elsewhere.post('/sign-in', { email, password: PASSWORD }, { headers: { 'User-Agent': 'Elsewhere/1.0' } })
    const { body } = await browser.get('/sessions')
    expect(body.data).toHaveLength(2)
    const [other, current] = body.data
    expect(other).toMatchObject({ user_agent: 'Elsewhere/1.0', current: false, ip_address: '127.0.0.1' })
    expect(current.current).toBe(true)
    expect((await browser.delete(`/sessions/${other.id}`)).status).toBe(200)
    expect((await elsewhere.get('/session')).status).toBe(401)
    expect((await browser.delete(`/sessions/${other.id}`)).status).toBe(404)
    expect((await browser.get('/session')).status).toBe(200)
  })

  it('of others cannot be ended', async () => {
    const workspace = await newWorkspace()
    const one = await signedInMember(workspace, 'admin')
    const two = await signedInMember(workspace, 'member')
    const { session_id } = (await two.browser.get('/session')).body.data
    expect((await one.browser.delete(`/sessions/${session_id}`)).status).toBe(404)
    expect((await two.browser.get('/session')).status).toBe(200)
  })

  it('all but this one end at once', async () => {
    const { browser, email } = await signedInMember(await newWorkspace(), 'member')
    const others = [openBrowser(), openBrowser()]
    for (const other of others) await other.post('/sign-in', { email, password: PASSWORD })
    expect((await browser.post('/sessions/end-others')).status).toBe(200)
    for (const other of others) expect((await other.get('/session')).status).toBe(401)
    expect((await browser.get('/session')).status).toBe(200)
  })
})

describe('the password', () => {
  it('is changed with the current one, and all other sessions end', async () => {
    const { browser, email } = await signedInMember(await newWorkspace(), 'member')
    const other = openBrowser()
    await other.post('/sign-in', { email, password: PASSWORD })
    const next = 'another long password'
    const wrong = await browser.post('/password', { current_password: 'wrong password', new_password: next })
    expect(wrong.status).toBe(422)
    expect(wrong.body.errors.current_password).toBeDefined()
    const short = await browser.post('/password', { current_password: PASSWORD, new_password: 'short' })
    expect(Object.keys(short.body.errors)).toEqual(['new_password'])
    expect((await browser.post('/password', { current_password: PASSWORD, new_password: next })).status).toBe(200)
    expect((await browser.get('/session')).status).toBe(200)
    expect((await other.get('/session')).status).toBe(401)
    expect((await other.post('/sign-in', { email, password: PASSWORD })).status).toBe(422)
    expect((await other.post('/sign-in', { email, password: next })).status).toBe(200)
  })
})

describe('the profile', () => {
  it('takes a name and nothing else', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'viewer')
    expect((await browser.patch('/profile', { name: ' Grace Hopper ' })).body.data.name).toBe('Grace Hopper')
    expect((await browser.get('/session')).body.data.user.name).toBe('Grace Hopper')
    const slipped = await browser.patch('/profile', { name: 'Grace', email: 'root@example.com', role: 'owner' })
    expect(Object.keys(slipped.body.errors).sort()).toEqual(['email', 'role'])
  })
})
