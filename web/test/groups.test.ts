import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { made } from '../../server/test/records.ts'
import { isLong } from '../../server/test/run-length.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

/** The heads of groups: their initials, names, numbers and measures. */
function headsOn(page: Page): Promise<string[]> {
  return page
    .getByRole('grid')
    .locator('[role="row"]:has(> [aria-expanded])')
    .allInnerTexts()
    .then((texts) => texts.map((text) => text.split(/\s+/).filter(Boolean).join(' ')))
}

function headOn(page: Page, name: string): Locator {
  return page.locator('[role="row"]:has(> [aria-expanded])').filter({ hasText: name }).getByText(name)
}

async function groupBy(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Group/ }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

async function calculate(page: Page, column: string, measure: string): Promise<void> {
  await page.getByRole('button', { name: `Calculate for column ${column}` }).click()
  await page.getByRole('menuitem', { name: measure, exact: true }).click()
}

it('a list in groups has counts and sums, and its groups open and close', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const acme = await made(api, 'companies', { name: 'Acme' })
  const deals = [
    { name: 'One', company_id: acme.id, custom_fields: { stage: 'Proposal', amount: 100 } },
    { name: 'Two', company_id: acme.id, custom_fields: { stage: 'Prospecting', amount: 20.5 } },
    { name: 'Three', custom_fields: { stage: 'Proposal', amount: 3 } },
    { name: 'Four', custom_fields: { amount: 500 } },
  ]
  for (const deal of deals) await made(api, 'opportunities', deal)
  await open('/opportunities?sort=name')
  const grid = gridOn(page)
  await grid.shows(['Four', 'One', 'Three', 'Two'])

  await calculate(page, 'Amount', 'Sum')
  await page.getByRole('button', { name: 'Sum US$623.50' }).waitFor()
  await calculate(page, 'Company', 'Empty')
  await page.getByRole('button', { name: 'Empty 2' }).waitFor()

  await groupBy(page, 'Stage')
  await grid.shows(['Two', 'One', 'Three', 'Four'])
  await expect
    .poll(() => headsOn(page))
    .toEqual([
      'Prospecting 1 Empty 0 Sum US$20.50',
      'Proposal 2 Empty 1 Sum US$103.00',
      'No stage 1 Empty 1 Sum US$500.00',
    ])
  await headOn(page, 'Proposal').click()
  await grid.shows(['Two', 'Four'])
  await page.reload()
  await grid.shows(['Two', 'Four'])
  // With the keys as well.
  await headOn(page, 'Proposal').click()
  await grid.shows(['Two', 'One', 'Three', 'Four'])
  await page.keyboard.press('Enter')
  await grid.shows(['Two', 'Four'])
  await headOn(page, 'Prospecting').click()
  await grid.shows(['Four'])

  // A row is dragged onto the head of another group, or moved by key.
  await grid.row('Four').hover()
  const grip = grid.row('Four').getByRole('gridcell').first()
  await grip.dragTo(headOn(page, 'Prospecting'))
  await page.getByText('Moved Four to Prospecting').first().waitFor()
  await headOn(page, 'Prospecting').click()
  await grid.shows(['Four', 'Two'])
  await page.locator('[data-row="1"][data-column="1"]').focus()
  await page.keyboard.press('Alt+ArrowDown')
  await page.getByText('Moved Four to Proposal').first().waitFor()
  await page.keyboard.press('ControlOrMeta+z')
  await grid.shows(['Four', 'Two'])

  await groupBy(page, 'Company')
  await grid.shows(['One', 'Two', 'Four', 'Three'])
  await expect
    .poll(() => headsOn(page))
    .toEqual(['A Acme 2 Empty 0 Sum US$120.50', 'No company 2 Empty 2 Sum US$503.00'])
  await made(api, 'opportunities', { name: 'Five', company_id: acme.id })
  await grid.shows(['Five', 'One', 'Two', 'Four', 'Three'])

  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save as a new view' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('By company')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('navigation').getByRole('link', { name: 'By company' }).waitFor()
  await open('/opportunities?sort=name')
  await grid.shows(['Five', 'Four', 'One', 'Three', 'Two'])
  await page.getByRole('navigation').getByRole('link', { name: 'By company' }).click()
  await grid.shows(['Five', 'One', 'Two', 'Four', 'Three'])
  await page.getByRole('button', { name: /^Sum US\$623.50/ }).waitFor()
})

it.runIf(isLong)('the records of a large group are loaded while one scrolls', async () => {
  const { workspace, page, open } = await visit()
  const create = (name: string, company_id: string) => ({ op: 'create', data: { name, company_id } })
  const [first, second] = [
    await made(workspace.api, 'companies', { name: 'First' }),
    await made(workspace.api, 'companies', { name: 'Second' }),
  ]
  const names = Array.from({ length: 250 }, (_, index) => `Person ${String(index).padStart(3, '0')}`)
  const operations = [...names.map((name) => create(name, first.id)), create('Last', second.id)]
  const { status } = await workspace.api.post('/people/batch', { operations })
  expect(status).toBe(200)
  await open('/people?sort=name&group_by=company')
  const grid = gridOn(page)
  await grid.row('Person 000').waitFor()
  await expect.poll(() => headsOn(page)).toEqual(['F First 250'])
  // Keys that come faster than rows are drawn are all counted.
  await headOn(page, 'First').click()
  await headOn(page, 'First').click()
  await grid.row('Person 000').waitFor()
  const keys = [...Array<string>(80).fill('ArrowDown'), 'PageDown', 'PageUp', ...Array<string>(5).fill('ArrowUp')]
  await Promise.all(keys.map((key) => page.keyboard.press(key)))
  await grid.row('Person 074').waitFor()
  await expect.poll(() => page.locator(':focus').getAttribute('data-row')).toBe('75')
  await page.keyboard.press('ControlOrMeta+Home')
  await grid.root.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await grid.row('Last').waitFor()
  await grid.row('Person 249').waitFor()
  await expect.poll(() => headsOn(page)).toEqual(['S Second 1'])
})

it.runIf(isLong)('a list folds the options that a view does not show into one group', async () => {
  const { workspace, page, open } = await visit()
  for (const [name, stage, amount] of [
    ['One', 'Proposal', 1],
    ['Two', 'Closed Won', 20],
    ['Three', 'Closed Lost', 300],
  ] as const) {
    await made(workspace.api, 'opportunities', { name, custom_fields: { stage, amount } })
  }
  await open('/opportunities?sort=name')
  const grid = gridOn(page)
  await grid.shows(['One', 'Three', 'Two'])
  await groupBy(page, 'Stage')
  await grid.shows(['One', 'Two', 'Three'])
  await page.getByRole('button', { name: 'Group: Stage' }).click()
  await page.getByRole('menuitem', { name: 'Closed Won (shown)' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Closed Lost (shown)' }).press('Enter')
  await page.keyboard.press('Escape')
  await grid.shows(['One'])
  const heads = ['Proposal 1 Sum US$1.00', '2 folded: Closed Won, Closed Lost 2 Sum US$320.00']
  await expect.poll(() => headsOn(page)).toEqual(heads)
  await page.reload()
  await expect.poll(() => headsOn(page)).toEqual(heads)
  await headOn(page, '2 folded').click()
  await grid.shows(['One', 'Three', 'Two'])
})
