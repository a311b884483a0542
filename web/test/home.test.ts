import { describe, expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { visit } from './visit.ts'

describe('home', () => {
  it.runIf(isLong)('shows the pipeline by stage, this month and what was touched last', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    await api.post('/opportunities', { name: 'Big', custom_fields: { stage: 'Proposal', amount: 1500 } })
    await api.post('/opportunities', { name: 'Won', custom_fields: { stage: 'Closed Won', amount: 9000 } })
    await api.post('/companies', { name: 'Acme' })
    await open('')
    await page.getByRole('link', { name: 'US$1.5K open' }).waitFor()
    await page.getByRole('img', { name: /Proposal: US\$1,500\.00, 1 opportunity/ }).waitFor()
    const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
      new Date(),
    )
    await page.getByRole('img', { name: `${month}, 1 company, 0 people, 2 opportunities` }).waitFor()
    const touched = page.getByRole('region', { name: 'Recently changed' })
    await expect.poll(() => touched.getByRole('link').allInnerTexts()).toEqual(['Acme', 'Won', 'Big'])
  })

  it.runIf(isLong)('says what could not be loaded, and loads it again', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/opportunities', { name: 'Big', custom_fields: { stage: 'Proposal', amount: 1500 } })
    const failing = ['**/summary', '**/v1/*/query']
    for (const calls of failing) await page.route(calls, (route) => route.fulfill({ status: 500, json: {} }))
    await open('')
    const parts = ['Pipeline', 'New records', 'Recently changed'].map((name) => page.getByRole('region', { name }))
    for (const part of parts) await part.getByText('This could not be loaded').waitFor()
    // No sum is shown that is not known.
    expect(await page.getByRole('link', { name: / open$/ }).count()).toBe(0)
    await page.unrouteAll()
    for (const part of parts) {
      await part.getByRole('button', { name: 'Try again' }).click()
      await part.getByText('This could not be loaded').waitFor({ state: 'detached' })
    }
    await page.getByRole('link', { name: 'US$1.5K open' }).waitFor()
  })

  it.runIf(isLong)('shows my open tasks, overdue ones first, and none that is done or of others', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const members = await page.request.get(`${new URL(api.base).origin}/api/app/session`, {
      headers: { 'X-Kith-App': '1' },
    })
    const { data } = await members.json()
    const task = (title: string, status: string, due_date: string, mine = true) =>
      api.post('/tasks', { title, assignee_ids: mine ? [data.user.id] : [], custom_fields: { status, due_date } })
    await task('Later', 'To do', '2999-01-01')
    await task('Late', 'In progress', '2020-01-01')
    await task('Over', 'Done', '2020-01-01')
    await task('Not mine', 'To do', '2020-01-01', false)
    await open('')
    const mine = page.getByRole('region', { name: 'My open tasks' })
    await mine.getByRole('link', { name: 'Late', exact: true }).waitFor()
    await expect.poll(() => mine.getByRole('listitem').getByRole('link').allInnerTexts()).toEqual(['Late', 'Later'])
    await mine.getByText('Overdue', { exact: false }).waitFor()
  })

  it.runIf(isLong)('has a menu that leads to the guide where it is built', async () => {
    const { page, open } = await visit()
    const menu = page.getByRole('button', { name: 'Ada Lindqvist' })
    const guide = page.getByRole('menuitem', { name: 'Guide' })
    // Whether it is built differs between machines. release.long.test.ts tests that the service knows.
    const openMenu = async (isBuilt: boolean) => {
      await page.unrouteAll()
      await page.route('**/api/app/start', async (route) => {
        const response = await route.fetch()
        const { data } = await response.json()
        await route.fulfill({ response, json: { data: { ...data, guide: isBuilt } } })
      })
      const known = page.waitForResponse('**/api/app/start')
      await open('')
      await menu.click()
      await known
    }
    await openMenu(true)
    const opened = page.waitForEvent('popup')
    await guide.click()
    await (await opened).waitForURL('**/guide/')
    await openMenu(false)
    // What the application knows by now is shown at once.
    await page.keyboard.press('Escape')
    await menu.click()
    await page.getByRole('menuitem', { name: 'API reference' }).waitFor()
    expect(await guide.count()).toBe(0)
  })

  it('offers the first steps where nothing is yet, and fills with sample data', async () => {
    const { workspace, page, open } = await visit()
    await open('')
    await page.getByRole('button', { name: 'Fill with sample records' }).click()
    await page.getByRole('region', { name: 'Pipeline' }).waitFor()
    expect((await workspace.api.get('/companies')).body.meta.total).toBeGreaterThan(0)
  })
})
