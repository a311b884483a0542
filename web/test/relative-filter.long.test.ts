import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { made } from '../../server/test/records.ts'
import { gridOn } from './grid.ts'
import { visit, visitTo } from './visit.ts'

async function pick(page: Page, list: string | RegExp, option: string): Promise<void> {
  await page.getByRole('combobox', { name: list }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

async function pickField(page: Page, field: string): Promise<void> {
  await page.getByRole('button', { name: /^Field:/ }).click()
  await page.getByRole('option', { name: field, exact: true }).click()
}

it('a period is stored as it is said, sent as dates, and moves on at midnight', async () => {
  const { workspace, page, open } = await visit({ ownPage: true })
  for (const day of ['2026-01-30', '2026-01-31', '2026-02-01']) {
    await made(workspace.api, 'opportunities', { name: `Closes ${day}`, custom_fields: { close_date: day } })
  }
  // In Berlin it is a minute before February. In UTC it is an hour more.
  await page.clock.install({ time: new Date('2026-01-31T22:59:00Z') })
  await open('/opportunities?sort=name')
  const grid = gridOn(page)
  await grid.shows(['Closes 2026-01-30', 'Closes 2026-01-31', 'Closes 2026-02-01'])

  await page.keyboard.press('f')
  await pickField(page, 'Close date')
  await pick(page, 'Period for Close date', 'This month')
  await page.getByText(/^1\s?–\s?31 Jan 2026$/).waitFor()
  await grid.shows(['Closes 2026-01-30', 'Closes 2026-01-31'])
  await page.keyboard.press('Escape')
  const filter = { custom_fields: { close_date: { $during: 'this_month' } } }
  expect(JSON.parse(new URL(page.url()).searchParams.get('filter') ?? '')).toEqual(filter)

  await page.getByRole('button', { name: 'Use in API' }).click()
  const forms = page.getByRole('region', { name: 'Relative filter' }).locator('code')
  expect(JSON.parse(await forms.nth(0).innerText())).toEqual(filter)
  const concrete = { custom_fields: { close_date: { $gte: '2026-01-01', $lte: '2026-01-31' } } }
  expect(JSON.parse(await forms.nth(1).innerText())).toEqual(concrete)
  await page.getByRole('tab', { name: 'Body for /query' }).click()
  const body = JSON.parse(await page.getByRole('tabpanel').locator('code').first().innerText())
  expect(body.filter).toEqual(concrete)
  const { body: answer } = await workspace.api.post('/opportunities/query', body)
  expect(answer.data).toHaveLength(2)
  await page.keyboard.press('Escape')

  await page.clock.fastForward('02:00')
  await grid.shows(['Closes 2026-02-01'])
})

it('"me" is whoever opens the view, and two days are those of the reader', async () => {
  const ada = await visit({ name: 'Ada Lindqvist' })
  const ben = await visitTo(ada.workspace, { name: 'Ben Okafor' })
  const { body: users } = await ada.workspace.api.get('/users?per_page=100')
  const idOf = (name: string) =>
    users.data.find(({ attributes }: { attributes: { name: string } }) => attributes.name === name).id
  for (const name of ['Ada Lindqvist', 'Ben Okafor']) {
    await made(ada.workspace.api, 'companies', { name: `Of ${name}`, account_owner_id: idOf(name) })
  }
  const { page } = ada
  await ada.open('/companies?sort=name')
  await gridOn(page).shows(['Of Ada Lindqvist', 'Of Ben Okafor'])
  await page.keyboard.press('f')
  await pickField(page, 'Account owner')
  await page.getByRole('button', { name: /^Value for Account owner/ }).click()
  await page.getByRole('option', { name: /^Me/ }).click()
  await gridOn(page).shows(['Of Ada Lindqvist'])
  const { search } = new URL(page.url())
  expect(decodeURIComponent(search)).toContain('{"$in":["me"]}')
  await ben.open(`/companies${search}`)
  await gridOn(ben.page).shows(['Of Ben Okafor'])

  // In Berlin this is half an hour into April.
  await ben.workspace.field('companies', { name: 'Seen', type: 'date-time' })
  const seen = { name: 'Seen at night', custom_fields: { seen: '2026-03-31T22:30:00Z' } }
  await made(ben.workspace.api, 'companies', seen)
  for (const [first, last, shown] of [
    ['2026-04-01', '2026-04-30', ['Seen at night']],
    ['2026-03-01', '2026-03-31', []],
  ] as const) {
    const filter = { custom_fields: { seen: { $between: [first, last] } } }
    await ben.open(`/companies?filter=${encodeURIComponent(JSON.stringify(filter))}`)
    if (shown.length === 0) await ben.page.getByRole('heading', { name: 'No companies match' }).waitFor()
    else await gridOn(ben.page).shows(shown)
  }
  await ben.page.keyboard.press('f')
  await ben.page.getByLabel('Last day for Seen').fill('2026-04-01')
  await gridOn(ben.page).shows(['Seen at night'])
})
