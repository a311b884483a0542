import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFitting, narrow, wide } from './accessibility.ts'
import { visit } from './visit.ts'

describe('reports', () => {
  it('are made from a list, filtered, opened bar by bar, exported and changed', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const deal = (name: string, custom_fields: object) => api.post('/opportunities', { name, custom_fields })
    await deal('Refit', { stage: 'Proposal', amount: 1500, close_date: '2027-01-15', owner: workspace.owner.id })
    await deal('Paint', { stage: 'Proposal', amount: 500.5 })
    await deal('Dock', { stage: 'Negotiation', amount: 8000, close_date: '2027-03-01' })
    await deal('=1+1', { stage: 'Closed Lost', amount: 9 })

    await open('/opportunities?group_by=custom_fields.stage&footers=custom_fields.amount~sum')
    await page.getByRole('button', { name: /^Views/ }).click()
    await page.getByRole('menuitem', { name: 'Add to report' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add to report' })
    await dialog.getByRole('link', { name: 'Proposal: US$2,000.50, 2 records' }).waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()

    const chart = page.getByRole('region', { name: 'Sum of Amount by stage' })
    await chart.getByRole('link', { name: 'Negotiation: US$8,000.00, 1 record' }).waitFor()
    // The same figures are a table, which screen readers find.
    const table = chart.getByRole('table', { name: 'Sum of Amount by stage' })
    await expect.poll(() => table.getByRole('row').allInnerTexts()).toHaveLength(4)
    expect(await table.getByRole('row', { name: /Proposal/ }).innerText()).toMatch(/US\$2,000\.50\s+2/)

    await chart.getByRole('link', { name: /^Proposal/ }).press('Enter')
    await page.getByRole('grid').getByText('Refit').waitFor()
    expect(await page.getByRole('grid').getByText('Dock').count()).toBe(0)
    await page.goBack()

    await page.getByRole('combobox', { name: 'Person' }).click()
    await page.getByRole('option', { name: workspace.owner.name }).click()
    await chart.getByRole('link', { name: 'Proposal: US$1,500.00, 1 record' }).waitFor()
    expect(page.url()).toContain(`person=${workspace.owner.id}`)
    await page.getByRole('combobox', { name: 'Person' }).click()
    await page.getByRole('option', { name: 'Everybody' }).click()
    await chart.getByRole('link', { name: /^Negotiation/ }).waitFor()

    const csv = await saved(page, 'Sum of Amount by stage', 'Export CSV')
    expect(csv.name).toBe('Sum-of-Amount-by-stage.csv')
    expect(csv.bytes.toString()).toBe(
      '\uFEFFStage,Sum of Amount,Records\r\nProposal,2000.5,2\r\nNegotiation,8000,1\r\nClosed Lost,9,1\r\n',
    )
    const png = await saved(page, 'Sum of Amount by stage', 'Export PNG')
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG')
    expect(png.bytes.length).toBeGreaterThan(5000)

    await page.getByRole('button', { name: 'Make a chart' }).click()
    const making = page.getByRole('dialog', { name: 'Make a chart' })
    await making.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'Forecast' }).click()
    await making.getByRole('link', { name: /^Mar 2027, Weighted: US\$6,800\.00/ }).waitFor()
    await making.getByRole('button', { name: 'Save' }).click()
    const forecast = page.getByRole('region', { name: 'Forecast' })
    // Empty months are shown, and what has no date.
    await forecast.getByRole('link', { name: 'No close date, Unweighted: US$500.50, 1 record' }).waitFor()
    await forecast.getByRole('link', { name: 'Feb 2027, Unweighted: US$0.00, 0 records' }).waitFor()

    // A field that is archived is named in its chart; the others stay.
    await workspace.field('opportunities', { name: 'Score', type: 'number' })
    const { report, base } = await openReport(page, workspace.slug)
    const added = { title: 'Score', kind: 'number', resource: 'opportunities', measure: 'sum', field: 'score' }
    const body = { charts: [...report.charts, added], version: report.version }
    await page.request.patch(`${base}/${report.id}`, { headers: { 'X-Kith-App': '1' }, data: body })
    await api.delete('/schema/opportunities/fields/score')
    await page.reload()
    await page.getByRole('region', { name: 'Score' }).getByRole('alert').getByText(/score/).waitFor()
    await forecast.getByRole('link').first().waitFor()

    await page.getByRole('button', { name: 'Actions for Score' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('region', { name: 'Score' }).waitFor({ state: 'detached' })
    expect((await openReport(page, workspace.slug)).report.charts).toHaveLength(2)
  })

  it('begin with three ready charts for the stages of the workspace', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/opportunities', { name: 'Won', custom_fields: { stage: 'Closed Won', amount: 70 } })
    await open('/reports')
    await page.getByRole('button', { name: 'Start with three charts' }).click()
    await page.getByRole('region', { name: 'Pipeline by stage' }).getByText('No records yet.').waitFor()
    await page
      .getByRole('region', { name: 'Won by month' })
      .getByRole('link', { name: /^Empty: US\$70/ })
      .waitFor()
    await page.getByRole('region', { name: 'My open opportunities' }).waitFor()
    await expectAccessible(page, wide)
    await expectFitting(page, narrow)
  })
})

async function saved(page: Page, chart: string, action: string): Promise<{ name: string; bytes: Buffer }> {
  await page.getByRole('button', { name: `Actions for ${chart}` }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: action }).click(),
  ])
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}

async function openReport(page: Page, slug: string) {
  const base = `${new URL(page.url()).origin}/api/app/w/${slug}/reports`
  const { data } = await (await page.request.get(base, { headers: { 'X-Kith-App': '1' } })).json()
  return { base, report: data[0] }
}
