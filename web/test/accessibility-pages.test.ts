import { describe, expect, it } from 'vitest'
import { accessibilityProblems } from './accessibility.ts'
import { visit } from './visit.ts'

describe.each([
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 400 },
] as const)('in the $theme theme, $width px wide, axe finds nothing', (look) => {
  it('on the page of a record and in its editor', async () => {
    const { workspace, page, open } = await visit(look)
    const company = (await workspace.api.post('/companies', { name: 'Acme' })).body.data.id
    const sent = {
      title: 'Write',
      company_ids: [company],
      custom_fields: { description: '## Why\n\n1. so', due_date: '2026-01-01' },
    }
    const { body } = await workspace.api.post('/tasks', sent)
    await open(`/tasks/${body.data.id}`)
    await page.getByRole('heading', { name: 'Why' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Edit Description' }).press('Enter')
    await page.getByRole('textbox', { name: 'Description' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await open(`/companies/${company}`)
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await page.getByRole('link', { name: 'Write' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  })

  it('at home, on a board and in the search', async () => {
    const { workspace, page, open } = await visit(look)
    await workspace.api.post('/opportunities', { name: 'Renewal', custom_fields: { stage: 'Proposal', amount: 1200 } })
    await open('')
    await page.getByRole('img', { name: /Proposal/ }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await open('/opportunities?layout=board')
    await page.getByRole('link', { name: 'Renewal' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('option', { name: 'Home' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  })
})
