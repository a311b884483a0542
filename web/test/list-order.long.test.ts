import { expect, it } from 'vitest'
import { made } from '../../server/test/records.ts'
import { moveInList } from './drag.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

it('a list is sorted by several keys, each in its direction', async () => {
  const { workspace, page, open } = await visit()
  for (const [name, job_title] of [
    ['Ann', 'Buyer'],
    ['Bea', 'Chef'],
    ['Cleo', 'Buyer'],
  ]) {
    await made(workspace.api, 'people', { name, custom_fields: { job_title } })
  }
  await open('/people')
  const grid = gridOn(page)
  await grid.shows(['Cleo', 'Bea', 'Ann'])
  await page.getByRole('button', { name: 'Sort', exact: true }).click()
  const popover = page.getByRole('dialog', { name: 'Sort' })
  await popover.getByRole('button', { name: 'Sort by' }).click()
  await popover.getByRole('combobox', { name: 'Sort by' }).click()
  await page.getByRole('option', { name: 'Job title' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('custom_fields.job_title')
  await popover.getByRole('button', { name: 'Then by' }).click()
  await grid.shows(['Ann', 'Cleo', 'Bea'])
  await popover.getByRole('combobox', { name: 'Direction of Name' }).click()
  await page.getByRole('option', { name: 'Descending' }).click()
  await grid.shows(['Cleo', 'Ann', 'Bea'])
  expect(new URL(page.url()).searchParams.get('sort')).toBe('custom_fields.job_title,-name')
  // The first key moves below the second one.
  await moveInList(page, 'Job title', { from: 1, to: 2 })
  await grid.shows(['Cleo', 'Bea', 'Ann'])
  await popover.getByRole('button', { name: 'Clear' }).click()
  await popover.getByText('The newest come first.').waitFor()
})

it('a list shows the fields of a related record, in one request, and follows their changes', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  await workspace.field('companies', { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
  const acme = await made(api, 'companies', { name: 'Acme', custom_fields: { tier: 'Gold' } })
  await made(api, 'people', { name: 'Mia', company_id: acme.id })
  await made(api, 'people', { name: 'Noa' })
  await open('/people?sort=name')
  await gridOn(page).shows(['Mia', 'Noa'])
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('switch', { name: 'Company › Tier' }).click()
  await page.keyboard.press('Escape')
  const cell = await gridOn(page).cell('Mia', 'Company › Tier')
  await expect.poll(() => cell.innerText()).toBe('Gold')
  await expect.poll(async () => (await gridOn(page).cell('Noa', 'Company › Tier')).innerText()).toBe('')
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/v1/') && asked.push(request.url()))
  await page.reload()
  await expect.poll(() => cell.innerText()).toBe('Gold')
  expect(asked.filter((url) => url.includes('/companies'))).toEqual([])
  expect(asked.filter((url) => url.includes('/people'))).toHaveLength(1)
  await api.patch(`/companies/${acme.id}`, { custom_fields: { tier: 'Silver' } })
  await expect.poll(() => cell.innerText()).toBe('Silver')
})
