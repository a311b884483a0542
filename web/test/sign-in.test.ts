import { randomBytes } from 'node:crypto'
import { type APIRequestContext, type Page, request } from 'playwright-core'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { ownService } from '../../server/test/own-service.ts'
import { postOffice } from '../../server/test/post-office.ts'
import { isLong } from '../../server/test/run-length.ts'
import { newPage } from './pages.ts'
import { visit, visitTo } from './visit.ts'

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const headers = { 'X-Kith-App': '1' }

/** Signs in from another device, without a page. */
async function signInElsewhere(email: string, password: string): Promise<APIRequestContext> {
  const device = await request.newContext({ baseURL: inject('service').url })
  onTestFinished(() => device.dispose())
  expect((await device.post('/api/app/sign-in', { headers, data: { email, password } })).ok()).toBe(true)
  return device
}

describe('signing in', () => {
  it('leads back to the address that was wanted, and signing out away from it', async () => {
    const { workspace, email, password } = await visit()
    const { url } = inject('service')
    const page = await newPage()
    await page.goto(`${url}/${workspace.slug}/settings/fields?of=people`)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/sign-in')
    await signIn(page, email, 'not the password')
    await page.getByRole('alert').getByText('or the password is wrong').waitFor()
    await signIn(page, email, password)
    await page.getByRole('button', { name: 'Phone number', exact: true }).waitFor()

    const signOut = async () => {
      await page.getByRole('button', { name: 'Ada Lindqvist' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    await page.route('**/sign-out', (route) => route.abort(), { times: 1 })
    await signOut()
    await page.getByText('You are still signed in: The service could not be reached.', { exact: true }).waitFor()
    await signOut()
    await page.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
    await page.goto(`${url}/${workspace.slug}/companies`)
    await page.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
  })

  it.runIf(isLong)('is limited, and says when to try again', async () => {
    const own = await ownService({ SIGN_IN_LIMIT_ACCOUNT: '2' })
    await own.workspace()
    const page = await newPage()
    await page.goto(`${own.url}/sign-in`)
    const failed = () => page.waitForResponse((response) => response.url().endsWith('/api/app/sign-in'))
    for (const status of [422, 422, 429]) {
      const answer = failed()
      await signIn(page, 'ada@example.com', 'wrong')
      expect((await answer).status()).toBe(status)
    }
    await page
      .getByRole('alert')
      .getByText(/Try again in \d+ (seconds|minutes)\./)
      .waitFor()
    await own.stop()
  })
})

describe('sessions', () => {
  it.runIf(isLong)('are listed, and end one by one or all others at once', async () => {
    const { page, open, email, password } = await visit()
    const others = [await signInElsewhere(email, password), await signInElsewhere(email, password)]
    await open('/settings/security')
    const list = page.getByRole('list', { name: 'Sessions' })
    await expect.poll(() => list.getByRole('listitem').count()).toBe(3)
    await list.getByText('This one').waitFor()
    await list
      .getByRole('button', { name: /^End the session/ })
      .first()
      .click()
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2)
    await page.getByRole('button', { name: 'End all others' }).click()
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1)
    for (const other of others) expect((await other.get('/api/app/session')).status()).toBe(401)
  })

  it.runIf(isLong)('that end elsewhere lead to sign-in, and back', async () => {
    const { workspace, page, open, email, password } = await visit()
    await open('/settings/tokens')
    await page.getByRole('heading', { name: 'No token yet' }).waitFor()
    const other = await signInElsewhere(email, password)
    await other.post('/api/app/sessions/end-others', { headers, data: {} })
    await page.getByRole('link', { name: 'Trash' }).click()
    await page.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
    await signIn(page, email, password)
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/${workspace.slug}/settings/trash`)
  })
})

describe('passwords', () => {
  it.runIf(isLong)('are changed by who knows the current one, and other sessions end', async () => {
    const { page, open, email, password } = await visit()
    const other = await signInElsewhere(email, password)
    await open('/settings/security')
    const fresh = randomBytes(12).toString('hex')
    await page.getByRole('textbox', { name: 'Current password' }).fill('not the one')
    await page.getByRole('textbox', { name: 'New password' }).fill(fresh)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The current password is wrong.').waitFor()
    await page.getByRole('textbox', { name: 'Current password' }).fill(password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The password is changed. Other sessions have ended.', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count()).toBe(1)
    expect((await other.get('/api/app/session')).status()).toBe(401)
    const again = { headers, data: { email, password: fresh } }
    expect((await other.post('/api/app/sign-in', again)).ok()).toBe(true)
  })

  it.runIf(isLong)('are reset by an admin’s link where no mail is sent', async () => {
    const { workspace, page, open } = await visit()
    const member = await visitTo(workspace, { role: 'member', name: 'Grace Moss' })
    const forgetful = await newPage()
    await forgetful.goto(`${inject('service').url}/forgot-password`)
    await forgetful.getByText('This installation sends no mail.').waitFor()

    await open('/settings/members')
    await page.getByRole('button', { name: 'More about Grace Moss' }).click()
    await page.getByRole('menuitem', { name: 'Create a password link' }).click()
    const link = await page.getByRole('region', { name: 'The link' }).innerText()
    await forgetful.goto(link)
    await forgetful.getByRole('textbox', { name: 'New password' }).fill('another horse battery')
    await forgetful.getByRole('button', { name: 'Set the password' }).click()
    await forgetful.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
    await signIn(forgetful, member.email, 'another horse battery')
    await forgetful.getByRole('navigation', { name: 'Workspace' }).waitFor()

    await forgetful.goto(link)
    await forgetful.getByRole('textbox', { name: 'New password' }).fill('a third horse battery')
    await forgetful.getByRole('button', { name: 'Set the password' }).click()
    await forgetful.getByRole('alert').getByText('This link no longer works').waitFor()
  })

  it.runIf(isLong)('are reset by mail where there is some', async () => {
    const post = await postOffice()
    const own = await ownService({ SMTP_URL: post.url, MAIL_FROM: 'crm@example.com' })
    const { email } = await visitTo(await own.workspace(), { url: own.url })
    const page = await newPage()
    await page.goto(`${own.url}/sign-in`)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    // The page before has a field of that name, too.
    await page.getByRole('button', { name: 'Send the link' }).waitFor()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText('a link is on its way').waitFor()
    const letters = () => post.letters.filter((letter) => letter.includes(`To: ${email}`))
    await expect.poll(letters).toHaveLength(1)
    const [token] = /(?<=token=)[\w-]+/.exec((letters()[0] ?? '').replaceAll('=\n', '').replaceAll('=3D', '=')) ?? []
    await page.goto(`${own.url}/reset-password?token=${token}`)
    await page.getByRole('textbox', { name: 'New password' }).fill('another horse battery')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
    await signIn(page, email, 'another horse battery')
    await page.getByRole('navigation', { name: 'Workspace' }).waitFor()
    await own.stop()
    post.close()
  })
})
