import { autoFormats } from '@kith/contract/app/formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { type PostOffice, postOffice } from '../../post-office.ts'
import { newWorkspace } from '../../workspace.ts'

/** A red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='

describe('the formats of a user', () => {
  it('are those of the browser until the user chooses others, in every workspace', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'viewer')
    const formats = async () => (await browser.get('/session')).body.data.formats
    expect(await formats()).toEqual(autoFormats)
    const chosen = { numbers: '1.234,5', dates: 'yyyy-mm-dd', hours: '24', first_day: 'monday' }
    expect((await browser.put('/formats', chosen)).body.data).toEqual(chosen)
    expect(await formats()).toEqual(chosen)
    const wrong = await browser.put('/formats', { ...chosen, dates: 'dmy', hours: 24, colour: 'red' })
    expect(Object.keys(wrong.body.errors).toSorted()).toEqual(['colour', 'dates', 'hours'])
    expect(await formats()).toEqual(chosen)
    expect((await openBrowser().put('/formats', chosen)).status).toBe(401)
  })
})

describe('the time zone of a user', () => {
  it('is an IANA name, none until one is sent', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'viewer')
    const zone = async () => (await browser.get('/session')).body.data.time_zone
    expect(await zone()).toBeNull()
    const sent = { time_zone: 'Europe/Berlin' }
    expect((await browser.put('/time-zone', sent)).body.data).toEqual(sent)
    expect(await zone()).toBe('Europe/Berlin')
    const accepted = 'The time_zone must be an IANA name such as Europe/Berlin or UTC.'
    for (const time_zone of ['+01:00', '', 5, null, 'x'.repeat(200)]) {
      const refused = await browser.put('/time-zone', { time_zone })
      expect([refused.status, refused.body.errors]).toEqual([422, { time_zone: [accepted] }])
    }
    const near = await browser.put('/time-zone', { time_zone: 'Europe/Berln' })
    expect(near.body.errors).toEqual({ time_zone: [`${accepted} Did you mean Europe/Berlin?`] })
    expect((await browser.put('/time-zone', { ...sent, zone: 'UTC' })).status).toBe(422)
    expect(await zone()).toBe('Europe/Berlin')
    expect((await openBrowser().put('/time-zone', sent)).status).toBe(401)
  })
})

describe('the picture of a user', () => {
  it('is seen by members of the same workspace, kept by browsers, replaced and removed', async () => {
    const workspace = await newWorkspace()
    const ada = await signedInMember(workspace, 'member')
    const bob = await signedInMember(workspace, 'viewer')
    const pictureOfAda = async (): Promise<string | null> => {
      const { data } = (await bob.browser.get(`/w/${workspace.slug}/members`)).body
      return data.find((member: { id: string }) => member.id === ada.id).picture
    }
    expect(await pictureOfAda()).toBeNull()
    expect((await ada.browser.put('/picture', { data: PNG })).status).toBe(200)
    const path = `/w/${workspace.slug}/pictures/${await pictureOfAda()}`
    const response = await fetch(`${bob.browser.url}/api/app${path}`, { headers: { Cookie: bob.browser.cookie() } })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(PNG)
    const elsewhere = await newWorkspace()
    const stranger = await signedInMember(elsewhere, 'owner')
    expect((await stranger.browser.get(path)).status).toBe(404)
    const theirs = path.replace(workspace.slug, elsewhere.slug)
    expect((await stranger.browser.get(theirs)).status).toBe(404)
    await ada.browser.put('/picture', { data: PNG })
    expect(await pictureOfAda()).not.toBe(path.split('/').at(-1))
    expect((await bob.browser.get(path)).status).toBe(404)
    expect((await ada.browser.delete('/picture')).status).toBe(200)
    expect(await pictureOfAda()).toBeNull()
  })

  it('is a small raster image by its content', async () => {
    const { browser } = await signedInMember(await newWorkspace(), 'viewer')
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>').toString(
      'base64',
    )
    const wide = Buffer.from(PNG, 'base64')
    wide.writeUInt32BE(30_000, 16)
    const large = Buffer.alloc(70_000, 1).toString('base64')
    for (const data of [svg, wide.toString('base64'), large, 'not base64!', '', 7, undefined]) {
      expect(Object.keys((await browser.put('/picture', { data })).body.errors)).toEqual(['data'])
    }
  })
})

describe('the email address of a user', () => {
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

  const lettersTo = (address: string) =>
    post.letters
      .map((letter) => letter.replaceAll('=\n', '').replaceAll('=3D', '='))
      .filter((letter) => letter.includes(`To: ${address}`))

  async function linkTo(address: string): Promise<string> {
    await expect.poll(() => lettersTo(address).length).toBeGreaterThan(0)
    return /confirm-email\?token=([\w-]+)/.exec(lettersTo(address).at(-1) ?? '')?.[1] ?? ''
  }

  it('changes with a link that the new address gets; the old one gets a notice, and sessions stay', async () => {
    const workspace = await own.workspace()
    const ada = await signedInMember(workspace, 'member', own.url)
    const reading = await signedInMember(workspace, 'admin', own.url)
    const email = `new-${ada.email}`
    const change = (sent: object) => ada.browser.post('/email/change', sent)
    expect(Object.keys((await change({ email, password: 'wrong password' })).body.errors)).toEqual(['password'])
    expect(Object.keys((await change({ email })).body.errors)).toEqual(['password'])
    expect(Object.keys((await change({ email: ada.email, password: PASSWORD })).body.errors)).toEqual(['email'])
    expect(Object.keys((await change({ email: 'x', password: PASSWORD })).body.errors)).toEqual(['email'])
    expect((await change({ email: email.toUpperCase(), password: PASSWORD })).status).toBe(200)
    const token = await linkTo(email)
    // A link for a password that the old mailbox gets before the change stops working.
    await openBrowser(own.url).post('/password/forgot', { email: ada.email })
    await expect.poll(() => lettersTo(ada.email).some((letter) => letter.includes('reset-password'))).toBe(true)
    const reset = /reset-password\?token=([\w-]+)/.exec(lettersTo(ada.email).join())?.[1]
    expect((await reading.browser.post('/email/confirm', { token })).status).toBe(422)
    expect((await ada.browser.get('/session')).body.data.user.email).toBe(ada.email)
    expect((await ada.browser.post('/email/confirm', { token })).status).toBe(200)
    expect((await ada.browser.get('/session')).body.data.user).toMatchObject({ email, verified: true })
    expect((await ada.browser.post('/email/confirm', { token })).status).toBe(422)
    await expect.poll(() => lettersTo(ada.email).some((letter) => letter.includes(email))).toBe(true)
    const forgotten = { token: reset, new_password: 'another good password' }
    expect((await openBrowser(own.url).post('/password/reset', forgotten)).status).toBe(422)
    const signIn = async (address: string) =>
      (await openBrowser(own.url).post('/sign-in', { email: address, password: PASSWORD })).status
    expect([await signIn(ada.email), await signIn(email)]).toEqual([422, 200])
    // The workspace is told.
    const { data } = (await reading.browser.get(`/w/${workspace.slug}/audit?resource=members`)).body
    expect(data[0].changes).toMatchObject([{ field: 'email', before: ada.email, after: email }])
  })

  it('that another account has is not taken, and the response does not tell', async () => {
    const workspace = await own.workspace()
    const ada = await signedInMember(workspace, 'member', own.url)
    const bob = await signedInMember(workspace, 'member', own.url)
    expect((await ada.browser.post('/email/change', { email: bob.email, password: PASSWORD })).status).toBe(200)
    await expect.poll(() => lettersTo(bob.email).length).toBe(1)
    expect(lettersTo(bob.email)[0]).not.toContain('token=')
    // Two users want one address: who opens the link first has it.
    const email = `both-${ada.email}`
    for (const { browser } of [ada, bob]) {
      expect((await browser.post('/email/change', { email, password: PASSWORD })).status).toBe(200)
    }
    await expect.poll(() => lettersTo(email).length).toBe(2)
    const tokens = lettersTo(email).map((letter) => /token=([\w-]+)/.exec(letter)?.[1])
    const confirm = async (browser: typeof ada.browser) => {
      const statuses: number[] = []
      for (const token of tokens) statuses.push((await browser.post('/email/confirm', { token })).status)
      return statuses.toSorted()
    }
    expect([await confirm(ada.browser), await confirm(bob.browser)]).toEqual([
      [200, 422],
      [422, 422],
    ])
  })
})

it('without mail the address of a user cannot be changed', async () => {
  const { browser } = await signedInMember(await newWorkspace(), 'member')
  const answer = await browser.post('/email/change', { email: 'new@example.com', password: PASSWORD })
  expect(Object.keys(answer.body.errors)).toEqual(['email'])
})
