import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { loadSample } from '../../server/src/sample/load.ts'
import type { Api } from '../../server/test/api.ts'
import { isLong } from '../../server/test/run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../server/test/workspace.ts'
import { gridOn } from './grid.ts'
import { visit, visitTo } from './visit.ts'

const COMPANIES = 230

async function filled(): Promise<TestWorkspace> {
  const workspace = await newWorkspace()
  await loadSample(await workspace.scope(), { sizes: { companies: COMPANIES }, seed: 1 })
  return workspace
}

/** All companies by id, without the time of the last change. */
async function companiesIn(api: Api): Promise<Record<string, unknown>> {
  const pages = await Promise.all([1, 2, 3].map((page) => api.get(`/companies?per_page=100&page=${page}`)))
  const records = pages.flatMap(({ body }) => body.data)
  return Object.fromEntries(
    records.map(({ id, attributes: { updated_at: _, ...attributes } }: Shown) => [id, attributes]),
  )
}

type Shown = { id: string; attributes: Record<string, unknown> }

async function selectAll(page: Page, total: number): Promise<void> {
  const cell = page.locator('[data-row="0"][data-column="0"]')
  await cell.waitFor()
  await cell.focus()
  await page.keyboard.press('x')
  const bar = page.getByRole('toolbar', { name: 'Selected records' })
  await bar.getByRole('button', { name: `Select all ${total}` }).click()
  await bar.getByText(`${total} companies selected`, { exact: true }).waitFor()
}

const panelOn = (page: Page) => page.getByRole('region', { name: 'Change of many records' })

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

const SEARCH_MS = 5000

/** The list takes keys when one of its options has the focus. It forgets what is typed too slowly. */
async function chooseByKeyboard(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).press('Enter')
  await page.locator('[role="option"]:focus').waitFor()
  const found = page.getByRole('option', { name: option, exact: true }).and(page.locator(':focus'))
  const isFound = () =>
    found.waitFor({ timeout: SEARCH_MS }).then(
      () => true,
      () => false,
    )
  do await page.keyboard.type(option)
  while (!(await isFound()))
  await page.keyboard.press('Enter')
}

describe('Bulk edit', () => {
  it('changes all matching records, shows the same batch for the API, and undo restores each of them', async () => {
    const workspace = await filled()
    const { page, open } = await visitTo(workspace)
    const before = await companiesIn(workspace.api)
    await open('/companies')
    await selectAll(page, COMPANIES)
    // One of them is not to be changed.
    await page.locator('[data-row="1"][data-column="0"]').focus()
    await page.keyboard.press('x')
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'Edit 229 companies' }).waitFor()
    // Every company of the sample has one.
    await choose(page, 'Field', 'Domains')
    await choose(page, 'Change', 'Clear')
    await page.getByRole('button', { name: 'Use in API' }).last().click()
    const shown = page.getByRole('dialog').filter({ hasText: 'The batch that makes the same change.' })
    await shown.getByText('custom_fields: { domains: null }').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change 229 companies' }).click()
    const panel = panelOn(page)
    await panel.getByText(/^Changed 229 companies$/).waitFor()
    const others = await workspace.api.get('/companies?filter[custom_fields][domains][$is_empty]=false')
    expect(others.body.meta.total).toBe(1)
    await panel.getByRole('button', { name: 'Undo all' }).click()
    await panel.getByText(/^Undone for 229 companies$/).waitFor()
    expect(await companiesIn(workspace.api)).toEqual(before)
    await panel.getByRole('button', { name: 'Dismiss' }).click()
    await panel.waitFor({ state: 'detached' })
  })

  it.runIf(isLong)('takes its keys also after a tick with the mouse, and Ctrl-Z takes back each deletion', async () => {
    const workspace = await newWorkspace()
    for (const name of ['Alder', 'Birch']) await workspace.api.post('/companies', { name })
    const { page, open } = await visitTo(workspace)
    await open('/companies')
    await page.getByRole('checkbox', { name: 'Select Alder' }).click()
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Edit 1 company' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select Birch' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('toolbar', { name: 'Selected records' }).waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select Birch' }).click()
    await page.keyboard.press('Delete')
    await panelOn(page)
      .getByText(/^Deleted 1 company$/)
      .waitFor()
    await page.getByRole('checkbox', { name: 'Select Alder' }).click()
    await page.keyboard.press('Delete')
    await page.getByRole('heading', { name: 'No companies yet' }).waitFor()
    // Each key takes back one deletion, the latest first, also after the panel tells the next one.
    for (const names of [['Alder'], ['Birch', 'Alder']]) {
      await page.keyboard.press('ControlOrMeta+z')
      await gridOn(page).shows(names)
      await panelOn(page)
        .getByText(/^Restored 1 company$/)
        .waitFor()
    }
  })

  it.runIf(isLong)(
    'takes a range from the record that was ticked last, also after others have come before it',
    async () => {
      const { workspace, page, open } = await visit()
      const add = (name: string) => workspace.api.post('/companies', { name })
      const { body } = await add('Birch')
      for (const name of ['Cedar', 'Elm', 'Fir']) await add(name)
      await open('/companies?sort=name')
      const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
      const selected = async () => {
        const rows = await page.getByRole('row', { selected: true }).getByRole('link').allInnerTexts()
        return rows.map((text) => text.split('\n').at(-1))
      }
      await box('Cedar').click()
      await add('Alder')
      await gridOn(page).shows(['Alder', 'Birch', 'Cedar', 'Elm', 'Fir'])
      await box('Elm').click({ modifiers: ['Shift'] })
      expect(await selected()).toEqual(['Cedar', 'Elm'])
      await workspace.api.delete(`/companies/${body.data.id}`)
      await gridOn(page).shows(['Alder', 'Cedar', 'Elm', 'Fir'])
      await box('Fir').click({ modifiers: ['Shift'] })
      expect(await selected()).toEqual(['Cedar', 'Elm', 'Fir'])
    },
  )

  it.runIf(isLong)('stays open when someone else deletes the chosen field', async () => {
    const { workspace, page, open } = await visit()
    const { code } = await workspace.field('companies', { name: 'Height', type: 'text' })
    await workspace.api.post('/companies', { name: 'Alder' })
    await open('/companies')
    await page.getByRole('checkbox', { name: 'Select Alder' }).click()
    await page.keyboard.press('e')
    const field = page.getByRole('dialog').getByRole('combobox', { name: 'Field' })
    await field.click()
    await page.getByRole('option', { name: 'Height' }).click()
    await page.getByRole('combobox', { name: 'Change' }).click()
    await page.getByRole('option', { name: 'Clear' }).click()
    await workspace.api.delete(`/schema/companies/fields/${code}`)
    await field.getByText('Account owner').waitFor()
    // Nothing of another field is cleared by mistake.
    expect(await page.getByRole('button', { name: 'Change 1 company' }).isDisabled()).toBe(true)
  })

  it.runIf(isLong)('adds to and removes from a list by keyboard alone', async () => {
    const workspace = await newWorkspace()
    await workspace.field('companies', { name: 'Labels', type: 'tags-input' })
    await workspace.api.post('/companies', { name: 'Alder', custom_fields: { labels: ['beta'] } })
    await workspace.api.post('/companies', { name: 'Birch' })
    const { page, open } = await visitTo(workspace)
    await open('/companies')
    await selectAll(page, 2)
    for (const [op, expected] of [
      ['Add', [['beta', 'VIP'], ['VIP']]],
      ['Remove', [['beta'], []]],
    ] as const) {
      await page.keyboard.press('e')
      await chooseByKeyboard(page, 'Field', 'Labels')
      await chooseByKeyboard(page, 'Change', op)
      await page.getByRole('button', { name: 'Edit Labels' }).press('Enter')
      await page.keyboard.type('VIP')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Change 2 companies' }).press('Enter')
      await panelOn(page).getByText('Changed 2 companies').waitFor()
      await page.getByRole('toolbar', { name: 'Selected records' }).waitFor({ state: 'hidden' })
      const { body } = await workspace.api.get('/companies?sort=name')
      expect(
        body.data.map(({ attributes }: Shown) => (attributes.custom_fields as Record<string, unknown>).labels),
      ).toEqual(expected)
      // The panel of the first change must not be taken for that of the second.
      await panelOn(page).getByRole('button', { name: 'Dismiss' }).press('Enter')
      await panelOn(page).waitFor({ state: 'detached' })
      if (op === 'Add') await selectAll(page, 2)
    }
  })

  it.runIf(isLong)(
    'goes on after a request that fails, with the same key, and undo restores what it deleted',
    async () => {
      const workspace = await filled()
      const { page, open } = await visitTo(workspace)
      const before = await companiesIn(workspace.api)
      const keys: string[] = []
      const failureSeen = Promise.withResolvers<void>()
      await page.route('**/bulk/delete', async (route) => {
        keys.push(route.request().postDataJSON().key)
        // The service does the work, but the answer is lost.
        if (keys.length === 1) {
          await route.fetch()
          return route.abort()
        }
        await failureSeen.promise
        return route.continue()
      })
      await open('/companies')
      await selectAll(page, COMPANIES)
      await page.keyboard.press('Delete')
      await page.getByRole('heading', { name: 'Delete 230 companies?' }).waitFor()
      await page.getByRole('button', { name: 'Delete 230' }).click()
      const panel = panelOn(page)
      await panel.getByText('The service does not answer. Trying again; nothing is lost.').waitFor()
      failureSeen.resolve()
      await panel.getByText('Deleted 230 companies', { exact: true }).waitFor()
      expect(keys[1]).toBe(keys[0])
      expect(new Set(keys).size).toBe(3)
      expect((await workspace.api.get('/companies')).body.meta.total).toBe(0)
      await panel.getByRole('button', { name: 'Undo all' }).click()
      await panel.getByText('Restored 230 companies', { exact: true }).waitFor()
      expect(await companiesIn(workspace.api)).toEqual(before)
    },
  )

  it.runIf(isLong)('is cancelled while the service is stopped, and goes on after a refusal', async () => {
    const workspace = await filled()
    const { page, open } = await visitTo(workspace)
    let asked = 0
    await page.route('**/bulk/edit', (route) => {
      asked += 1
      if (asked === 2) return route.fulfill({ status: 403, json: { message: 'Your role does not allow this.' } })
      return asked >= 4 ? route.abort() : route.continue()
    })
    await open('/companies')
    await selectAll(page, COMPANIES)
    await page.keyboard.press('e')
    await choose(page, 'Field', 'ICP')
    await choose(page, 'Change', 'Clear')
    await page.getByRole('button', { name: 'Change 230 companies' }).click()
    const panel = panelOn(page)
    await panel.getByText(/^Stopped\. Changed \d+ companies$/).waitFor()
    await panel.getByText('Your role does not allow this.').waitFor()
    await panel.getByRole('button', { name: 'Try again' }).click()
    await panel.getByText('The service does not answer.').waitFor()
    await panel.getByRole('button', { name: 'Cancel' }).click()
    await panel.getByText(/^Cancelled\. Changed \d+ companies$/).waitFor()
    expect(asked).toBeGreaterThanOrEqual(4)
  })
})

describe('A table that is pasted into a list', () => {
  it('is shown with its problems, survives a reload, and its rows are created and undone as one', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const company_id = (await api.post('/companies', { name: 'Acme' })).body.data.id
    await api.post('/people', { name: 'Held', custom_fields: { emails: ['held@example.com'] } })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open('/people')
    await gridOn(page).shows(['Held'])
    const rows = [
      'Full name\tCompany\tEmail\tShoe size',
      'Ada\tacme\tada@example.com\t38',
      'Grace\t\t\t',
      'Lost\tNowhere\t\t',
      'Twin\t\theld@example.com\t',
    ]
    await page.evaluate((text) => navigator.clipboard.writeText(text), rows.join('\n'))
    // A field takes a pasted text for itself.
    await page.getByRole('searchbox', { name: 'Search' }).or(page.getByPlaceholder('Search')).first().focus()
    await page.keyboard.press('ControlOrMeta+v')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Backspace')
    await page.locator('[data-row="0"][data-column="0"]').focus()
    await page.keyboard.press('ControlOrMeta+v')
    const dialog = page.getByRole('dialog', { name: 'Create people from the pasted table' })
    await dialog.getByText('Nothing is called “Nowhere”.').waitFor()
    await page.reload()
    await dialog.getByRole('button', { name: 'Create 3 people' }).click()
    // What only the service could find is told in its row.
    const twin = dialog.getByRole('row', { name: /Twin/ })
    await twin.getByText('is already taken').waitFor()
    await dialog.getByRole('button', { name: 'Discard' }).click()
    const panel = panelOn(page)
    await panel.getByText('Created 2 people').waitFor()
    const people = async () => (await api.get('/people?sort=name&include=company')).body.data
    const [ada, grace] = await people()
    expect([ada.attributes.name, ada.attributes.company_id, grace.attributes.name]).toEqual([
      'Ada',
      company_id,
      'Grace',
    ])
    await panel.getByRole('button', { name: 'Undo all' }).click()
    await panel.getByText('Deleted 2 people').waitFor()
    expect(await people()).toHaveLength(1)
    await gridOn(page).shows(['Held'])
  })
})
