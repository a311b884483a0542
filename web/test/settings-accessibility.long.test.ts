import { describe, expect, inject, it } from 'vitest'
import { newReceiver } from '../../server/test/both/webhooks/receiver.ts'
import type { TestWorkspace } from '../../server/test/workspace.ts'
import { expectAccessible, expectFitting } from './accessibility.ts'
import { newPage } from './pages.ts'
import { visit } from './visit.ts'

const LONG = `${'A name that goes on and on '.repeat(9)}مرحبا`

/** Something to show on every page. */
async function fill(workspace: TestWorkspace): Promise<void> {
  const { api } = workspace
  const { code } = await workspace.field('companies', { name: 'VAT', type: 'text', required: false })
  await workspace.field('companies', { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
  for (const name of [LONG, 'Birch']) await api.post('/companies', { name, custom_fields: { [code]: 'DE 1' } })
  const gone = await api.post('/companies', { name: LONG })
  await api.delete(`/companies/${gone.body.data.id}`)
  await workspace.updateField('companies', code, { unique: true })
}

/** Each page of the settings, its title, and the buttons that open a dialog on it. */
const settings: [page: string, title: string, ...buttons: string[]][] = [
  ['profile', 'Profile and appearance'],
  ['security', 'Password and sign-in'],
  ['workspace', 'General', 'Delete the workspace'],
  ['members', 'Members', 'Invite'],
  ['fields', 'Custom fields', 'New field', 'Tier', 'VAT'],
  ['tokens', 'Access Tokens', 'New token'],
  ['connections', 'Connections'],
  ['webhooks', 'Webhooks'],
  ['imports', 'Imports'],
  ['trash', 'Trash'],
  ['audit', 'Audit log'],
]

const appearances = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 400 },
] as const

describe('in the light and the dark theme, on wide and narrow screens, axe finds nothing', () => {
  it('on every page of the settings, and in what opens on them', async () => {
    const { workspace, page, open } = await visit()
    await fill(workspace)
    await open('/settings')
    for (const [name, title, ...buttons] of settings) {
      // A link keeps the application and axe loaded, so this is cheaper than opening each address.
      await page.getByRole('navigation', { name: 'Settings' }).locator(`a[href$="/settings/${name}"]`).click()
      await page.getByRole('heading', { name: title, exact: true, level: 2 }).waitFor()
      await expect.poll(() => page.locator('.shimmer').count()).toBe(0)
      await expectFitting(page, appearances, name)
      for (const button of buttons) {
        await page.getByRole('button', { name: button, exact: true }).first().click()
        await page.getByRole('dialog').waitFor()
        await expectAccessible(page, appearances, button)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
      }
    }
  })

  it('on a webhook that fails, its form, its log and its dialogs', async () => {
    const receiver = await newReceiver()
    receiver.answer((_received, response) => response.writeHead(500).end('{"why": "down"}'))
    const { workspace, page, open } = await visit()
    const url = `${receiver.url}?${'a-long-name-'.repeat(40)}`
    await workspace.api.post('/webhooks', { url, types: ['*'], description: LONG })
    await workspace.api.post('/companies', { name: 'Alder' })
    await open('/settings/webhooks')
    await page.getByText('Last failure').waitFor()
    await expectFitting(page, appearances, 'list')
    await page.getByRole('link', { name: url }).click()
    await page.getByRole('region', { name: 'State' }).getByText('The receiver returned 500.').waitFor()
    await expectFitting(page, appearances, 'page')
    await page.getByRole('list', { name: 'Deliveries' }).getByRole('link').first().click()
    await page.getByRole('dialog').getByText('Try 1', { exact: true }).waitFor()
    await expectAccessible(page, appearances, 'delivery')
    await page.keyboard.press('Escape')
    for (const item of ['Rotate the secret', 'Edit']) {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: item }).click()
      if (item === 'Edit') break
      await page.getByRole('dialog').waitFor()
      await expectAccessible(page, appearances, item)
      await page.keyboard.press('Escape')
    }
    await page.getByRole('radio', { name: 'Chosen events' }).click()
    await page.getByRole('checkbox', { name: 'Companies' }).click()
    await expectFitting(page, appearances, 'form')
  })

  it('on the duplicates, and where they are merged', async () => {
    const { workspace, page, open } = await visit()
    await fill(workspace)
    await open('/duplicates')
    await page.getByRole('link', { name: /^Compare and merge/ }).waitFor()
    await expectFitting(page, appearances)
    await page.getByRole('link', { name: /^Compare and merge/ }).click()
    await page.getByText('No other records refer to them.').waitFor()
    await expectFitting(page, appearances)
  })

  it('at the entrances', async () => {
    const page = await newPage()
    const { url } = inject('service')
    const entrances: [address: string, title: string][] = [
      ['/forgot-password', 'Forgot your password?'],
      ['/reset-password?token=x', 'Choose a new password'],
      ['/invitation?token=x', 'This link does not work'],
      ['/set-up', 'Kith is set up'],
      ['/new-workspace', 'Create a workspace'],
    ]
    for (const [address, title] of entrances) {
      await page.goto(`${url}${address}`)
      await page.getByRole('heading', { name: title }).waitFor()
      await expectFitting(page, appearances, address)
    }
  })
})
