import { expect, it } from 'vitest'
import { made } from '../../server/test/records.ts'
import { isLong } from '../../server/test/run-length.ts'
import { expectAccessible, wide } from './accessibility.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

it('space shows a record beside the list, J and K move on, and its page keeps the order of the list', async () => {
  const { workspace, page, open } = await visit()
  for (const [name, stage] of [
    ['Alpha', 'Proposal'],
    ['Beta', 'Prospecting'],
    ['Gamma', 'Proposal'],
  ]) {
    await made(workspace.api, 'opportunities', { name, custom_fields: { stage } })
  }
  // By stage: Beta, then Alpha and Gamma.
  await open('/opportunities?sort=name&group_by=custom_fields.stage&footers=custom_fields.amount~sum')
  const grid = gridOn(page)
  await grid.shows(['Beta', 'Alpha', 'Gamma'])
  const peekAt = (name: string) => page.getByRole('region', { name: `Peek at ${name}`, exact: true })
  await page.keyboard.press('j')
  await page.locator('[data-row="1"]:focus').waitFor()
  await page.keyboard.press('Space')
  await peekAt('Beta').getByRole('button', { name: 'Edit Name' }).waitFor()
  // Over the head of the next group.
  await page.keyboard.press('j')
  await peekAt('Alpha').waitFor()
  await page.keyboard.press('ArrowDown')
  await peekAt('Gamma').waitFor()
  await expect.poll(() => peekAt('Gamma').getByRole('button', { name: 'Next record' }).isDisabled()).toBe(true)
  await page.keyboard.press('k')
  await peekAt('Alpha').waitFor()

  await expectAccessible(page, wide)

  // What is edited there is edited in the list.
  await peekAt('Alpha').getByRole('button', { name: 'Edit Name' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Alpine')
  await page.keyboard.press('Enter')
  await grid.shows(['Beta', 'Alpine', 'Gamma'])
  await page.reload()
  await peekAt('Alpine').waitFor()
  // The page takes the order of the list as far as it is loaded.
  await grid.shows(['Beta', 'Alpine', 'Gamma'])

  await peekAt('Alpine').getByRole('link', { name: 'Open the page' }).click()
  await peekAt('Alpine').waitFor({ state: 'detached' })
  const heading = (name: string) => page.getByRole('button', { name: 'Edit Name' }).locator('..').getByText(name)
  await heading('Alpine').waitFor()
  await page.getByRole('button', { name: 'Previous record' }).click()
  await heading('Beta').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Previous record' }).isDisabled()).toBe(true)
  for (const name of ['Alpine', 'Gamma']) {
    // Its neighbours are loaded after the record.
    await expect.poll(() => page.getByRole('button', { name: 'Next record' }).isEnabled()).toBe(true)
    await page.keyboard.press('j')
    await heading(name).waitFor()
  }
  await page.getByRole('main').locator('header').getByRole('link', { name: 'Opportunities' }).click()
  await grid.shows(['Beta', 'Alpine', 'Gamma'])
  await peekAt('Alpine').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: /^Peek/ }).waitFor({ state: 'hidden' })
})

it.runIf(isLong)('a key that comes while the page of a record loads does not lead back to the list', async () => {
  const { workspace, page, open } = await visit()
  for (const name of ['Alder', 'Birch']) await made(workspace.api, 'companies', { name })
  await open('/companies?sort=name')
  await gridOn(page).shows(['Alder', 'Birch'])
  const { promise: loading, resolve: load } = Promise.withResolvers<void>()
  await page.route(/\/assets\/record-page/, async (route) => {
    await loading
    await route.continue()
  })
  await page.keyboard.press('j')
  await page.keyboard.press('Space')
  const peek = page.getByRole('region', { name: 'Peek at Alder', exact: true })
  await peek.getByRole('link', { name: 'Open the page' }).click()
  await page.waitForURL(/\/companies\/\w+$/)
  await page.keyboard.press('j')
  load()
  await peek.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Edit Name' }).locator('..').getByText('Alder').waitFor()
})
