import { expect, it, onTestFinished } from 'vitest'
import { ownService } from '../../server/test/own-service.ts'
import { postOffice } from '../../server/test/post-office.ts'
import { freePort } from '../../server/test/setup/postgres.ts'
import { expectFitting, narrow, wide } from './accessibility.ts'
import { visit, visitTo } from './visit.ts'

/** A red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='

it('a user has a picture that others see, until it is removed', async () => {
  const { workspace, page, open } = await visit()
  await open('/settings/profile')
  const profile = page.getByRole('region', { name: 'Profile' })
  await profile.getByLabel('Picture').setInputFiles({
    name: 'me.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('no image'),
  })
  await profile.getByText('is not an image').waitFor()
  const buffer = Buffer.from(PNG, 'base64')
  await profile.getByLabel('Picture').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer })
  await profile.locator('img').waitFor()
  const other = await visitTo(workspace, { name: 'Bob' })
  await other.open('/settings/members')
  const row = other.page.getByRole('listitem').filter({ hasText: 'Ada Lindqvist' })
  await expect.poll(() => row.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(256)
  await profile.getByRole('button', { name: 'Remove' }).click()
  await profile.locator('img').waitFor({ state: 'detached' })
})

it('a user chooses formats, which hold everywhere', async () => {
  const { workspace, page, open } = await visit()
  const custom_fields = { amount: 1234.5, close_date: '2026-12-31' }
  await workspace.api.post('/opportunities', { name: 'Renewal', custom_fields })
  await open('/settings/profile')
  const choose = async (label: string, choice: string) => {
    await page.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: choice, exact: true }).click()
  }
  await choose('Numbers', '1.234,5')
  await page.getByText('1.234.567,5').waitFor()
  await choose('Dates', '2026-12-31')
  await choose('First day of the week', 'Sunday')
  await page.getByText(/2026-12-31, /).waitFor()
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  expect(await zone.textContent()).toBe(await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone))
  await choose('Time zone', 'Asia/Tokyo')
  await page.reload()
  await expect.poll(() => zone.textContent()).toBe('Asia/Tokyo')
  await expectFitting(page, [...wide, ...narrow], 'The profile')
  await open('/opportunities')
  const row = page.getByRole('row').filter({ hasText: 'Renewal' })
  await row.getByText('1.234,50').waitFor()
  await row.getByText('2026-12-31').waitFor()
  await open('/opportunities?layout=calendar&day=2026-11-17')
  const days = page.getByRole('region', { name: /2026, / })
  await expect.poll(() => days.first().getAttribute('aria-label')).toMatch(/^Sunday/)
})

it('words are English in every locale, dates are in the format of the reader', async () => {
  const { workspace, page, open } = await visit()
  const input = { name: 'Renewal', custom_fields: { close_date: '2026-12-31' } }
  const { body } = await workspace.api.post('/opportunities', input)
  await open(`/opportunities/${body.data.id}`)
  const storageState = await page.context().storageState()
  const german = await page.context().browser()?.newContext({ locale: 'de-DE', storageState })
  if (!german) throw new Error('The page has no browser.')
  onTestFinished(() => german.close())
  const other = await german.newPage()
  await other.goto(page.url())
  await other.getByRole('region', { name: 'Today' }).waitFor()
  await other.getByText('31. Dez. 2026').first().waitFor()
})

it('a user changes the email address with a link in a mail to the new one', async () => {
  const post = await postOffice()
  const port = await freePort()
  const own = await ownService({ PORT: String(port), APP_URL: `http://127.0.0.1:${port}`, SMTP_URL: post.url })
  const { page, open, email, password } = await visitTo(await own.workspace(), { url: own.url })
  await open('/settings/profile')
  await page.getByRole('button', { name: 'Change the email address' }).click()
  await page.getByLabel('New email address').fill(`new-${email}`)
  await page.getByRole('textbox', { name: 'Your password' }).fill(password)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('We sent a link to').waitFor()
  const mails = () => post.letters.map((letter) => letter.replaceAll('=\n', '').replaceAll('=3D', '='))
  const links = () => mails().flatMap((mail) => /http\S+\/confirm-email\?token=[\w-]+/.exec(mail)?.[0] ?? [])
  await expect.poll(() => links().length).toBe(1)
  await page.goto(links()[0] ?? '')
  await page.getByRole('button', { name: 'This is my address' }).click()
  await page.getByRole('navigation', { name: 'Workspace' }).waitFor()
  await open('/settings/profile')
  await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(`new-${email}`)
  await expect.poll(() => mails().some((mail) => mail.includes(`To: ${email}`))).toBe(true)
  post.close()
  await own.stop()
})
