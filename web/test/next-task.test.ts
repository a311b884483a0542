import { expect, it } from 'vitest'
import { made } from '../../server/test/records.ts'
import { expectAccessible, narrow, wide } from './accessibility.ts'
import { eventually } from './eventually.ts'
import { visit } from './visit.ts'

it('completing the last open task of an open deal asks for the next, which keeps its links', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const company = await made(api, 'companies', { name: 'Alder Labs' })
  const deal = await made(api, 'opportunities', { name: 'Renewal', custom_fields: { stage: 'Proposal' } })
  await made(api, 'tasks', { title: 'First', opportunity_ids: [deal.id] })
  await made(api, 'tasks', { title: 'Second', opportunity_ids: [deal.id], company_ids: [company.id] })
  await open('/tasks?sort=title')
  const dialog = page.getByRole('dialog', { name: 'What is next?' })
  await page.getByRole('checkbox', { name: 'Complete First' }).click()
  await page.getByText('Completed First', { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Complete Second' }).click()
  await dialog.getByText('“Second” was the last open task of Renewal.').waitFor()
  await expectAccessible(page, [...wide, ...narrow], 'The question for the next task')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })

  // The task stays completed without a next one. Opened and completed again, it asks again.
  await page.getByRole('checkbox', { name: 'Complete Second' }).click()
  await page.getByText('Opened Second', { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Complete Second' }).click()
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Third')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await eventually(async () => {
    const { body } = await api.get('/tasks?filter[title][$eq]=Third&include=opportunities,companies')
    const { relationships } = body.data[0]
    expect(relationships.opportunities.data.map(({ id }: { id: string }) => id)).toEqual([deal.id])
    expect(relationships.companies.data.map(({ id }: { id: string }) => id)).toEqual([company.id])
  })
})
