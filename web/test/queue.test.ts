import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
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
    expect(sent).toEqual([{ custom_fields: { job_title: 'Buyer' } }, { custom_fields: { job_title: 'Owner' } }])
    const { body } = await workspace.api.get('/people?sort=name')
    const titles = body.data.map(({ attributes }: Stored) => attributes.custom_fields.job_title)
    expect(titles).toEqual(['Buyer', 'Owner'])
  })

  it('to a record that is deleted meanwhile stay in the list, where they can be copied and discarded', async () => {
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
  })
})

describe('a value', () => {
  it('that is refused stays in its editor next to the reason, in a cell and on a page', async () => {
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

  it('that is given up with Escape can be brought back', async () => {
    const { workspace, page, open } = await visit()
    const { body } = await workspace.api.post('/people', { name: 'Alva' })
    await open(`/people/${body.data.id}`)
    await page.getByRole('button', { name: 'Edit Job title' }).click()
    await page.keyboard.type('Buyer')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Undo' }).click()
    const title = page.getByRole('textbox', { name: 'Job title' })
    await expect.poll(() => title.inputValue()).toBe('Buyer')
    await page.reload()
    await page.getByText('Not saved yet.').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Not saved yet.').waitFor({ state: 'detached' })
  })

  it('of a cell that someone else has changed is not overwritten', async () => {
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
})

describe('a new record', () => {
  it('that is half typed is not created by going elsewhere or a reload, and is still there afterwards', async () => {
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
  })

  it('waits for the service, and is created once', async () => {
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
