import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { madeResource } from '../../server/test/own-resource.ts'
import { inRun, isLong } from '../../server/test/run-length.ts'
import { expectAccessible, expectFitting, narrow, wide } from './accessibility.ts'
import { moveInList } from './drag.ts'
import { eventually } from './eventually.ts'
import { gridOn } from './grid.ts'
import { visit, visitTo } from './visit.ts'

const navigationOn = (page: Page) => page.getByRole('navigation', { name: 'Workspace' })

async function pickMenu(page: Page, button: string | RegExp, item: string): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

it('a resource is made by its name alone, and its records have everything that companies have', async () => {
  const { workspace, page, open } = await visit()
  const other = await visitTo(workspace, { name: 'Grace Hopper' })
  await other.open('/companies')
  const grid = gridOn(page)

  // By keyboard alone.
  await open('/settings/data')
  await page.getByRole('button', { name: 'New resource' }).press('Enter')
  await page.keyboard.type('Projects')
  await page.getByText('One is called Project.').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor()
  await expectAccessible(page, narrow, 'The empty list')
  await page.setViewportSize({ width: 1280, height: 800 })
  await navigationOn(other.page).getByRole('link', { name: 'Projects' }).waitFor()
  await page.keyboard.press('c')
  await page.keyboard.type('Harbour')
  await page.keyboard.press('Enter')
  await grid.shows(['Harbour'])
  await page.locator('[data-row="0"][data-column="1"]').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Choose Owner' }).pressSequentially('Grace')
  await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual([expect.stringContaining('Grace Hopper')])
  await page.keyboard.press('Enter')
  await (await grid.cell('Harbour', 'Owner')).getByText('Grace Hopper').waitFor()

  // A file, into fields that another member makes meanwhile.
  await workspace.field('projects', { name: 'Stage', type: 'select', options: ['Idea', 'Running'] })
  await workspace.field('projects', { name: 'Deadline', type: 'date' })
  await workspace.field('projects', { name: 'Budget', type: 'currency', settings: { currency: 'EUR' } })
  await page.getByRole('columnheader', { name: 'Deadline' }).waitFor()
  await pickMenu(page, /^Views: /, 'Import projects')
  const csv = 'Project,Stage,Deadline,Budget\nMill,Running,2026-03-17,1200\nMill,Idea,2026-03-18,300\n'
  const file = { name: 'projects.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
  await page.getByLabel('File to import').setInputFiles(file)
  await page.getByRole('button', { name: 'Project goes to: Name' }).waitFor()
  await page.getByRole('button', { name: /^Check/ }).click()
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByRole('link', { name: 'Open projects' }).click()
  await grid.shows(['Mill', 'Mill', 'Harbour'])

  // Groups, footers and a filter, as a view that is in the navigation.
  await open('/projects?sort=name&group_by=custom_fields.stage&footers=custom_fields.budget~sum')
  await page.getByRole('gridcell', { name: 'Sum €1,500.00' }).waitFor()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Field: Choose a field' }).click()
  await page.getByRole('option', { name: 'Owner', exact: true }).click()
  await page.getByRole('button', { name: 'Value for Owner: Choose' }).click()
  await page.getByRole('option', { name: /^Grace Hopper/ }).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('list', { name: 'Active filters' }).getByText('Owner is any of Grace Hopper').waitFor()
  await grid.shows(['Harbour'])
  await pickMenu(page, /^Views: /, 'Save as a new view')
  await page.getByRole('textbox', { name: 'Name' }).fill('Of Grace')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await navigationOn(page).getByRole('link', { name: 'Of Grace' }).waitFor()
  await page.getByRole('button', { name: 'Use in API' }).click()
  await page.getByRole('tab', { name: 'TypeScript client' }).click()
  await page.getByText("kith.resource('projects').all(").waitFor()
  await page.keyboard.press('Escape')

  // The board and the calendar.
  await open('/projects?layout=board')
  await page
    .getByRole('region', { name: /^Running, / })
    .getByRole('link', { name: 'Mill' })
    .waitFor()
  await page
    .getByRole('region', { name: /^No stage, / })
    .getByRole('link', { name: 'Harbour' })
    .waitFor()
  await open('/projects?layout=calendar&day=2026-03-17')
  await page
    .getByRole('region', { name: /17 March 2026, 1 project$/ })
    .getByRole('link', { name: 'Mill' })
    .waitFor()
})

it.runIf(isLong)('a record of an own resource is noted on, merged, changed, exported and found', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const grid = gridOn(page)
  await madeResource(workspace, { name: 'Projects', singular: 'Project' })
  await workspace.field('projects', { name: 'Stage', type: 'select', options: ['Idea', 'Running'] })
  await api.post('/projects', { name: 'Harbour', owner_id: workspace.owner.id })
  for (const stage of ['Running', 'Idea']) await api.post('/projects', { name: 'Mill', custom_fields: { stage } })

  // One record: beside the list, and on its page with a note and a task.
  await open('/projects?sort=name')
  await page.locator('[data-row="0"]').first().focus()
  await page.keyboard.press('Space')
  const peek = page.getByRole('region', { name: 'Peek at Harbour' })
  await peek.getByRole('link', { name: 'Open the page' }).click()
  await page.getByRole('textbox', { name: 'Text of the note' }).fill('We begin in May.')
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.getByRole('region', { name: 'Today' }).getByText('We begin in May.').first().waitFor()
  await page.getByRole('tab', { name: 'Tasks' }).click()
  await page.getByRole('textbox', { name: 'New task' }).fill('Find a crane')
  await page.keyboard.press('Enter')
  const task = page.getByRole('tabpanel', { name: 'Tasks' }).getByRole('link', { name: 'Find a crane' })
  await task.waitFor()
  await expectAccessible(page, [...wide, ...narrow], 'The record')
  await task.click()
  await page.getByRole('complementary', { name: 'Details' }).getByRole('link', { name: 'Harbour' }).click()

  // Duplicates, bulk edit, export, the trash and the search.
  await navigationOn(page).getByRole('link', { name: 'Duplicates' }).click()
  await page.getByRole('navigation', { name: 'Resources' }).getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('link', { name: 'Compare and merge the records with Mill' }).click()
  await page.getByRole('button', { name: 'Merge into Mill' }).click()
  await page.getByText('Merged 2 projects into Mill', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Undo the merge into Mill' }).click()
  await page.getByText('1 project restored', { exact: true }).waitFor()
  await open('/projects?sort=name')
  await grid.shows(['Harbour', 'Mill', 'Mill'])
  await page.getByRole('checkbox', { name: 'Select the visible rows' }).click()
  await page.keyboard.press('e')
  await page.getByRole('heading', { name: 'Edit 3 projects' }).waitFor()
  await page.getByRole('combobox', { name: 'Change', exact: true }).click()
  await page.getByRole('option', { name: 'Clear', exact: true }).click()
  await page.getByRole('button', { name: 'Change 3 projects' }).click()
  await page.getByText(/^Changed 1 project$/).waitFor()
  await pickMenu(page, /^Views: /, 'Export this list')
  const [exported] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ])
  expect(exported.suggestedFilename()).toMatch(/^projects-.*\.csv$/)
  await page.getByText('Exported 3 projects.', { exact: true }).waitFor()
  await grid.row('Harbour').getByRole('link').first().click()
  await pickMenu(page, 'More about this project', 'Delete project')
  await grid.shows(['Mill', 'Mill'])
  await open('/settings/trash?of=projects')
  await page.getByRole('button', { name: 'Restore Harbour' }).click()
  await page.getByRole('heading', { name: 'No deleted projects' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('harb')
  await page.getByRole('option', { name: 'Harbour' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Edit Name' }).waitFor()
  expect((await api.get('/projects')).body.meta.total).toBe(3)
})

it('resources are named, put in order, archived, restored and deleted, and every window follows', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const long = 'Very long names of things that nobody should use a'
  await madeResource(workspace, { name: 'Projects', singular: 'Project' })
  await madeResource(workspace, { name: long, singular: 'WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW' })
  const company = (await api.post('/companies', { name: 'Acme' })).body.data.id
  await api.post('/people', { name: 'Ada', company_id: company })
  await api.post('/projects', { name: 'Harbour' })
  const other = await visitTo(workspace, { name: 'Grace Hopper' })
  await other.open('/projects')
  await gridOn(other.page).shows(['Harbour'])

  await open('/settings/data')
  const own = page.getByRole('list', { name: 'Your own resources' })
  await own.getByRole('link', { name: '1 record', exact: true }).waitFor()
  await expectAccessible(page, [...wide, ...narrow], 'The resources')
  await moveInList(page, 'Projects', { from: 1, to: 2 })
  const names = () => navigationOn(page).getByRole('link').allInnerTexts()
  await expect.poll(async () => (await names()).slice(8, 10)).toEqual([long, 'Projects'])

  // A team calls companies accounts: everywhere, while the code stays.
  await page.getByRole('button', { name: 'Companies', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Projects')
  await page.getByRole('textbox', { name: 'Name of one' }).fill('Account')
  await page.getByRole('button', { name: 'Icon: Usual' }).click()
  await page.getByRole('combobox', { name: 'Find an icon' }).fill('hand')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Colour: gray' }).click()
  await page.getByRole('button', { name: 'teal' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The name Projects is taken by the resource projects.').waitFor()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Accounts')
  await page.getByRole('button', { name: 'Save' }).click()
  await navigationOn(other.page).getByRole('link', { name: 'Accounts' }).click()
  await other.page.getByRole('button', { name: 'New account' }).first().waitFor()
  await open('/people')
  await page.getByRole('columnheader', { name: /^Account Options/ }).waitFor()
  await gridOn(page).row('Ada').getByRole('link', { name: 'Acme' }).click()
  await page.getByRole('button', { name: 'More about this account' }).waitFor()
  await pickMenu(page, 'More about this account', 'Delete account')
  await page.getByRole('heading', { name: 'No accounts yet' }).waitFor()
  const text = () => page.locator('body').innerText()
  const places = [
    '/companies',
    '',
    '/duplicates',
    '/people',
    '/tasks',
    '/settings/data',
    '/settings/webhooks?webhook=new',
  ]
  for (const path of places.slice(0, inRun({ short: 2, long: places.length }))) {
    await open(path)
    await navigationOn(page).getByRole('link', { name: 'Accounts' }).waitFor()
    await page.getByRole('main').getByText(/./).first().waitFor()
    await page.waitForLoadState('networkidle')
    expect((await text()).replaceAll(/\bcompanies\n/g, '')).not.toMatch(/compan(y|ies)\b/i)
  }

  // Archived: gone everywhere, and back with everything.
  await other.open('/projects')
  await gridOn(other.page).shows(['Harbour'])
  await open('/settings/data')
  await pickMenu(page, 'More about Projects', 'Archive')
  await page.getByRole('list', { name: 'Archived resources' }).getByText('Projects', { exact: true }).waitFor()
  await other.page.getByText('There is nothing here').waitFor()
  await page.getByRole('button', { name: 'Restore Projects' }).click()
  await gridOn(other.page).shows(['Harbour'])
  await pickMenu(page, 'More about Projects', 'Archive')
  await page.getByRole('button', { name: 'Delete Projects for good' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete for good' }).click()
  await eventually(async () => expect((await api.get('/schema/projects')).status).toBe(404))
  await page.getByRole('list', { name: 'Archived resources' }).waitFor({ state: 'detached' })

  // A long name fits, wherever it is shown.
  await navigationOn(page).getByRole('link', { name: long }).click()
  await page.getByRole('heading', { name: /^No very long names/i }).waitFor()
  await expectFitting(page, [...narrow, ...wide], 'A long name')
})
