import { describe, expect, inject, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { expectAccessible, narrow, wide } from './accessibility.ts'
import { gridOn } from './grid.ts'
import { newPage } from './pages.ts'
import { visit } from './visit.ts'

describe('in the light and the dark theme axe finds nothing', () => {
  it.runIf(isLong)('on the sign-in page', async () => {
    const page = await newPage()
    await page.goto(`${inject('service').url}/sign-in`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await expectAccessible(page, wide)
  })

  it.runIf(isLong)('on a list, its filter, its columns and its calls', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const company = await api.post('/companies', { name: 'Alder Labs' })
    await api.post('/people', {
      name: 'Mia Sand',
      company_id: company.body.data.id,
      custom_fields: { emails: ['mia@example.com'], job_title: 'Buyer' },
    })
    await api.post('/opportunities', { name: 'Renewal', custom_fields: { stage: 'Proposal', amount: 1200 } })
    await open('/opportunities')
    await gridOn(page).shows(['Renewal'])
    await expectAccessible(page, wide)
    await open('/people')
    await gridOn(page).shows(['Mia Sand'])
    await expectAccessible(page, wide)
    for (const name of ['Columns', 'Filter', 'Use in API']) {
      await page.getByRole('button', { name }).click()
      await page.getByRole('dialog').waitFor()
      await expectAccessible(page, wide)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
  })

  it('on a list on a narrow screen, and in its navigation', async () => {
    const { workspace, page, open } = await visit({ width: 400 })
    await workspace.api.post('/companies', { name: 'Alder Labs' })
    await open('/companies')
    await page.getByRole('link', { name: 'Alder Labs' }).waitFor()
    for (const appearance of narrow) await expectAccessible(page, [appearance])
    // The toolbar scrolls, and the page does not.
    await page.setViewportSize({ width: 320, height: 568 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'People' }).waitFor()
    for (const appearance of narrow) await expectAccessible(page, [appearance])
  })
})
