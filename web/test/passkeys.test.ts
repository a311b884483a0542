import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { newPage } from './pages.ts'
import { type Visit, visit } from './visit.ts'

/** A device in the browser that confirms everything, with a fingerprint so to speak. */
async function withDevice(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return { cdp, authenticatorId }
}

async function addPasskey({ page, open }: Visit, name: string): Promise<void> {
  await open('/settings/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('list', { name: 'Passkeys' }).getByText(name, { exact: true }).waitFor()
}

describe('passkeys', () => {
  it('are added, renamed, used to sign in, and removed', async () => {
    const visitor = await visit({ ownPage: true })
    const { page, open } = visitor
    await withDevice(page)
    // The virtual device answers the browser's suggestion without being asked, and would sign in before the click.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
    await open('/settings/security')
    await page.getByText('No passkey yet.').waitFor()
    await addPasskey(visitor, 'My laptop')
    await page.getByRole('button', { name: 'More about the passkey My laptop' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Desk')
    await page.getByRole('button', { name: 'Save' }).click()
    const list = page.getByRole('list', { name: 'Passkeys' })
    await list.getByText('Desk', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Ada Lindqvist' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('navigation', { name: 'Workspace' }).waitFor()

    await open('/settings/security')
    await page.getByRole('button', { name: 'More about the passkey Desk' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No passkey yet.').waitFor()
  })

  it.runIf(isLong)('that are cancelled say so', async () => {
    const visitor = await visit({ ownPage: true })
    const { page, open } = visitor
    const { cdp, authenticatorId } = await withDevice(page)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await open('/settings/security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('it was cancelled or took too long').waitFor({ timeout: 90_000 })
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  it.runIf(isLong)('open a workspace that requires a second factor', async () => {
    const visitor = await visit({ ownPage: true })
    const { workspace, page, open, email, password } = visitor
    await withDevice(page)
    await addPasskey(visitor, 'My laptop')
    await open('/settings/workspace')
    await page.getByRole('switch', { name: 'Require a second factor' }).click()
    await page.getByText('Members now need a second factor').first().waitFor()
    // With the password alone the workspace stays closed, and the page says how to go on.
    const other = await newPage()
    await other.goto(`${inject('service').url}/sign-in?next=/${workspace.slug}/companies`)
    await other.getByLabel('Email').fill(email)
    await other.getByRole('textbox', { name: 'Password' }).fill(password)
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.getByRole('heading', { name: 'Use your second factor' }).waitFor()
    await other.getByRole('button', { name: 'Use your passkey' }).waitFor()
    await page.reload()
    await page.getByRole('switch', { name: 'Require a second factor' }).waitFor()
  })
})
