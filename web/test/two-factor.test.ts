import type { Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { nextCode } from '../../server/test/sign-in/totp.ts'
import { newPage } from './pages.ts'
import { visit, visitTo } from './visit.ts'

/** From the password to the recovery codes, as the dialogs ask for it. */
async function setUpApp(page: Page, password: string): Promise<{ secret: string; codes: string[] }> {
  await page.getByRole('textbox', { name: 'Your password' }).fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('img', { name: 'The secret as a QR code' }).waitFor()
  const secret = await page.getByRole('region', { name: 'The secret' }).innerText()
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('The code is wrong.').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await nextCode(secret))
  await page.getByRole('button', { name: 'Confirm' }).click()
  const list = page.getByRole('list', { name: 'Recovery codes' })
  await list.waitFor()
  const codes = await list.getByRole('listitem').allInnerTexts()
  expect(codes).toHaveLength(10)
  return { secret, codes }
}

async function givePassword(page: Page, email: string, password: string): Promise<void> {
  await page.goto(`${inject('service').url}/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

describe('an authenticator app', () => {
  it('is set up with the keyboard, asked for at sign-in, and switched off', async () => {
    const { page, open, email, password } = await visit()
    await open('/settings/security')
    await page.getByRole('button', { name: 'Set up' }).focus()
    await page.keyboard.press('Enter')
    const { secret, codes } = await setUpApp(page, password)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe('kith-recovery-codes.txt')
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByRole('region', { name: 'Authenticator app' }).getByText('On', { exact: true }).waitFor()

    const other = await newPage()
    await givePassword(other, email, password)
    await other.getByRole('heading', { name: 'Enter the code' }).waitFor()
    await other.getByLabel('Code', { exact: true }).fill('123')
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.getByText('The code is wrong or was used already.').waitFor()
    await other.getByLabel('Code', { exact: true }).fill(await nextCode(secret))
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.getByRole('navigation', { name: 'Workspace' }).waitFor()

    const third = await newPage()
    await givePassword(third, email, password)
    await third.getByRole('button', { name: 'Use a recovery code' }).click()
    await third.getByLabel('Recovery code').fill(codes[0] ?? '')
    await third.getByRole('checkbox', { name: 'Trust this browser for 30 days' }).click()
    await third.getByRole('button', { name: 'Sign in', exact: true }).click()
    await third.getByRole('navigation', { name: 'Workspace' }).waitFor()
    await third.getByRole('button', { name: 'Ada Lindqvist' }).click()
    await third.getByRole('menuitem', { name: 'Sign out' }).click()
    await third.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
    await givePassword(third, email, password)
    await third.getByRole('navigation', { name: 'Workspace' }).waitFor()

    await page.getByRole('button', { name: 'New recovery codes' }).click()
    await page.getByRole('textbox', { name: 'Your password' }).fill(password)
    await page.getByRole('button', { name: 'Continue' }).click()
    const fresh = page.getByRole('list', { name: 'Recovery codes' })
    await fresh.waitFor()
    expect(await fresh.getByRole('listitem').allInnerTexts()).not.toContain(codes[0])
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('textbox', { name: 'Your password' }).fill('not the password')
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('The password is wrong.').waitFor()
    await page.getByRole('textbox', { name: 'Your password' }).fill(password)
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('button', { name: 'Set up' }).waitFor()
  })

  it.runIf(isLong)('leads members of a workspace that requires it to set it up, then lets them in', async () => {
    const { workspace, page, open, password } = await visit()
    const member = await visitTo(workspace, { role: 'member', name: 'Grace Moss' })
    await member.open('/companies')
    await member.page.getByRole('navigation', { name: 'Workspace' }).waitFor()
    await open('/settings/workspace')
    const rule = page.getByRole('switch', { name: 'Require a second factor' })
    await rule.click()
    await page.getByRole('alert').getByText('Set up a second factor for yourself first').waitFor()
    await open('/settings/security')
    await page.getByRole('button', { name: 'Set up' }).click()
    await setUpApp(page, password)
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await open('/settings/workspace')
    await rule.click()
    await page.getByText('Members now need a second factor').first().waitFor()

    // A page that was open meanwhile is led there by its next request.
    await member.page.getByRole('link', { name: 'People' }).first().click()
    await member.page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
    await member.page.getByRole('button', { name: 'Use an authenticator app' }).click()
    await setUpApp(member.page, member.password)
    await member.page.getByRole('button', { name: 'I have saved them' }).click()
    await member.page.getByRole('navigation', { name: 'Workspace' }).waitFor()
  })
})

describe('the sessions of a member', () => {
  it.runIf(isLong)('are ended on the members page, and the member signs in again', async () => {
    const { workspace, page, open } = await visit()
    const member = await visitTo(workspace, { role: 'member', name: 'Grace Moss' })
    await open('/settings/members')
    await page.getByRole('button', { name: 'More about Grace Moss' }).click()
    await page.getByRole('menuitem', { name: 'End sessions' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'End sessions' }).click()
    await page.getByText('Ended the sessions of Grace Moss').first().waitFor()
    await member.open('/companies')
    await member.page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    await member.page.getByRole('button', { name: 'Sign in again' }).click()
    await member.page.getByLabel('Email').fill(member.email)
    await member.page.getByRole('textbox', { name: 'Password' }).fill(member.password)
    await member.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect.poll(() => new URL(member.page.url()).pathname).toBe(`/${workspace.slug}/companies`)

    await open('/settings/audit?of=sign_ins')
    await page.getByText('signed in').first().waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click()
    expect((await download).suggestedFilename()).toMatch(/^audit-.*\.csv$/)
  })
})
