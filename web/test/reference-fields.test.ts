import { expect, it } from 'vitest'
import { madeResource } from '../../server/test/own-resource.ts'
import { expectAccessible, narrow, wide } from './accessibility.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

it('a reference field is made, filled, filtered by, and seen from the other end', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  await madeResource(workspace, { name: 'Projects', singular: 'Project' })
  await workspace.field('companies', { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
  for (const name of ['Harbour', 'Mill']) await api.post('/projects', { name })
  const acme = (await api.post('/companies', { name: 'Acme', custom_fields: { tier: 'Gold' } })).body.data
  const grid = gridOn(page)

  // The name of the relation in return is suggested. What is refused is told in its place.
  await open('/settings/fields?of=projects')
  await page.getByRole('button', { name: 'New field' }).first().click()
  await page.getByRole('button', { name: /^Record / }).click()
  await page.getByLabel('Name', { exact: true }).fill('Customer')
  await page.getByRole('button', { name: 'Create field' }).click()
  await page.getByText('The target is required for a record field').waitFor()
  await page.getByRole('combobox', { name: 'Refers to' }).click()
  await page.getByRole('option', { name: 'Companies' }).click()
  await expect.poll(() => page.getByLabel('Name there').inputValue()).toBe('Projects')
  await page.getByLabel('Code there').fill('people')
  await page.getByRole('button', { name: 'Create field' }).click()
  await page.getByText('The companies have the name people already.').waitFor()
  await page.getByLabel('Code there').fill('jobs')
  await page.getByRole('button', { name: 'Create field' }).click()
  await page.getByRole('button', { name: 'Customer', exact: true }).click()
  await expect.poll(() => page.getByLabel('Refers to').inputValue()).toBe('Companies')
  await expectAccessible(page, [...wide, ...narrow], 'The form of a reference field')
  await page.getByLabel('Name there').fill('Jobs')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // By keyboard: one that exists, and one that is created here.
  await open('/projects?sort=name&columns=name,custom_fields.customer,custom_fields.customer.custom_fields.tier')
  const edit = async (row: number, name: string) => {
    await page.locator(`[data-row="${row}"][data-column="1"]`).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Choose Customer' }).pressSequentially(name)
  }
  await edit(0, 'Acm')
  await page.getByRole('link', { name: 'Open Acme' }).waitFor()
  await page.keyboard.press('Enter')
  await (await grid.cell('Harbour', 'Customer')).getByRole('link', { name: 'Acme' }).waitFor()
  await (await grid.cell('Harbour', 'Customer › Tier')).getByText('Gold').waitFor()
  await edit(1, 'Zebra')
  await page.getByRole('option', { name: 'Create company “Zebra”' }).waitFor()
  await page.keyboard.press('Enter')
  await (await grid.cell('Mill', 'Customer')).getByRole('link', { name: 'Zebra' }).waitFor()

  // Conditions on the related record, and the record itself.
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Field: Choose a field' }).click()
  await page.getByRole('option', { name: 'Customer', exact: true }).click()
  await page.getByRole('combobox', { name: 'Operator' }).click()
  await page.getByRole('option', { name: 'is a company where' }).click()
  await page.getByRole('button', { name: 'Field: Choose a field' }).click()
  await page.getByRole('option', { name: 'Tier', exact: true }).click()
  await page.getByRole('button', { name: 'Value for Tier: Choose' }).click()
  await page.getByRole('option', { name: 'Gold' }).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('list', { name: 'Active filters' }).getByText('Customer where Tier is Gold').waitFor()
  await grid.shows(['Harbour'])

  // A board by customer, and the lists that "Me" makes for each reader.
  await open('/projects?layout=board')
  const column = (name: RegExp) => page.getByRole('region', { name })
  await column(/^Acme, 1/)
    .getByRole('link', { name: 'Harbour' })
    .waitFor()
  await column(/^Zebra, /)
    .getByRole('button', { name: 'New project in Zebra' })
    .click()
  await page.keyboard.type('Lock')
  await page.keyboard.press('Enter')
  await column(/^Zebra, 2/)
    .getByRole('link', { name: 'Lock' })
    .waitFor()
  await open('/projects')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Field: Choose a field' }).click()
  await page.getByRole('option', { name: 'Created by', exact: true }).click()
  await page.getByRole('button', { name: 'Value for Created by: Choose' }).click()
  await page.getByRole('option', { name: /^Me/ }).first().click()
  await grid.shows(['Lock'])

  // The other end: the tab with its count, a new one, one that exists, and a filter.
  await open(`/companies/${acme.id}`)
  await page.getByRole('tab', { name: 'Jobs 1' }).click()
  await page.getByRole('textbox', { name: 'New project' }).fill('Quay')
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Jobs 2' }).waitFor()
  await page.getByRole('button', { name: 'Link an existing project' }).click()
  await page.getByRole('option', { name: 'Mill' }).click()
  await page.getByRole('tab', { name: 'Jobs 3' }).waitFor()
  await page.getByText('Linked Mill', { exact: true }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  await expect.poll(focused).toBe('Link an existing project')
  await page.getByRole('tab', { name: 'Jobs 3' }).focus()
  await expectAccessible(page, [...wide, ...narrow], 'The tab of an inverse')

  // What is open about a project: the opportunities that name it by a field.
  const inverse = { name: 'Deals' }
  await workspace.field('opportunities', { name: 'Project', type: 'record', target: 'projects', inverse })
  const [mill] = (await api.get('/projects?filter[name][$eq]=Mill')).body.data
  await api.post('/opportunities', { name: 'Crane', custom_fields: { project: mill.id } })
  await open(`/projects/${mill.id}`)
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByRole('region', { name: 'Open opportunities' }).getByRole('link', { name: 'Crane' }).waitFor()

  // Filters and columns by the relation in return.
  const filter = encodeURIComponent(JSON.stringify({ jobs: { name: { $contains: 'mill' } } }))
  await open(`/companies?columns=name,jobs_count&filter=${filter}`)
  await page.getByRole('list', { name: 'Active filters' }).getByText('Jobs where Name contains mill').waitFor()
  await (await grid.cell('Acme', 'Jobs')).getByText('3', { exact: true }).waitFor()
})
