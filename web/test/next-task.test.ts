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

it('a task repeats and reminds: set by keyboard, marked in lists, and completing it leads to the next one', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const due_date = '2100-11-14T09:00:00Z'
  const report = await made(api, 'tasks', { title: 'Report', custom_fields: { due_date } })
  const later = page.getByRole('complementary', { name: 'Details' })
  await open(`/tasks/${report.id}`)
  const repeat = later.getByRole('combobox', { name: 'Repeat' })
  await repeat.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'Every weekday' }).waitFor()
  await page.keyboard.type('every weekd')
  await page.keyboard.press('Enter')
  await repeat.getByText('Every weekday').waitFor()
  await repeat.press('Enter')
  await page.getByRole('option', { name: 'Custom…' }).click()
  await later.getByRole('spinbutton', { name: 'Every how many' }).fill('2')
  await later.getByRole('combobox', { name: 'Unit' }).click()
  await page.getByRole('option', { name: 'weeks' }).click()
  await expectAccessible(page, wide, 'The choice of a rule')
  await later.getByRole('spinbutton', { name: 'Every how many' }).press('Enter')
  await repeat.getByText('Every 2 weeks', { exact: true }).waitFor()
  const remind = later.getByRole('combobox', { name: 'Remind me' })
  await remind.click()
  await page.getByRole('option', { name: 'An hour before' }).click()
  await remind.getByText('An hour before').waitFor()

  // The list marks it, and completing it leads to the next one.
  await open('/tasks')
  await page
    .getByRole('row', { name: /Report/ })
    .getByTitle('Repeats')
    .waitFor()
  await page.getByRole('checkbox', { name: 'Complete Report' }).click()
  const told = page.getByText(/^Next: \w{3} .*\. Completed Report$/)
  await told.waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('Undone: Completed Report').first().waitFor()
  await eventually(async () => expect((await api.get('/tasks')).body.meta.total).toBe(1))
  // The list has noticed it, too.
  await page.getByRole('gridcell', { name: '1 task', exact: true }).waitFor()
  await eventually(async () => expect(await page.getByRole('checkbox', { name: 'Complete Report' }).count()).toBe(1))
  await page.getByRole('checkbox', { name: 'Complete Report' }).click()
  await told.waitFor()
  await page.getByRole('link', { name: 'Open', exact: true }).click()
  await repeat.getByText('Every 2 weeks', { exact: true }).waitFor()
  await remind.getByText('An hour before').waitFor()
  expect(page.url()).not.toContain(report.id)
  await open(`/tasks/${report.id}`)
  await later.getByText('Next:').getByRole('link').waitFor()

  // A new task has both from the beginning.
  await open('/tasks?layout=board')
  await page.getByRole('button', { name: 'New task' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New task' })
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Water the plants')
  await dialog.getByRole('combobox', { name: 'Repeat' }).click()
  await page.getByRole('option', { name: 'Every day' }).click()
  await dialog.getByRole('combobox', { name: 'Remind me' }).click()
  await page.getByRole('option', { name: 'At a time…' }).click()
  await dialog.getByLabel('Remind me at').fill('2100-11-14T08:30')
  await dialog.getByRole('button', { name: 'Set', exact: true }).click()
  await expectAccessible(page, [...wide, ...narrow], 'A new task that repeats')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
  const { body } = await api.get('/tasks?filter[title][$eq]=Water the plants')
  await open(`/tasks/${body.data[0].id}`)
  await repeat.getByText('Every day', { exact: true }).waitFor()
  await remind.getByText('2100').waitFor()
})
