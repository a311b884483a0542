import { streamXlsxRows } from 'hucre/xlsx'
import type { Download, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { loadSample } from '../../server/src/sample/load.ts'
import { isLong } from '../../server/test/run-length.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

/** Opens the dialog from the menu of the list. */
async function openExport(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Views: / }).click()
  await page.getByRole('menuitem', { name: 'Export this list' }).click()
  await page.getByRole('dialog', { name: /^Export / }).waitFor()
}

/** Downloads the list and returns the name and the bytes of the file. */
async function download(page: Page, format: 'CSV' | 'Excel (XLSX)'): Promise<{ name: string; bytes: Buffer }> {
  await openExport(page)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: format, exact: true }).click(),
  ])
  return { name: file.suggestedFilename(), bytes: await bytesOf(file) }
}

async function bytesOf(file: Download): Promise<Buffer> {
  return Buffer.concat(await (await file.createReadStream()).toArray())
}

async function cellsIn(bytes: Buffer): Promise<unknown[][]> {
  const rows: unknown[][] = []
  for await (const { values } of streamXlsxRows(new Uint8Array(bytes))) rows.push([...values])
  return rows
}

it('exports the list with its columns, filter and order as CSV, and formulas as text', async () => {
  const { workspace, page, open } = await visit()
  const { body } = await workspace.api.post('/companies', { name: 'Acme; Ltd' })
  const people = [
    { name: 'Ada, Countess', company_id: body.data.id, custom_fields: { emails: ['ada@a.example', 'a@b.example'] } },
    { name: '=HYPERLINK("x")', custom_fields: { phone_number: ['+49 30 123456'] } },
    { name: 'Byron' },
  ]
  for (const person of people) expect((await workspace.api.post('/people', person)).status).toBe(201)
  const columns = 'name~200,custom_fields.emails~200,company_id~200,custom_fields.phone_number~100'
  const filter = encodeURIComponent(JSON.stringify({ name: { $contains: 'a' } }))
  await open(`/people?columns=${columns}&sort=-name&filter=${filter}`)
  await gridOn(page).shows(['Ada, Countess'])
  const { name, bytes } = await download(page, 'CSV')
  expect(name).toMatch(/^people-\d{4}-\d\d-\d\d\.csv$/)
  expect(bytes.toString()).toBe(
    '\uFEFFName,Emails,Company,Phone number\r\n"Ada, Countess",ada@a.example;a@b.example,Acme; Ltd,\r\n',
  )
  await page.getByText('Exported 1 person.', { exact: true }).waitFor()
  await open(`/people?columns=${columns}&sort=name`)
  const all = (await download(page, 'CSV')).bytes.toString().split('\r\n')
  expect(all.slice(1, 3)).toEqual([
    '"\'=HYPERLINK(""x"")",,,+4930123456',
    '"Ada, Countess",ada@a.example;a@b.example,Acme; Ltd,',
  ])
})

it.runIf(isLong)('exports as XLSX with numbers, days and times as such, in the order of a custom field', async () => {
  const { workspace, page, open } = await visit()
  for (const [name, amount] of [
    ['Small', 10.5],
    ['Large', 9000],
    ['None', null],
  ] as const) {
    const custom_fields = { amount, close_date: name === 'Large' ? '2026-12-24' : null, stage: 'Proposal' }
    expect((await workspace.api.post('/opportunities', { name, custom_fields })).status).toBe(201)
  }
  const columns =
    'name~200,custom_fields.amount~100,custom_fields.close_date~100,custom_fields.stage~100,created_at~100'
  await open(`/opportunities?columns=${columns}&sort=-custom_fields.amount`)
  await gridOn(page).shows(['Large', 'Small', 'None'])
  const { name, bytes } = await download(page, 'Excel (XLSX)')
  expect(name).toMatch(/^opportunities-.*\.xlsx$/)
  const [header, large, small, none] = await cellsIn(bytes)
  expect(header).toEqual(['Name', 'Amount', 'Close date', 'Stage', 'Created'])
  expect(large?.slice(0, 4)).toEqual(['Large', 9000, new Date('2026-12-24T00:00:00Z'), 'Proposal'])
  expect(large?.[4]).toBeInstanceOf(Date)
  expect(small?.slice(0, 2)).toEqual(['Small', 10.5])
  expect(none?.slice(0, 2)).toEqual(['None', null])
})

it.runIf(isLong)('shows progress for a long list, can be cancelled, and the page stays usable', async () => {
  const { workspace, page, open } = await visit()
  await loadSample(await workspace.scope(), { sizes: { people: 1200 }, seed: 1 })
  await open('/people?columns=name~200')
  await gridOn(page).root.waitFor()
  let asked = 0
  await page.route('**/v1/people/query', async (route) => {
    const isExport = route.request().postData()?.includes('"cursor"') ?? false
    if (isExport && ++asked === 4) return
    await route.continue()
  })
  await openExport(page)
  await page.getByRole('button', { name: 'Excel (XLSX)' }).click()
  await page.getByText('300 of 1,200 people').waitFor()
  const bar = page.getByRole('progressbar', { name: 'Exported' })
  await expect.poll(() => bar.getAttribute('aria-valuenow')).toBe('25')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await bar.waitFor({ state: 'detached' })
  await page.unroute('**/v1/people/query')
  const { bytes } = await download(page, 'CSV')
  expect(new Set(bytes.toString().trimEnd().split('\r\n')).size).toBeGreaterThan(100)
  expect(bytes.toString().trimEnd().split('\r\n')).toHaveLength(1201)
})

it.runIf(isLong)('says why an export failed, and can be tried again', async () => {
  const { workspace, page, open } = await visit()
  await workspace.api.post('/people', { name: 'Ada' })
  await open('/people')
  await gridOn(page).shows(['Ada'])
  await page.route('**/v1/people/query', (route) =>
    // The list itself stays as it is.
    !route.request().postData()?.includes('"cursor"')
      ? route.continue()
      : route.fulfill({ status: 503, json: { message: 'The query took too long.', expensive: ['filter.name'] } }),
  )
  await openExport(page)
  await page.getByRole('button', { name: 'CSV', exact: true }).click()
  await page.getByText('The export has failed. The query took too long.').waitFor()
  await page.unroute('**/v1/people/query')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ])
  expect((await bytesOf(file)).toString()).toContain('Ada')
})

it.runIf(isLong)('"Use in API" exports the list', async () => {
  const { page, open } = await visit()
  await open('/companies?q=labs')
  await page.getByRole('button', { name: 'Use in API' }).click()
  await page.getByRole('tab', { name: 'curl, export' }).click()
  await expect
    .poll(() => page.getByRole('tabpanel').locator('code').first().innerText())
    .toContain('/v1/companies/export?format=csv')
})
