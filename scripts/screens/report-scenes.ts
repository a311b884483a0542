import type { Browser, Page } from 'playwright-core'
import { callsOf, openList } from './open-screens.ts'
import type { Scene } from './scenes.ts'
import type { Opened } from './world.ts'

const deals = { resource: 'opportunities', measure: 'sum', field: 'custom_fields.amount' }
const calculated = { resource: 'opportunities', stage: 'custom_fields.stage', person: 'custom_fields.owner' }

/** Moves some deals, so that there is a history, and makes a report with a chart of each kind. */
export async function furnishReports(browser: Browser, { base, session }: Opened): Promise<void> {
  const context = await browser.newContext({ storageState: session })
  const { origin, pathname } = new URL(base)
  const call = callsOf(context.request)
  const on = (path: string) => `${origin}/api/app/w${pathname}${path}`
  const stages = [
    'Qualification',
    'Needs Analysis',
    'Proposal',
    'Negotiation',
    'Closed Won',
    'Closed Lost',
    'Closed Won',
  ]
  const { data: members } = await call('get', on('/members'))
  const { data } = await call('get', on('/v1/opportunities?per_page=60&sort=-created_at'))
  for (const [place, { id }] of data.entries()) {
    const custom_fields = {
      stage: stages[place % stages.length],
      owner: members[place % 3].id,
      // One deal in ten has no date yet.
      ...(place % 10 === 0 && { close_date: null }),
    }
    await call('patch', on(`/v1/opportunities/${id}`), { data: { custom_fields } })
  }
  const charts = [
    { ...deals, title: 'Pipeline by stage', kind: 'bar', group_by: ['custom_fields.stage'] },
    { ...calculated, title: 'Forecast', kind: 'forecast', field: deals.field, date: 'custom_fields.close_date' },
    {
      ...{ ...deals, title: 'Deals by month and stage', kind: 'bar', measure: 'count', field: null },
      ...{ group_by: ['created_at', 'custom_fields.stage'], period: 'month' },
    },
    { ...calculated, title: 'Win rate', kind: 'win_rate', group_by: ['custom_fields.owner'] },
    { ...calculated, title: 'Days in a stage', kind: 'stage_time' },
    { title: 'New companies', kind: 'line', resource: 'companies', group_by: ['created_at'], period: 'month' },
    { ...deals, title: 'Open amount', kind: 'number' },
    { ...deals, title: 'Deals by owner', kind: 'table', group_by: ['custom_fields.owner'] },
  ]
  await call('post', on('/reports'), { data: { name: 'Sales', shared: true, charts } })
  await context.close()
}

export const reportScenes: readonly Scene[] = [
  scene('report', 'Report', async (page, { base }) => {
    await openReport(page, base)
  }),
  scene('report-history', 'Report: win rate and days in a stage', async (page, { base }) => {
    await openReport(page, base)
    await page.getByRole('region', { name: 'New companies' }).scrollIntoViewIfNeeded()
  }),
  scene('report-filtered', 'Report of a person and a period', async (page, { base }) => {
    await page.goto(`${base}/reports?period=this_year&person=me`)
    await page.getByRole('region', { name: 'Pipeline by stage' }).locator('svg').first().waitFor()
  }),
  scene('report-chart', 'Making a chart', async (page, { base }) => {
    await openReport(page, base)
    await page.getByRole('button', { name: 'Make a chart' }).click()
    await page.getByRole('dialog').locator('svg[role="group"]').waitFor()
  }),
  scene('report-add', 'Adding a list to a report', async (page, { base }) => {
    await openList(page, `${base}/opportunities?group_by=custom_fields.stage`)
    await page.getByRole('button', { name: /^Views/ }).click()
    await page.getByRole('menuitem', { name: 'Add to report' }).click()
    await page.getByRole('dialog').locator('svg[role="group"]').waitFor()
  }),
  scene('report-empty', 'No reports yet', async (page, { empty }) => {
    await page.goto(`${empty}/reports`)
    await page.getByRole('heading', { name: 'No reports yet' }).waitFor()
  }),
].map((one) => ({ ...one, group: 'Reports', darkNarrow: true as const }))

async function openReport(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/reports`)
  for (const name of ['Pipeline by stage', 'Forecast', 'Days in a stage']) {
    await page.getByRole('region', { name }).locator('svg[role="group"]').waitFor()
  }
}

function scene(name: string, title: string, show: Scene['show']): Omit<Scene, 'group'> {
  return { name, title, show }
}
