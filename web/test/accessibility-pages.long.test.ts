import { describe, expect, it } from 'vitest'
import { expectAccessible } from './accessibility.ts'
import { visit } from './visit.ts'

const appearances = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 400 },
] as const

describe('in the light theme on a wide screen and in the dark one on a narrow screen axe finds nothing', () => {
  it('on the page of a record and in its editor', async () => {
    const { workspace, page, open } = await visit()
    const company = (await workspace.api.post('/companies', { name: 'Acme' })).body.data.id
    const sent = {
      title: 'Write',
      company_ids: [company],
      custom_fields: { description: '## Why\n\n1. so', due_date: '2026-01-01' },
    }
    const { body } = await workspace.api.post('/tasks', sent)
    await open(`/tasks/${body.data.id}`)
    await page.getByRole('heading', { name: 'Why' }).waitFor()
    await expectAccessible(page, appearances)
    await page.getByRole('button', { name: 'Edit Description' }).press('Enter')
    await page.getByRole('textbox', { name: 'Description' }).waitFor()
    await expectAccessible(page, appearances)
    await open(`/companies/${company}`)
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await page.getByRole('link', { name: 'Write' }).waitFor()
    await expectAccessible(page, appearances)
  })

  it('at home, on a board and in the search', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/opportunities', { name: 'Renewal', custom_fields: { stage: 'Proposal', amount: 1200 } })
    await open('')
    await page.getByRole('img', { name: /Proposal/ }).waitFor()
    await expectAccessible(page, appearances)
    // Nothing of the legend is cut off.
    await page.setViewportSize({ width: 320, height: 568 })
    const legend = page.getByRole('region', { name: 'New records' }).getByRole('listitem').last()
    expect(await legend.evaluate((item) => item.getBoundingClientRect().right)).toBeLessThanOrEqual(304)
    await open('/opportunities?layout=board')
    await page.getByRole('link', { name: 'Renewal' }).waitFor()
    await expectAccessible(page, appearances)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('option', { name: 'Home' }).waitFor()
    await expectAccessible(page, appearances)
  })
})
