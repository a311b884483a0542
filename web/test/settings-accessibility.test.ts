import { describe, expect, inject, it } from 'vitest'
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

const settings = [
  ['profile', 'Profile and appearance'],
  ['security', 'Password and sign-in'],
  ['workspace', 'General'],
  ['members', 'Members'],
  ['fields', 'Custom fields'],
  ['tokens', 'Access Tokens'],
  ['connections', 'Connections'],
  ['trash', 'Trash'],
  ['audit', 'Audit log'],
] as const

const appearances = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 400 },
] as const

describe('in the light and the dark theme, on wide and narrow screens, axe finds nothing', () => {
  it('on every page of the settings', async () => {
    const { workspace, page, open } = await visit()
    await fill(workspace)
    for (const [name, title] of settings) {
      await open(`/settings/${name}`)
      await page.getByRole('heading', { name: title, exact: true, level: 2 }).waitFor()
      await expect.poll(() => page.locator('.shimmer').count()).toBe(0)
      await expectFitting(page, appearances, name)
    }
  })

  it('in what opens on them', async () => {
    const { workspace, page, open } = await visit()
    await fill(workspace)
    const openings: [page: string, button: string][] = [
      ['fields', 'New field'],
      ['fields', 'Tier'],
      ['fields', 'VAT'],
      ['tokens', 'New token'],
      ['members', 'Invite'],
      ['workspace', 'Delete the workspace'],
    ]
    for (const [name, button] of openings) {
      await open(`/settings/${name}`)
      await page.getByRole('button', { name: button, exact: true }).first().click()
      await page.getByRole('dialog').waitFor()
      await expectAccessible(page, appearances, button)
    }
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
