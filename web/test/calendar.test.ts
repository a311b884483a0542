import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { expectFitting, narrow, wide } from './accessibility.ts'
import { pickUp } from './drag.ts'
import { eventually } from './eventually.ts'
import { type Visit, visit } from './visit.ts'

const dayOn = (page: Page, day: string) => page.getByRole('region', { name: new RegExp(`${day} 2026,`) })

async function addTask({ workspace }: Visit, title: string, due_date: string): Promise<string> {
  return (await workspace.api.post('/tasks', { title, custom_fields: { due_date } })).body.data.id
}

it('a calendar shows tasks by due date, and moves them by mouse, by keyboard and back', async () => {
  const visitor = await visit()
  const { workspace, page, open } = visitor
  const dueOf = async (id: string) =>
    (await workspace.api.get(`/tasks/${id}`)).body.data.attributes.custom_fields.due_date
  // In Berlin it is the 11th already.
  const late = await addTask(visitor, 'Late', '2026-03-10T23:30:00.000Z')
  await addTask(visitor, 'Elsewhere', '2026-06-10T10:00:00.000Z')
  await open('/tasks?layout=calendar&day=2026-03-17')
  await page.getByRole('heading', { name: 'March 2026' }).waitFor()
  await dayOn(page, '11 March').getByRole('link', { name: 'Late' }).waitFor()
  await dayOn(page, '11 March').getByText('Overdue').waitFor({ state: 'attached' })
  expect(await page.getByRole('link', { name: 'Elsewhere' }).count()).toBe(0)
  await expectFitting(page, wide, 'The calendar')
  const from = await page.getByRole('group', { name: 'Move Late' }).boundingBox()
  const to = await dayOn(page, '13 March').boundingBox()
  if (!from || !to) throw new Error('The calendar has no place on the screen.')
  await page.mouse.move(from.x + from.width - 8, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 10 })
  await page.getByText(/Late is over Friday,? 13 March/).waitFor({ state: 'attached' })
  await page.mouse.up()
  await dayOn(page, '13 March').getByRole('link', { name: 'Late' }).waitFor()
  // The time of the day stays.
  await eventually(async () => expect(await dueOf(late)).toBe('2026-03-12T23:30:00.000Z'))
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await eventually(async () => expect(await dueOf(late)).toBe('2026-03-10T23:30:00.000Z'))
  await dayOn(page, '11 March').getByRole('link', { name: 'Late' }).waitFor()
  await pickUp(page, page.getByRole('group', { name: 'Move Late' }), /Late is over Wednesday,? 11 March/)
  await page.keyboard.press('ArrowDown')
  await page.getByText(/Late is over Wednesday,? 18 March/).waitFor({ state: 'attached' })
  await page.keyboard.press('Space')
  await eventually(async () => expect(await dueOf(late)).toBe('2026-03-17T23:30:00.000Z'))
  await page.getByRole('button', { name: 'Next month' }).click()
  await page.getByRole('heading', { name: 'April 2026' }).waitFor()
})

it('a week of tasks shows what is overdue and later, and its tasks move and are checked off in place', async () => {
  const visitor = await visit()
  const { workspace, page, open } = visitor
  const dayMs = 86_400_000
  const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()
  const valuesOf = async (id: string) => (await workspace.api.get(`/tasks/${id}`)).body.data.attributes.custom_fields
  const old = await addTask(visitor, 'Old', inDays(-30))
  const far = await addTask(visitor, 'Far', inDays(30))
  const done = { status: 'Done', due_date: inDays(-31) }
  await workspace.api.post('/tasks', { title: 'Gone', custom_fields: done })
  await open('')
  await page.getByRole('link', { name: 'My week' }).click()
  await page.getByRole('region', { name: 'Later, 0 tasks' }).waitFor()

  await open('/tasks?layout=calendar&span=week')
  await page.getByRole('region', { name: 'Overdue, 1 task' }).getByRole('link', { name: 'Old' }).waitFor()
  await page.getByRole('region', { name: 'Later, 1 task' }).getByRole('link', { name: 'Far' }).waitFor()
  expect(await page.getByRole('link', { name: 'Gone' }).count()).toBe(0)
  await expectFitting(page, wide, 'My week')

  const { due_date: before } = await valuesOf(old)
  await pickUp(page, page.getByRole('group', { name: 'Move Old' }), /^Old is over/)
  const told = page.getByText(/^Old is over/)
  const first = await told.innerText()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => told.innerText()).not.toBe(first)
  await page.keyboard.press('Space')
  await page.getByRole('region', { name: 'Overdue, 0 tasks' }).waitFor()
  await eventually(async () => {
    const { due_date } = await valuesOf(old)
    expect(Date.parse(due_date)).toBeGreaterThan(Date.now() - 8 * dayMs)
    expect(due_date.slice(14)).toBe(`${before.slice(14, 16)}:00.000Z`)
  })
  await page.getByRole('checkbox', { name: 'Complete Far' }).click()
  await eventually(async () => expect((await valuesOf(far)).status.label).toBe('Done'))
  await expectFitting(page, narrow, 'My week on a phone')
})

it.runIf(isLong)(
  'a calendar takes any date field, a week, new records, and is kept as a view; at 400 pixels it is an agenda',
  async () => {
    const { workspace, page, open } = await visit()
    const opportunity = { name: 'Renewal', custom_fields: { close_date: '2026-03-31' } }
    await workspace.api.post('/opportunities', opportunity)
    await open('/opportunities?day=2026-04-01')
    await page.getByRole('button', { name: 'Calendar' }).click()
    await page.getByRole('button', { name: 'Week', exact: true }).click()
    await dayOn(page, '31 March').getByRole('link', { name: 'Renewal' }).waitFor()
    await dayOn(page, '2 April').hover()
    await dayOn(page, '2 April')
      .getByRole('button', { name: /New opportunity on/ })
      .click()
    await page.getByRole('textbox', { name: 'New opportunity' }).fill('Upsell')
    await page.keyboard.press('Enter')
    await dayOn(page, '2 April').getByRole('link', { name: 'Upsell' }).waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save as a new view' }).click()
    await page.getByLabel('Name').fill('Closing')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(async () => expect(new URL(page.url()).searchParams.get('view')).not.toBeNull())
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ layout: 'calendar', span: 'week' })
    expect(new URL(page.url()).searchParams.get('day')).toBeNull()
    await open('/opportunities?layout=calendar&day=2026-04-01')
    await page.setViewportSize({ width: 400, height: 800 })
    await page.getByRole('region', { name: 'Thursday, 2 April 2026' }).getByRole('link', { name: 'Upsell' }).waitFor()
    await expectFitting(page, narrow, 'The agenda')
  },
)
