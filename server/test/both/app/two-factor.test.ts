import { describe, expect, it } from 'vitest'
import { type Browser, openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { nextCode, totpOf } from '../../sign-in/totp.ts'
import { newWorkspace, sharedRuntime } from '../../workspace.ts'

/** A member whose sign-in asks for codes. */
async function memberWithCodes(role: 'member' | 'admin' = 'member') {
  const workspace = await newWorkspace()
  const member = await signedInMember(workspace, role)
  return { ...member, workspace, ...(await setUpCodes(member.browser)) }
}

async function setUpCodes(browser: Browser): Promise<{ secret: string; recovery_codes: string[] }> {
  const made = await browser.post('/factors/totp', { password: PASSWORD })
  expect(made.status).toBe(201)
  const { secret, recovery_codes } = made.body.data
  expect((await browser.post('/factors/totp/confirm', { code: await nextCode(secret) })).status).toBe(200)
  return { secret, recovery_codes }
}

async function passwordGiven(email: string): Promise<Browser> {
  const browser = openBrowser()
  const answer = await browser.post('/sign-in', { email, password: PASSWORD })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ needs_code: true })
  return browser
}

describe('codes of an authenticator app', () => {
  it('take the password and one right code to be switched on', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'member')
    expect((await browser.get('/factors')).body.data).toMatchObject({ totp: false, has_password: true, passkeys: [] })
    const wrong = await browser.post('/factors/totp', { password: 'not the password' })
    expect(wrong.status).toBe(422)
    expect(wrong.body.errors.password).toBeDefined()
    const made = await browser.post('/factors/totp', { password: PASSWORD })
    expect(made.body.data.uri).toMatch(/^otpauth:\/\/totp\/Kith/)
    expect(made.body.data.recovery_codes).toHaveLength(10)
    // Nothing is asked for at sign-in until a code was right.
    expect((await browser.get('/factors')).body.data.totp).toBe(false)
    expect((await browser.post('/factors/totp/confirm', { code: '000000' })).status).toBe(422)
    const confirmed = await browser.post('/factors/totp/confirm', { code: await nextCode(made.body.data.secret) })
    expect(confirmed.status).toBe(200)
    expect((await browser.get('/factors')).body.data).toMatchObject({ totp: true, session_factor: 'totp' })
    // Another secret would take the place of this one without a code.
    expect((await browser.post('/factors/totp', { password: PASSWORD })).status).toBe(422)
  })

  it('are asked for after the password, and the session begins only with a right one', async () => {
    const { email, secret, workspace } = await memberWithCodes()
    const browser = await passwordGiven(email)
    expect((await browser.get('/session')).status).toBe(401)
    const wrong = await browser.post('/sign-in/code', { code: '000000' })
    expect(wrong.status).toBe(422)
    expect(wrong.body.errors.code).toBeDefined()
    expect((await browser.post('/sign-in/code', { code: await nextCode(secret) })).status).toBe(200)
    expect((await browser.get('/session')).body.data.user.email).toBe(email)
    expect((await browser.get(`/w/${workspace.slug}/workspace`)).status).toBe(200)
    // The password is still required.
    expect((await openBrowser().post('/sign-in/code', { code: totpOf(secret) })).status).toBe(422)
  })

  it('a code works once, and none from before it: of two who enter it at the same time, one gets in', async () => {
    const { email, secret } = await memberWithCodes()
    const browsers = await Promise.all([passwordGiven(email), passwordGiven(email), passwordGiven(email)])
    const code = await nextCode(secret)
    const enter = (browser: Browser, entered: string) => browser.post('/sign-in/code', { code: entered })
    const answers = await Promise.all(browsers.map((browser) => enter(browser, code)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422])
    const late = await passwordGiven(email)
    const again = await enter(late, code)
    expect([again.status, again.body.errors.code?.[0]]).toEqual([422, expect.stringContaining('was used already')])
    // The code of the moment, after that of the next step.
    expect((await enter(late, totpOf(secret))).status).toBe(422)
    expect((await late.get('/session')).status).toBe(401)
  })

  it('a recovery code works once, also for two at the same time', async () => {
    const { email, recovery_codes } = await memberWithCodes()
    const [code = ''] = recovery_codes
    const browsers = await Promise.all([passwordGiven(email), passwordGiven(email)])
    const answers = await Promise.all(browsers.map((browser) => browser.post('/sign-in/code', { code })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
  })

  it('a recovery code works once', async () => {
    const { email, recovery_codes } = await memberWithCodes()
    const [code = ''] = recovery_codes
    const first = await passwordGiven(email)
    expect((await first.post('/sign-in/code', { code })).status).toBe(200)
    expect((await first.get('/factors')).body.data.session_factor).toBe('recovery_code')
    const second = await passwordGiven(email)
    expect((await second.post('/sign-in/code', { code })).status).toBe(422)
  })

  it('guessing ends with the fifth wrong code, and the password is asked for again', async () => {
    const { email, secret } = await memberWithCodes()
    const browser = await passwordGiven(email)
    for (let i = 0; i < 5; i++) await browser.post('/sign-in/code', { code: '000000' })
    const late = await browser.post('/sign-in/code', { code: await nextCode(secret) })
    expect(late.status).toBe(422)
    expect(late.body.errors.sign_in).toBeDefined()
    expect((await browser.get('/session')).status).toBe(401)
  })

  it('are not asked for in a browser that was trusted, until they are switched off', async () => {
    const { email, secret, browser: own } = await memberWithCodes()
    const browser = await passwordGiven(email)
    await browser.post('/sign-in/code', { code: await nextCode(secret), trust_device: true })
    await browser.post('/sign-out')
    const again = await browser.post('/sign-in', { email, password: PASSWORD })
    expect(again.body.data).toEqual({ needs_code: false })
    expect((await browser.get('/factors')).body.data.session_factor).toBe('trusted_device')
    // The cookie has no effect for another account.
    const other = await memberWithCodes()
    expect((await browser.post('/sign-in', { email: other.email, password: PASSWORD })).body.data.needs_code).toBe(true)
    expect((await own.post('/factors/totp/off', { password: PASSWORD })).status).toBe(200)
    await setUpCodes(own)
    expect((await browser.post('/sign-in', { email, password: PASSWORD })).body.data.needs_code).toBe(true)
  })

  it('are switched off with the password, and recovery codes are replaced', async () => {
    const { browser, email, recovery_codes } = await memberWithCodes()
    expect((await browser.post('/factors/totp/recovery-codes', { password: 'wrong one' })).status).toBe(422)
    const fresh = (await browser.post('/factors/totp/recovery-codes', { password: PASSWORD })).body.data.recovery_codes
    expect(fresh).toHaveLength(10)
    expect(fresh).not.toContain(recovery_codes[0])
    const old = await passwordGiven(email)
    expect((await old.post('/sign-in/code', { code: recovery_codes[0] })).status).toBe(422)
    expect((await browser.post('/factors/totp/off', { password: 'wrong one' })).status).toBe(422)
    expect((await browser.post('/factors/totp/off', { password: PASSWORD })).status).toBe(200)
    expect((await browser.get('/factors')).body.data).toMatchObject({ totp: false, session_factor: null })
    expect((await openBrowser().post('/sign-in', { email, password: PASSWORD })).body.data.needs_code).toBe(false)
  })

  it('the secret and the recovery codes are encrypted in the database', async () => {
    const { id, secret, recovery_codes } = await memberWithCodes()
    const { db } = sharedRuntime().engine
    const { rows } = await db.session.run(`select * from two_factors where user_id = '${id}'`, [])
    const stored = JSON.stringify(rows)
    expect(rows).toHaveLength(1)
    for (const text of [secret, ...recovery_codes]) expect(stored).not.toContain(text)
  })

  it('a changed password leaves them on, and the session as strong as it was', async () => {
    const { browser, email } = await memberWithCodes()
    const next = 'another long password'
    await browser.post('/password', { current_password: PASSWORD, new_password: next })
    expect((await browser.get('/factors')).body.data).toMatchObject({ totp: true, session_factor: 'totp' })
    expect((await openBrowser().post('/sign-in', { email, password: next })).body.data.needs_code).toBe(true)
  })
})
