import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { visit } from './visit.ts'

/** Puts a tab out of view, or back into it. Without a window all tabs are in view. */
function setVisible(page: Page, visible: boolean): Promise<void> {
  return page.evaluate((visible) => {
    Object.defineProperty(document, 'visibilityState', { value: visible ? 'visible' : 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, visible)
}

it('any number of tabs can be open, and one that comes into view again shows what has changed', async () => {
  const { workspace, page, open } = await visit()
  await workspace.api.post('/companies', { name: 'Alder Labs' })
  await open('/companies')
  const shown = (on: Page, name: string) => on.getByRole('link', { name }).waitFor()
  const tabs = []
  // A browser has six connections to a host.
  for (let count = 0; count < 7; count++) {
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await shown(tab, 'Alder Labs')
    await setVisible(tab, false)
    tabs.push(tab)
  }
  await workspace.api.post('/companies', { name: 'Birch' })
  await shown(page, 'Birch')
  const [first] = tabs
  if (!first) throw new Error('Expected some tabs.')
  expect(await first.getByRole('link', { name: 'Birch' }).count()).toBe(0)
  await setVisible(first, true)
  await shown(first, 'Birch')
})
