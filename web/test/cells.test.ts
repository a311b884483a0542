import type { ResourceName } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import type { TestWorkspace } from '../../server/test/workspace.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

async function add({ api }: TestWorkspace, resource: ResourceName, body: object): Promise<string> {
  const made = await api.post(`/${resource}`, body)
  expect(made.status).toBe(201)
  return made.body.data.id
}

async function read({ api }: TestWorkspace, resource: ResourceName, id: string) {
  return (await api.get(`/${resource}/${id}`)).body.data.attributes
}

describe('a cell', () => {
  it('is edited in place: texts, choices, dates, money, switches', async () => {
    const { workspace, page, open } = await visit()
    await workspace.field('opportunities', { name: 'Hot', type: 'toggle' })
    const id = await add(workspace, 'opportunities', { name: 'Renewal' })
    await open('/opportunities')
    const grid = gridOn(page)
    await grid.shows(['Renewal'])

    await (await grid.cell('Renewal', 'Amount')).click()
    await page.getByRole('textbox', { name: 'Amount' }).fill('$1,234.5')
    await page.keyboard.press('Enter')
    await (await grid.cell('Renewal', 'Stage')).click()
    await page.getByRole('combobox').fill('prop')
    await page.getByRole('option', { name: 'Proposal' }).click()
    await (await grid.cell('Renewal', 'Close date')).click()
    await page.getByLabel('Close date', { exact: true }).fill('2026-12-24')
    await page.keyboard.press('Enter')
    await (await grid.cell('Renewal', 'Hot')).click()

    await expect
      .poll(async () => (await read(workspace, 'opportunities', id)).custom_fields)
      .toMatchObject({
        amount: 1234.5,
        stage: { label: 'Proposal' },
        close_date: '2026-12-24',
        hot: true,
      })
    await expect.poll(async () => (await grid.cell('Renewal', 'Amount')).innerText()).toMatch(/1,234\.50/)
    await expect.poll(async () => (await grid.cell('Renewal', 'Close date')).innerText()).toBe('24 Dec 2026')
  })

  it.runIf(isLong)('takes several values, and other records by name', async () => {
    const { workspace, page, open } = await visit()
    const company = await add(workspace, 'companies', { name: 'Alder Labs' })
    await workspace.field('people', { name: 'Labels', type: 'tags-input' })
    const id = await add(workspace, 'people', { name: 'Mia Sand' })
    await open('/people')
    const grid = gridOn(page)
    await grid.shows(['Mia Sand'])
    await (await grid.cell('Mia Sand', 'Emails')).click()
    await page.getByRole('textbox', { name: 'Emails 1' }).fill('mia@example.com')
    await page.getByRole('button', { name: 'Add another' }).click()
    await page.getByRole('textbox', { name: 'Emails 2' }).fill('sand@example.com')
    await page.keyboard.press('Enter')
    await (await grid.cell('Mia Sand', 'Labels')).click()
    await page.keyboard.type('key account')
    await page.keyboard.press('Enter')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.evaluate(() => navigator.clipboard.writeText('partner\r\n\tkey account\r\npress\r\n'))
    await page.keyboard.press('ControlOrMeta+v')
    await page.getByRole('button', { name: 'Remove press' }).waitFor()
    await page.keyboard.press('Enter')
    await (await grid.cell('Mia Sand', 'Company')).click()
    await page.getByRole('combobox').fill('alder')
    await page.getByRole('option', { name: 'Alder Labs' }).click()
    await expect
      .poll(() => read(workspace, 'people', id))
      .toMatchObject({
        company_id: company,
        custom_fields: { emails: ['mia@example.com', 'sand@example.com'], labels: ['key account', 'partner', 'press'] },
      })
    await (await grid.cell('Mia Sand', 'Company')).getByRole('link', { name: 'Alder Labs' }).waitFor()
  })

  it.runIf(isLong)('keeps a refused value in its editor and says why', async () => {
    const { workspace, page, open } = await visit()
    await add(workspace, 'people', { name: 'Mia Sand', custom_fields: { phone_number: '+14155550100' } })
    await open('/people')
    const grid = gridOn(page)
    await grid.shows(['Mia Sand'])
    const cell = await grid.cell('Mia Sand', 'Phone number')
    await cell.hover()
    await cell.getByRole('button', { name: 'Edit Phone number' }).click()
    await page.getByRole('textbox', { name: 'Phone number 1' }).fill('12')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'country code' }).waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Phone number 1' }).inputValue()).toBe('12')
  })

  it('is reached, edited and left with the keyboard alone', async () => {
    const { workspace, page, open } = await visit()
    const first = await add(workspace, 'people', { name: 'Alva', custom_fields: { job_title: 'Buyer' } })
    const second = await add(workspace, 'people', { name: 'Bela' })
    await open('/people')
    await gridOn(page).shows(['Bela', 'Alva'])
    await page.locator('[data-row="0"][data-column="0"]').focus()
    await page.keyboard.press('ArrowDown')
    for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    const title = page.getByRole('textbox', { name: 'Job title' })
    await expect.poll(() => title.inputValue()).toBe('Buyer')
    await page.keyboard.type('Chief Buyer')
    await page.keyboard.press('Escape')
    await title.waitFor({ state: 'hidden' })
    expect((await read(workspace, 'people', first)).custom_fields.job_title).toBe('Buyer')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Owner')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await read(workspace, 'people', second)).custom_fields.job_title).toBe('Owner')
    await page.keyboard.press('x')
    await page.keyboard.press('Delete')
    await gridOn(page).shows(['Alva'])
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('New person').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  })

  it.runIf(isLong)(
    'takes the arrows as soon as the list is open, and Escape cancels in a list of choices',
    async () => {
      const { workspace, page, open } = await visit()
      const { api } = workspace
      await api.post('/schema/people/fields', { name: 'Likes', type: 'tags-input' })
      const { body } = await api.post('/people', { name: 'Alva', custom_fields: { likes: ['tea'] } })
      await open('/people?columns=name~200,custom_fields.likes~200')
      await gridOn(page).shows(['Alva'])
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'Likes' }).fill('coffee')
      await page.keyboard.press('Escape')
      await page.getByText('Discarded what you typed for Likes').first().waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Remove tea' }).waitFor()
      expect(await page.getByRole('button', { name: 'Remove coffee' }).count()).toBe(0)
      await page.getByRole('textbox', { name: 'Likes' }).fill('milk')
      await page.keyboard.press('ControlOrMeta+Enter')
      await expect
        .poll(async () => (await read(workspace, 'people', body.data.id)).custom_fields.likes)
        .toEqual(['tea', 'milk'])
    },
  )

  it.runIf(isLong)('stays with its record and field when someone else adds or deletes others', async () => {
    const { workspace, page, open } = await visit()
    const [first, second] = await Promise.all(['Mia', 'Noa'].map((name) => add(workspace, 'people', { name })))
    await open('/people?sort=name')
    const grid = gridOn(page)
    await grid.shows(['Mia', 'Noa'])
    await (await grid.cell('Noa', 'Job title')).click()
    const title = page.getByRole('textbox', { name: 'Job title' })
    await title.pressSequentially('Buy')
    await add(workspace, 'people', { name: 'Lea' })
    await grid.shows(['Lea', 'Mia', 'Noa'])
    await workspace.api.delete('/schema/people/fields/phone_number')
    await grid.root.getByRole('columnheader', { name: 'Phone number' }).waitFor({ state: 'detached' })
    await page.keyboard.type('er')
    expect(await (await grid.cell('Noa', 'Job title')).getByRole('textbox').inputValue()).toBe('Buyer')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await read(workspace, 'people', second ?? '')).custom_fields.job_title).toBe('Buyer')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await title.pressSequentially('Owner')
    await workspace.api.delete(`/people/${first}`)
    await grid.shows(['Lea', 'Noa'])
    await title.waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Unsaved changes' }).getByText('1 change is not saved.').waitFor()
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => page.locator(':focus').getAttribute('data-row')).toBe('0')
  })
})
