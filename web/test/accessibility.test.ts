import { describe, expect, inject, it } from 'vitest'
import { accessibilityProblems } from './accessibility.ts'
import { gridOn } from './grid.ts'
import { newContext, visit } from './visit.ts'

describe.each(['light', 'dark'] as const)('in the %s theme axe finds nothing', (theme) => {
  it('on the sign-in page', async () => {
    const page = await (await newContext({ theme })).newPage()
    await page.goto(`${inject('service').url}/sign-in`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  })

  it('on a list, its filter, its columns and its calls', async () => {
    const { workspace, page, open } = await visit({ theme })
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
    expect(await accessibilityProblems(page)).toEqual([])
    await open('/people')
    await gridOn(page).shows(['Mia Sand'])
    expect(await accessibilityProblems(page)).toEqual([])
    for (const name of ['Columns', 'Filter', 'Use in API']) {
      await page.getByRole('button', { name }).click()
      await page.getByRole('dialog').waitFor()
      expect(await accessibilityProblems(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
  })

  it('on a list on a narrow screen, and in its navigation', async () => {
    const { workspace, page, open } = await visit({ theme, width: 400 })
    await workspace.api.post('/companies', { name: 'Alder Labs' })
    await open('/companies')
    await page.getByRole('link', { name: 'Alder Labs' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'People' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  })
})
