import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { removeMember } from '../../server/src/accounts/members.ts'
import { isLong } from '../../server/test/run-length.ts'
import { eventually } from './eventually.ts'
import { gridOn } from './grid.ts'
import { visit, visitTo } from './visit.ts'

const barOn = (page: Page): Locator => page.getByRole('region', { name: 'Unsaved changes' })

/** Lets no change of a record through until it is called, and notes those that come through. */
async function cutOff(page: Page) {
  let isCut = true
  const sent: unknown[] = []
  await page.route('**/v1/**', async (route) => {
    const request = route.request()
    const isChange = request.method() === 'PATCH' || (request.method() === 'POST' && !request.url().includes('query'))
    if (!isChange) return route.continue()
    if (isCut) return route.abort()
    sent.push(request.postDataJSON())
    await route.continue()
  })
  const reconnect = () => {
    isCut = false
  }
  return { sent, reconnect }
}

/** Types a value into a cell and presses Enter. */
async function fill(page: Page, [name, column]: [string, string], value: string): Promise<void> {
  const cell = await gridOn(page).cell(name, column)
  await cell.click()
  await page.getByRole('textbox', { name: column }).fill(value)
  await page.keyboard.press('Enter')
}

describe('changes during an outage', () => {
  it('are shown as not saved, survive a reload, and are sent in order', async () => {
    const { workspace, page, open } = await visit()
    for (const name of ['Alva', 'Bela']) await workspace.api.post('/people', { name })
    await open('/people')
    const { sent, reconnect } = await cutOff(page)
    const grid = gridOn(page)
    await grid.shows(['Bela', 'Alva'])
    await fill(page, ['Alva', 'Job title'], 'Buyer')
    await fill(page, ['Bela', 'Job title'], 'Owner')
    await barOn(page).getByText('2 changes are not saved: The service could not be reached.').waitFor()
    await page.reload()
    await barOn(page).getByText('2 changes are not saved').waitFor()
    await grid.shows(['Bela', 'Alva'])
    await expect.poll(async () => (await grid.cell('Alva', 'Job title')).innerText()).toBe('Buyer')
    await barOn(page).getByRole('button', { name: 'Show' }).click()
    const list = page.getByRole('dialog', { name: 'Unsaved changes' })
    await list.getByText('Job title of Bela').waitFor()
    await list.getByText('Owner', { exact: true }).waitFor()
    await page.keyboard.press('Escape')

    reconnect()
    await barOn(page).waitFor({ state: 'detached' })
    // The bar goes when the first one is stored.
    await eventually(async () => {
      const { body } = await workspace.api.get('/people?sort=name')
      const titles = body.data.map(({ attributes }: Stored) => attributes.custom_fields.job_title)
      expect(titles).toEqual(['Buyer', 'Owner'])
    })
    expect(sent).toEqual([{ custom_fields: { job_title: 'Buyer' } }, { custom_fields: { job_title: 'Owner' } }])
  })

  it.runIf(isLong)(
    'to a record that is deleted meanwhile stay in the list, where they can be copied and discarded',
    async () => {
      const { workspace, page, open } = await visit()
      const { body } = await workspace.api.post('/people', { name: 'Alva' })
      await open('/people')
      const { reconnect } = await cutOff(page)
      await gridOn(page).shows(['Alva'])
      await fill(page, ['Alva', 'Job title'], 'Buyer')
      await barOn(page).waitFor()
      await workspace.api.delete(`/people/${body.data.id}`)
      reconnect()
      await barOn(page).getByText('1 change is not saved.').waitFor()
      await barOn(page).getByRole('button', { name: 'Show' }).click()
      const list = page.getByRole('dialog', { name: 'Unsaved changes' })
      await list.getByText('This record was deleted').waitFor()
      await list.getByText('Buyer', { exact: true }).waitFor()
      await list.getByRole('button', { name: 'Discard' }).click()
      await barOn(page).waitFor({ state: 'detached' })
    },
  )

  it.runIf(isLong)('of a user who is removed from the workspace meanwhile say so', async () => {
    const { workspace, page, open, email } = await visit()
    await workspace.api.post('/people', { name: 'Alva' })
    await open('/people')
    const { reconnect } = await cutOff(page)
    await gridOn(page).shows(['Alva'])
    await fill(page, ['Alva', 'Job title'], 'Buyer')
    await barOn(page).waitFor()
    await removeMember(await workspace.scope(), { email })
    reconnect()
    await page.getByText('You are not a member of this workspace any more').waitFor()
  })

  it.runIf(isLong)('are moves and new cards of a board, completed tasks, links and external ids as well', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const made = async (resource: string, body: object) => (await api.post(`/${resource}`, body)).body.data.id
    const deal = await made('opportunities', { name: 'Deal', custom_fields: { stage: 'Prospecting' } })
    const task = await made('tasks', { title: 'Call', custom_fields: { status: 'To do' } })
    const company = await made('companies', { name: 'Acme' })
    const person = await made('people', { name: 'Alva', company_id: company })
    await open('/opportunities?layout=board')
    const { reconnect } = await cutOff(page)
    const card = page.getByRole('group', { name: 'Move Deal' })
    const columnOn = (label: string) => page.getByRole('region', { name: new RegExp(`^${label}`) })
    await card.focus()
    await page.keyboard.press('Space')
    await page.getByText(/Picked up Deal|Deal is over Prospecting/).waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowRight')
    await page.getByText('Deal is over Qualification.').waitFor({ state: 'attached' })
    await page.keyboard.press('Space')
    await columnOn('Proposal').getByRole('button', { name: 'New opportunity in Proposal' }).click()
    const name = page.getByRole('textbox', { name: 'Name of the new opportunity' })
    await name.fill('Upsell')
    await page.keyboard.press('Enter')
    await columnOn('Proposal').getByRole('alert').getByText('Not saved: The service could not be reached.').waitFor()
    await barOn(page).getByText('2 changes are not saved').waitFor()
    await page.reload()
    await columnOn('Qualification')
      .and(page.locator(':has([aria-busy="true"])'))
      .getByRole('link', { name: 'Deal' })
      .waitFor()
    expect(await card.count()).toBe(1)
    await expect.poll(() => name.inputValue()).toBe('Upsell')

    await open('/tasks')
    await page.getByRole('checkbox', { name: 'Complete Call' }).click()
    await barOn(page).getByText('3 changes are not saved').waitFor()
    await open(`/companies/${company}`)
    await page.getByRole('tab', { name: 'People' }).click()
    await page.getByRole('button', { name: 'Unlink Alva' }).click()
    const ids = page.getByRole('region', { name: 'External ids' })
    await page.getByText('Source and ids').click()
    await ids.getByRole('button', { name: 'Add an external id' }).click()
    await ids.getByRole('textbox', { name: 'System' }).fill('billing')
    await ids.getByRole('textbox', { name: 'Id' }).fill('42')
    await page.keyboard.press('Enter')
    await barOn(page).getByText('5 changes are not saved').waitFor()
    await page.reload()
    await barOn(page).getByText('5 changes are not saved').waitFor()
    await page.getByRole('tab', { name: 'People' }).click()
    await page.getByRole('listitem').and(page.locator('[aria-busy="true"]')).getByText('Alva').waitFor()
    expect(await ids.getByRole('textbox', { name: 'Id' }).inputValue()).toBe('42')

    reconnect()
    await barOn(page).waitFor({ state: 'detached' })
    await ids.getByText('42', { exact: true }).waitFor()
    await page.getByText('No people yet.').waitFor()
    const stored = async (path: string) => (await api.get(path)).body.data.attributes
    expect((await stored(`/opportunities/${deal}`)).custom_fields.stage.label).toBe('Qualification')
    expect((await stored(`/tasks/${task}`)).custom_fields.status.label).toBe('Done')
    expect((await stored(`/people/${person}`)).company_id).toBeNull()
    expect((await stored(`/companies/${company}?include=externalIds`)).external_ids).toEqual({ billing: ['42'] })
    const { data } = (await api.get('/opportunities?filter[name][$eq]=Upsell')).body
    expect(data[0].attributes.custom_fields.stage.label).toBe('Proposal')
  })
})

describe('a value', () => {
  it.runIf(isLong)('that is refused stays in its editor next to the reason, in a cell and on a page', async () => {
    const { workspace, page, open } = await visit()
    const { body } = await workspace.api.post('/opportunities', { name: 'Renewal', custom_fields: { amount: 5 } })
    const path = `/opportunities/${body.data.id}`
    const stored = async () => (await workspace.api.get(path)).body.data.attributes.custom_fields.amount
    await open('/opportunities')
    await gridOn(page).shows(['Renewal'])
    await fill(page, ['Renewal', 'Amount'], 'a lot')
    const amount = page.getByRole('textbox', { name: 'Amount' })
    const refusal = page.getByRole('alert').filter({ hasText: 'number' })
    await refusal.waitFor()
    await expect.poll(() => amount.inputValue()).toBe('a lot')
    expect(await stored()).toBe(5)

    await open(path)
    await page.getByText('Not saved').first().waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await expect.poll(() => amount.inputValue()).toBe('a lot')
    await amount.fill('still a lot')
    await page.keyboard.press('Enter')
    await refusal.waitFor()
    await expect.poll(() => amount.inputValue()).toBe('still a lot')
    await amount.fill('7')
    await page.keyboard.press('Enter')
    await eventually(async () => expect(await stored()).toBe(7))
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })

  it.runIf(isLong)('that is given up with Escape can be brought back', async () => {
    const { workspace, page, open } = await visit()
    const { body } = await workspace.api.post('/people', { name: 'Alva' })
    await open(`/people/${body.data.id}`)
    await page.getByRole('button', { name: 'Edit Job title' }).click()
    await page.keyboard.type('Buyer')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    const title = page.getByRole('textbox', { name: 'Job title' })
    await expect.poll(() => title.inputValue()).toBe('Buyer')
    await page.reload()
    await page.getByText('Not saved yet.').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Not saved yet.').waitFor({ state: 'detached' })
  })

  it.runIf(isLong)('of a cell that someone else has changed is not overwritten', async () => {
    const ada = await visit()
    const { workspace, page } = ada
    const { body } = await workspace.api.post('/people', { name: 'Alva', custom_fields: { job_title: 'First' } })
    const grace = await visitTo(workspace, { name: 'Grace Moss' })
    for (const { open } of [ada, grace]) await open('/people')
    await gridOn(page).shows(['Alva'])
    await gridOn(grace.page).shows(['Alva'])
    const cell = await gridOn(page).cell('Alva', 'Job title')
    await cell.click()
    await page.getByRole('textbox', { name: 'Job title' }).fill('Ada')
    await fill(grace.page, ['Alva', 'Job title'], 'Grace')
    const stored = async () =>
      (await workspace.api.get(`/people/${body.data.id}`)).body.data.attributes.custom_fields.job_title
    await eventually(async () => expect(await stored()).toBe('Grace'))
    await page.keyboard.press('Enter')
    await cell.getByRole('button', { name: 'Compare' }).click()
    const panel = page.getByRole('dialog').getByRole('alert')
    await expect.poll(() => panel.getByRole('textbox', { name: 'Your Job title' }).inputValue()).toBe('Ada')
    await panel.getByText('Grace', { exact: true }).waitFor()
    expect(await stored()).toBe('Grace')
    await panel.getByRole('button', { name: 'Keep yours' }).click()
    await eventually(async () => expect(await stored()).toBe('Ada'))
  })

  it.runIf(isLong)(
    'that one user changes in two tabs is no conflict, nor is another value of the same record',
    async () => {
      const { workspace, page, open } = await visit()
      const { body } = await workspace.api.post('/people', { name: 'Alva' })
      await open('/people')
      await gridOn(page).shows(['Alva'])
      const second = await page.context().newPage()
      await second.goto(page.url())
      await gridOn(second).shows(['Alva'])
      // Both editors are open before one of them is saved.
      await (await gridOn(second).cell('Alva', 'Job title')).click()
      await second.getByRole('textbox', { name: 'Job title' }).waitFor()
      await fill(page, ['Alva', 'Job title'], 'Buyer')
      const stored = async () =>
        (await workspace.api.get(`/people/${body.data.id}`)).body.data.attributes.custom_fields.job_title
      await eventually(async () => expect(await stored()).toBe('Buyer'))
      await expect.poll(() => second.getByRole('textbox', { name: 'Job title' }).inputValue()).toBe('Buyer')
      await second.getByRole('textbox', { name: 'Job title' }).fill('Owner')
      await second.keyboard.press('Enter')
      await eventually(async () => expect(await stored()).toBe('Owner'))
      await fill(page, ['Alva', 'Job title'], 'Chair')
      await eventually(async () => expect(await stored()).toBe('Chair'))
      for (const tab of [page, second]) expect(await tab.getByText('Not saved').count()).toBe(0)
    },
  )
})

describe('a new record', () => {
  it.runIf(isLong)(
    'that is half typed is not created by going elsewhere or a reload, and is still there afterwards',
    async () => {
      const { workspace, page, open } = await visit()
      await open('/people')
      const count = async () => (await workspace.api.get('/people')).body.meta.total
      await page.getByRole('heading', { name: 'No people yet' }).waitFor()
      await page.getByRole('button', { name: 'New person' }).first().click()
      await page.getByRole('textbox', { name: 'Name' }).pressSequentially('Gra')
      await page.getByRole('link', { name: 'Notes' }).click()
      await barOn(page).getByText('1 change is not saved.').waitFor()
      await page.reload()
      await barOn(page).getByRole('button', { name: 'Show' }).click()
      await page.getByRole('dialog').getByText('New person').waitFor()
      await page.getByRole('dialog').getByRole('link', { name: 'Open' }).click()
      const row = page.getByRole('row', { name: 'New person' })
      await row.getByText('Gra', { exact: true }).click()
      expect(await count()).toBe(0)
      await page.getByRole('textbox', { name: 'Name' }).fill('Grace')
      await page.keyboard.press('Enter')
      await gridOn(page).shows(['Grace'])
      await row.waitFor({ state: 'detached' })
      expect(await count()).toBe(1)
    },
  )

  it.runIf(isLong)('waits for the service, and is created once', async () => {
    const { workspace, page, open } = await visit()
    const { body } = await workspace.api.post('/companies', { name: 'Acme' })
    await open(`/companies/${body.data.id}`)
    const { reconnect, sent } = await cutOff(page)
    const line = page.getByRole('textbox', { name: 'New person' })
    await page.getByRole('tab', { name: 'People' }).click()
    await line.fill('Grace')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'Not saved: The service could not be reached.' }).waitFor()
    await page.reload()
    await page.getByRole('tab', { name: 'People' }).click()
    await expect.poll(() => line.inputValue()).toBe('Grace')
    reconnect()
    await page.getByRole('link', { name: 'Grace' }).waitFor()
    await expect.poll(() => line.inputValue()).toBe('')
    expect(sent).toHaveLength(1)
    expect((await workspace.api.get('/people')).body.meta.total).toBe(1)
  })
})

type Stored = { attributes: { custom_fields: Record<string, unknown> } }
