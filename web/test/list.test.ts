import { describe, expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import type { TestWorkspace } from '../../server/test/workspace.ts'
import { gridOn } from './grid.ts'
import { visit, visitTo } from './visit.ts'

/** Makes companies one after the other, so that their order is known. */
async function addCompanies({ api }: TestWorkspace, names: readonly string[]): Promise<void> {
  for (const name of names) expect((await api.post('/companies', { name })).status).toBe(201)
}

async function namesIn({ api }: TestWorkspace, resource = 'companies'): Promise<string[]> {
  const { body } = await api.get(`/${resource}?sort=name`)
  return body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)
}

describe('a list', () => {
  it('takes new records in place, shows those of others at once, sorts, and finds what is typed', async () => {
    const { workspace, page, open } = await visit()
    const grid = gridOn(page)
    await open('/companies')
    await page.getByRole('heading', { name: 'No companies yet' }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('textbox', { name: 'Name' }).fill('Birch Bank')
    await page.keyboard.press('Enter')
    await grid.shows(['Birch Bank'])
    const { body } = await workspace.api.get('/companies')
    expect(body.data[0].attributes).toMatchObject({ name: 'Birch Bank', creation_source: 'web' })
    await addCompanies(workspace, ['Alder Labs', 'Cedar Bank'])
    // The newest first.
    await grid.shows(['Cedar Bank', 'Alder Labs', 'Birch Bank'])

    const header = page.getByRole('columnheader', { name: 'Name' })
    await header.getByRole('button', { name: 'Name', exact: true }).click()
    await grid.shows(['Alder Labs', 'Birch Bank', 'Cedar Bank'])
    await header.getByRole('button', { name: 'Name', exact: true }).click()
    await grid.shows(['Cedar Bank', 'Birch Bank', 'Alder Labs'])
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending')
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-name')

    await page.keyboard.press('/')
    await page.keyboard.type('bAnK')
    await grid.shows(['Cedar Bank', 'Birch Bank'])
    // Both are in the address.
    await page.reload()
    await grid.shows(['Cedar Bank', 'Birch Bank'])
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await grid.shows(['Cedar Bank', 'Birch Bank', 'Alder Labs'])
  })

  it.runIf(isLong)(
    'finds all words and parts of addresses and numbers, with the filter that "Use in API" shows',
    async () => {
      const { workspace, page, open } = await visit()
      const custom_fields = { emails: ['ada@example.com'], phone_number: ['+49 30 123456'] }
      await workspace.api.post('/people', { name: 'Ada', custom_fields })
      await workspace.api.post('/people', { name: 'Byron' })
      for (const typed of ['ADA@example.com', 'example.com áda', '030 1234']) {
        await open(`/people?q=${encodeURIComponent(typed)}`)
        await gridOn(page).shows(['Ada'])
      }
      await page.getByRole('button', { name: 'Use in API' }).click()
      await page.getByRole('tab', { name: 'Body for /query' }).click()
      const shown = JSON.parse(await page.getByRole('tabpanel').locator('code').first().innerText())
      const { body } = await workspace.api.post('/people/query', shown)
      expect(body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)).toEqual(['Ada'])
      await open('/people?q=ada%20byron')
      await page.getByRole('heading', { name: 'No people match' }).waitFor()
    },
  )

  it.runIf(isLong)('chooses, orders and resizes its columns, and remembers them', async () => {
    const { workspace, page, open } = await visit()
    await addCompanies(workspace, ['Alder'])
    await open('/companies')
    await gridOn(page).shows(['Alder'])
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('switch', { name: 'LinkedIn' }).click()
    await page.getByRole('searchbox', { name: 'Search fields' }).fill('sour')
    await expect.poll(() => page.getByRole('switch').count()).toBe(1)
    await page.getByRole('region', { name: 'Record' }).getByRole('switch', { name: 'Source' }).click()
    await page.keyboard.press('Escape')
    const heads = () =>
      page
        .getByRole('columnheader')
        .allInnerTexts()
        .then((texts) => texts.map((text) => text.trim()).filter(Boolean))
    await expect.poll(heads).toEqual(['Name', 'Account owner', 'Domains', 'ICP', 'Created', 'Source'])
    await page.getByRole('button', { name: 'Options of column Domains' }).click()
    await page.getByRole('menuitem', { name: 'Move left' }).click()
    const edge = page.getByRole('separator', { name: 'Width of column Name' })
    await edge.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => edge.getAttribute('aria-valuenow')).toBe('296')
    await open('/companies')
    await gridOn(page).shows(['Alder'])
    await expect.poll(heads).toEqual(['Name', 'Domains', 'Account owner', 'ICP', 'Created', 'Source'])
    await expect.poll(() => edge.getAttribute('aria-valuenow')).toBe('296')
  })

  it.runIf(isLong)('says what belongs into it while it is empty, and why when it cannot be loaded', async () => {
    const { page, open } = await visit()
    await open('/opportunities')
    await page.getByRole('heading', { name: 'No opportunities yet' }).waitFor()
    await page.route('**/v1/opportunities/query', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body: '{"message":"Server Error"}' }),
    )
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'Server Error' }).waitFor()
    await page.unroute('**/v1/opportunities/query')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'No opportunities yet' }).waitFor()
  })

  it.runIf(isLong)('is a list of two lines on a narrow screen', async () => {
    const { workspace, page, open } = await visit({ width: 400 })
    await addCompanies(workspace, ['Alder'])
    await open('/companies')
    await page.getByRole('list', { name: 'Companies' }).getByRole('link', { name: 'Alder' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400)
    await page.getByRole('button', { name: 'New company' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Birch')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('list', { name: 'Companies' }).getByRole('link', { name: 'Birch' }).waitFor()
  })
})

describe('in a list', () => {
  it.runIf(isLong)('a new record is filled in with the keyboard alone', async () => {
    const { page, open } = await visit()
    await open('/companies')
    await page.getByRole('heading', { name: 'No companies yet' }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('textbox', { name: 'Name' }).fill('Alder')
    await page.keyboard.press('Tab')
    await page.getByRole('option', { name: 'Ada Lindqvist' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('[role="gridcell"]:focus').waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('textbox', { name: 'Domains 1' }).and(page.locator(':focus')).waitFor()
  })

  it.runIf(isLong)('what is required is asked for before a record is created', async () => {
    const { workspace, page, open } = await visit()
    await workspace.field('companies', { name: 'Segment', type: 'text', required: true })
    await open('/companies')
    await page.getByRole('button', { name: 'New company' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Alder')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'Segment' }).waitFor()
    const heads = await page.getByRole('columnheader').allInnerTexts()
    const draft = page.getByRole('row', { name: 'New company' })
    await draft.getByRole('gridcell').nth(heads.indexOf('Segment')).click()
    await page.getByRole('textbox', { name: 'Segment' }).fill('Large')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await gridOn(page).shows(['Alder'])
    const { body } = await workspace.api.get('/companies')
    expect(body.data[0].attributes.custom_fields.segment).toBe('Large')
  })

  it.runIf(isLong)('several are deleted, and brought back', async () => {
    const { workspace, page, open } = await visit()
    await addCompanies(workspace, ['Alder', 'Birch', 'Cedar'])
    await open('/companies')
    await gridOn(page).shows(['Cedar', 'Birch', 'Alder'])
    for (const name of ['Alder', 'Cedar']) {
      await gridOn(page).row(name).hover()
      await page.getByRole('checkbox', { name: `Select ${name}` }).click()
    }
    await page.getByRole('toolbar', { name: 'Selected records' }).getByRole('button', { name: 'Delete' }).click()
    await gridOn(page).shows(['Birch'])
    await expect.poll(() => namesIn(workspace)).toEqual(['Birch'])
    await page.getByRole('button', { name: 'Undo all' }).click()
    await gridOn(page).shows(['Cedar', 'Birch', 'Alder'])
    await expect.poll(() => namesIn(workspace)).toEqual(['Alder', 'Birch', 'Cedar'])
  })
})

it.runIf(isLong)('selected records are merged', async () => {
  const { workspace, page, open } = await visit()
  await addCompanies(workspace, ['Alder', 'Birch', 'Cedar'])
  await open('/companies')
  await gridOn(page).shows(['Cedar', 'Birch', 'Alder'])
  const bar = page.getByRole('toolbar', { name: 'Selected records' })
  for (const name of ['Alder', 'Cedar']) {
    await gridOn(page).row(name).hover()
    await page.getByRole('checkbox', { name: `Select ${name}` }).click()
    if (name === 'Alder') expect(await bar.getByRole('button', { name: 'Merge' }).count()).toBe(0)
  }
  await bar.getByRole('button', { name: 'Merge' }).click()
  await page.getByRole('heading', { name: 'Merge 2 companies' }).waitFor()
  await page.getByRole('button', { name: 'Merge into Alder' }).click()
  await page.getByText('Merged 2 companies into Alder', { exact: true }).waitFor()
  expect(await namesIn(workspace)).toEqual(['Alder', 'Birch'])
  const { body } = await workspace.api.get('/companies?sort=name')
  await open(`/companies/${body.data[0].id}`)
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByText('merged other records into it').waitFor()
})

describe('a saved view', () => {
  it('keeps the list as it is, for oneself or for all', async () => {
    const { workspace, page, open } = await visit()
    await addCompanies(workspace, ['Birch Bank', 'Alder Labs', 'Cedar Bank'])
    await open('/companies?q=bank&sort=name')
    await gridOn(page).shows(['Birch Bank', 'Cedar Bank'])
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save as a new view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Banks')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const link = page.getByRole('navigation').getByRole('link', { name: 'Banks' })
    await link.waitFor()
    // Only one line of the sidebar says where one is.
    const current = page.getByRole('navigation', { name: 'Workspace' }).locator('[aria-current="page"]')
    await expect.poll(() => current.allInnerTexts()).toEqual(['Banks'])
    await expect.poll(() => page.getByRole('main').locator('header').innerText()).toMatch(/^Companies\s+\/\s+Banks/)
    await page.waitForFunction(() => document.title === 'Banks · Kith')
    const other = await visitTo(workspace)
    await other.open('/companies')
    await gridOn(other.page).shows(['Cedar Bank', 'Alder Labs', 'Birch Bank'])
    expect(await other.page.getByRole('link', { name: 'Banks' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Rename or share' }).click()
    await page.getByRole('switch', { name: /Share/ }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await other.page.reload()
    await other.page.getByRole('navigation').getByRole('link', { name: 'Banks' }).click()
    await gridOn(other.page).shows(['Birch Bank', 'Cedar Bank'])

    // A view that could not be deleted stays open.
    const remove = async () => {
      await page.getByRole('button', { name: 'Views' }).click()
      await page.getByRole('menuitem', { name: 'Delete the view' }).click()
    }
    await page.route('**/views/*', (route) => route.abort(), { times: 1 })
    await remove()
    await page.getByText('The service could not be reached.', { exact: true }).waitFor()
    await gridOn(page).shows(['Birch Bank', 'Cedar Bank'])
    await remove()
    await link.waitFor({ state: 'detached' })
    await gridOn(page).shows(['Cedar Bank', 'Alder Labs', 'Birch Bank'])
  })
})
