import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOperatorLink } from '../../../src/accounts/sign-in/password-links.ts'
import { newUser, openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { type OwnService, ownProcess } from '../../own-service.ts'
import { type PostOffice, postOffice } from '../../post-office.ts'
import { newAuthenticator } from '../../sign-in/authenticator.ts'

let post: PostOffice
let own: OwnService

beforeAll(async () => {
  post = await postOffice()
  own = await ownProcess({ SMTP_URL: post.url, MAIL_FROM: 'Our CRM <crm@example.com>', SIGN_IN_LIMIT_ACCOUNT: '3' })
})

afterAll(async () => {
  await own.stop()
  post.close()
})

/** The text of the one letter to somebody, its soft line breaks taken out. */
async function letterTo(address: string): Promise<string> {
  const mine = () => post.letters.filter((letter) => letter.includes(`To: ${address}`))
  await expect.poll(mine).toHaveLength(1)
  return (mine()[0] ?? '').replaceAll('=\n', '').replaceAll('=3D', '=')
}

describe('with SMTP_URL', () => {
  it('a forgotten password is reset by mail, and the response does not reveal who has an account', async () => {
    const user = await newUser(own.runtime)
    const browser = openBrowser(own.url)
    expect((await browser.get('/start')).body.data.mail).toBe(true)
    const known = await browser.post('/password/forgot', { email: user.email.toUpperCase() })
    const unknown = await browser.post('/password/forgot', { email: 'nobody@example.com' })
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    const letter = await letterTo(user.email)
    expect(letter).toContain('From: Our CRM <crm@example.com>')
    const token = /reset-password\?token=([\w-]+)/.exec(letter)?.[1]
    const reset = await browser.post('/password/reset', { token, new_password: 'another good password' })
    expect(reset.status).toBe(200)
    expect((await browser.post('/sign-in', { email: user.email, password: PASSWORD })).status).toBe(422)
    expect((await browser.post('/sign-in', { email: user.email, password: 'another good password' })).status).toBe(200)
    expect(post.letters.some((one) => one.includes('nobody@example.com'))).toBe(false)
    expect(own.service.output()).not.toContain(token ?? '-')
  })

  it('a reset of the password is told to its user, with the ways to sign in that are left', async () => {
    const user = await signedInMember(await own.workspace(), 'member', own.url)
    const { body } = await user.browser.post('/factors/passkeys/options', {})
    const device = newAuthenticator(own.url.replace('127.0.0.1', 'localhost'))
    const passkey = { name: 'Phone of a thief', response: device.create(body.data) }
    expect((await user.browser.post('/factors/passkeys', passkey)).status).toBe(201)
    const { url } = await createOperatorLink(own.runtime, own.url, user.email)
    const sent = { token: new URL(url).searchParams.get('token'), new_password: 'another good password' }
    expect((await openBrowser(own.url).post('/password/reset', sent)).status).toBe(200)
    const letter = await letterTo(user.email)
    expect(letter).toContain('Subject: The password of your Kith account was reset')
    expect(letter).toMatch(/- the passkey Phone of a thief, added on \d{4}-\d\d-\d\d\n/)
    expect(letter).toContain('kith user reset-two-factor')
    expect(letter).not.toContain('authenticator app')
    expect((await user.browser.get('/session')).status).toBe(401)
  })

  it('the number of mails to one address is limited', async () => {
    const user = await newUser(own.runtime)
    const statuses = []
    for (let i = 0; i < 4; i++)
      statuses.push((await openBrowser(own.url).post('/password/forgot', { email: user.email })).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  it('an invitation is mailed', async () => {
    const workspace = await own.workspace()
    const admin = await signedInMember(workspace, 'admin', own.url)
    const email = `guest-${workspace.slug}@example.com`
    const made = await admin.browser.post(`/w/${workspace.slug}/invitations`, { email, role: 'viewer' })
    expect(made.body.data.mailed).toBe(true)
    expect(await letterTo(email)).toContain(new URL(made.body.data.url).searchParams.get('token'))
  })

  it('an address gets five invitations an hour at most, from all users together', async () => {
    const statuses = []
    for (let n = 0; n < 2; n++) {
      const workspace = await own.workspace()
      const { browser } = await signedInMember(workspace, 'admin', own.url)
      for (const email of ['Many@example.com', 'many@example.com', 'many@example.com']) {
        const made = await browser.post(`/w/${workspace.slug}/invitations`, { email, role: 'viewer' })
        statuses.push(made.status)
        if (made.status === 429)
          expect(made.text).toMatch(/Too many mails were sent to this address: at most 5 an hour/)
      }
      expect((await browser.get(`/w/${workspace.slug}/invitations`)).body.data).toHaveLength(1)
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
  })

  it('a name in a mail does not become a link', async () => {
    const workspace = await own.workspace()
    const { browser } = await signedInMember(workspace, 'owner', own.url)
    const name = 'Visit https://evil.example or www.evil\u3002example'
    expect((await browser.patch(`/w/${workspace.slug}/workspace`, { name })).status).toBe(200)
    const email = `linked-${workspace.slug}@example.com`
    await browser.post(`/w/${workspace.slug}/invitations`, { email, role: 'viewer' })
    const letter = await letterTo(email)
    expect(letter).toContain('Visit https[:]//evil[.]example')
    expect(letter).not.toMatch(/evil\.example|https:\/\/evil/)
    expect(letter).toMatch(/http:\/\/[\w.:]+\/invitation\?token=/)
  })
})
