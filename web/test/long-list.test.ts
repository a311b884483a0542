import { describe, expect, it } from 'vitest'
import { loadSample } from '../../server/src/sample/load.ts'
import { visit } from './visit.ts'

const COMPANIES = 2500

describe('a long list', () => {
  it('is walked to its end, drawing only what is in sight', async () => {
    const { workspace, page, open } = await visit()
    const sizes = { companies: COMPANIES, people: 0, opportunities: 0, tasks: 0, notes: 0 }
    await loadSample(await workspace.scope(), { sizes, seed: 1 })
    const { body } = await workspace.api.get('/companies?sort=name&per_page=1&page=2500')
    const last = body.data[0].attributes.name
    await open('/companies?sort=name')
    const grid = page.getByRole('grid', { name: 'Companies' })
    const cell = (row: number) => grid.locator(`[data-row="${row}"][data-column="0"]`)
    await cell(0).waitFor()
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(COMPANIES + 1))

    await cell(0).focus()
    await page.keyboard.press('Control+End')
    await cell(COMPANIES - 1).waitFor()
    expect(await cell(COMPANIES - 1).innerText()).toContain(last)
    expect(await grid.getByRole('row').count()).toBeLessThan(100)
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-row'))).toBe('2499')

    await page.keyboard.press('Space')
    const bar = page.getByRole('toolbar', { name: 'Selected records' })
    await bar.getByRole('button', { name: 'Select the first 1,000' }).click()
    await bar.getByText('1,000 companies selected').waitFor()
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await bar.waitFor({ state: 'hidden' })
  })
})
