import { expect, it } from 'vitest'
import { ownService } from '../../server/test/own-service.ts'
import { postOffice } from '../../server/test/post-office.ts'
import { freePort } from '../../server/test/setup/postgres.ts'
import { newPage } from './pages.ts'
import { visitTo } from './visit.ts'

it('an address is unverified until it is confirmed by mail, and is shown so', async () => {
  const post = await postOffice()
  const port = await freePort()
  const own = await ownService({ PORT: String(port), APP_URL: `http://127.0.0.1:${port}`, SMTP_URL: post.url })
  const workspace = await own.workspace()
  const { page, open } = await visitTo(workspace, { url: own.url })
  await open('/settings/members')
  const invite = async (email: string) => {
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email (optional)').fill(email)
    await page.getByRole('button', { name: 'Create invitation' }).click()
    return page.getByRole('region', { name: 'The link' }).innerText()
  }
  const link = await invite('grace@example.org')
  expect(await page.getByText('is unverified').count()).toBe(0)
  await page.getByRole('button', { name: 'Done' }).click()

  const guest = await newPage()
  await guest.goto(link)
  await guest.getByLabel('Your name').fill('Grace Moss')
  await guest.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await guest.getByRole('button', { name: 'Join' }).click()
  await guest.getByRole('navigation', { name: 'Workspace' }).waitFor()

  // Members see it, and people who invite the account elsewhere.
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: 'Grace Moss' })
  await row.getByText('Unverified').waitFor()
  const elsewhere = await visitTo(await own.workspace(), { url: own.url })
  await elsewhere.open('/settings/members')
  await elsewhere.page.getByRole('button', { name: 'Invite' }).click()
  await elsewhere.page.getByLabel('Email (optional)').fill('grace@example.org')
  await elsewhere.page.getByRole('button', { name: 'Create invitation' }).click()
  await elsewhere.page.getByRole('alert').filter({ hasText: 'it is unverified' }).waitFor()

  await guest.goto(`${own.url}/${workspace.slug}/settings/profile`)
  await guest.getByRole('button', { name: 'Send the mail again' }).click()
  await guest.getByText('Open the link in the newest mail.').waitFor()
  const mails = () => post.letters.map((letter) => letter.replaceAll('=\n', '').replaceAll('=3D', '='))
  const links = () => mails().flatMap((mail) => /http\S+\/confirm-email\?token=[\w-]+/.exec(mail)?.[0] ?? [])
  await expect.poll(() => links().length).toBe(2)
  await guest.goto(links()[0] ?? '')
  await guest.getByRole('button', { name: 'This is my address' }).click()
  await guest.getByText('was used already or has expired').waitFor()
  await guest.goto(links()[1] ?? '')
  await guest.getByRole('button', { name: 'This is my address' }).click()
  await guest.getByRole('navigation', { name: 'Workspace' }).waitFor()
  await page.reload()
  await row.waitFor()
  expect(await row.getByText('Unverified').count()).toBe(0)
  post.close()
  await own.stop()
})
