import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import type { TestWorkspace } from '../../server/test/workspace.ts'
import { pickUp } from './drag.ts'
import { eventually } from './eventually.ts'
import { gridOn } from './grid.ts'
import { visit, visitTo } from './visit.ts'

async function addOpportunity({ api }: TestWorkspace, name: string, stage: string, amount: number): Promise<string> {
  return (await api.post('/opportunities', { name, custom_fields: { stage, amount } })).body.data.id
}

async function stageOf({ api }: TestWorkspace, id: string): Promise<string> {
  return (await api.get(`/opportunities/${id}`)).body.data.attributes.custom_fields.stage.label
}

const columnOn = (page: Page, label: string) => page.getByRole('region', { name: new RegExp(`^${label}, `) })
const cardOn = (page: Page, name: string) => page.getByRole('group', { name: `Move ${name}` })

describe('a board', () => {
  it.runIf(isLong)('shows count and sum of each stage, and nothing until they are known', async () => {
    const { workspace, page, open } = await visit()
    await addOpportunity(workspace, 'One', 'Prospecting', 1000)
    await addOpportunity(workspace, 'Two', 'Prospecting', 0.5)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/summary', async (route) => {
      await held
      await route.continue()
    })
    await open('/opportunities?layout=board')
    await cardOn(page, 'One').waitFor()
    expect(await page.getByRole('region', { name: 'Prospecting' }).locator('header').innerText()).toBe('Prospecting')
    release()
    await columnOn(page, 'Prospecting').getByText('2', { exact: true }).waitFor()
    await columnOn(page, 'Prospecting').getByTitle('Amount: US$1,000.50').waitFor()
    await columnOn(page, 'Negotiation').getByText('0', { exact: true }).waitFor()
  })

  it('moves a card by mouse', async () => {
    const { workspace, page, open } = await visit()
    const { body } = await workspace.api.post('/companies', { name: 'Alder Labs' })
    const id = await addOpportunity(workspace, 'Deal', 'Prospecting', 10)
    await workspace.api.patch(`/opportunities/${id}`, { company_id: body.data.id })
    await open('/opportunities?layout=board')
    await cardOn(page, 'Deal').getByText('Alder Labs').waitFor()
    const from = await cardOn(page, 'Deal').boundingBox()
    const to = await columnOn(page, 'Needs Analysis').boundingBox()
    if (!from || !to) throw new Error('The board has no place on the screen.')
    await page.mouse.move(from.x + 30, from.y + from.height - 8)
    await page.mouse.down()
    await page.mouse.move(to.x + 60, to.y + 120, { steps: 10 })
    // The card in its column, and the one under the pointer.
    await expect.poll(() => page.getByRole('article').getByText('Alder Labs').count()).toBe(2)
    await page.getByText('Deal is over Needs Analysis.').waitFor({ state: 'attached' })
    await page.mouse.up()
    await eventually(async () => expect(await stageOf(workspace, id)).toBe('Needs Analysis'))
    await columnOn(page, 'Needs Analysis').getByRole('link', { name: 'Deal' }).waitFor()
  })

  it.runIf(isLong)('shows owners as initials, and has a column for each member', async () => {
    const { workspace, page, open } = await visit({ name: 'Ada Lindqvist' })
    const grace = await visitTo(workspace, { name: 'Grace Hopper' })
    await addOpportunity(workspace, 'Theirs', 'Prospecting', 1)
    const id = await addOpportunity(workspace, 'Deal', 'Prospecting', 10)
    await workspace.api.patch(`/opportunities/${id}`, { custom_fields: { owner: { email: grace.email } } })
    await open('/opportunities?layout=board')
    await cardOn(page, 'Deal').getByTitle('Owner: Grace Hopper').getByText('GH').waitFor()
    await open('/opportunities?layout=board&group_by=owner')
    await columnOn(page, 'Grace Hopper').getByRole('link', { name: 'Deal' }).waitFor()
    await columnOn(page, 'No owner').getByRole('link', { name: 'Theirs' }).waitFor()
    await pickUp(page, cardOn(page, 'Deal'), 'Deal is over Grace Hopper.')
    await page.keyboard.press('ArrowLeft')
    await page.getByText('Deal is over Ada Lindqvist.').waitFor({ state: 'attached' })
    await page.keyboard.press('Space')
    await columnOn(page, 'Ada Lindqvist').getByRole('link', { name: 'Deal' }).waitFor()
    await page.getByRole('link', { name: 'My opportunities' }).click()
    await gridOn(page).shows(['Deal'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await gridOn(page).shows([])
  })

  it.runIf(isLong)('moves a card by keyboard, and leaves it where it was at Escape', async () => {
    const { workspace, page, open } = await visit()
    const id = await addOpportunity(workspace, 'Deal', 'Prospecting', 10)
    await open('/opportunities?layout=board')
    const card = cardOn(page, 'Deal')
    await pickUp(page, card, 'Deal is over Prospecting.')
    await page.keyboard.press('ArrowRight')
    await page.getByText('Deal is over Qualification.').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await page.getByText('Deal stays where it was.').waitFor({ state: 'attached' })
    expect(await stageOf(workspace, id)).toBe('Prospecting')
    await pickUp(page, card, 'Deal is over Prospecting.')
    await page.keyboard.press('ArrowRight')
    await page.getByText('Deal is over Qualification.').waitFor({ state: 'attached' })
    await page.keyboard.press('Space')
    await eventually(async () => expect(await stageOf(workspace, id)).toBe('Qualification'))
    const moved = columnOn(page, 'Qualification').getByRole('group', { name: 'Move Deal' })
    await moved.and(page.locator('[aria-busy="false"]:focus')).waitFor()
  })

  it.runIf(isLong)('takes its columns from any single choice, and keeps that in the address', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/tasks', { title: 'Urgent', custom_fields: { status: 'To do', priority: 'High' } })
    await open('/tasks')
    await page.getByRole('button', { name: 'Board' }).click()
    await columnOn(page, 'To do').getByRole('link', { name: 'Urgent' }).waitFor()
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByRole('combobox', { name: 'Columns by' }).click()
    await page.getByRole('option', { name: 'Priority' }).click()
    await page.keyboard.press('Escape')
    await columnOn(page, 'High').getByRole('link', { name: 'Urgent' }).waitFor()
    await page.reload()
    await columnOn(page, 'High').getByRole('link', { name: 'Urgent' }).waitFor()
  })

  it.runIf(isLong)('takes new cards, folds columns, and shows and sorts cards by what the user chooses', async () => {
    const { workspace, page, open } = await visit()
    await addOpportunity(workspace, 'Small', 'Proposal', 10)
    await addOpportunity(workspace, 'Large', 'Proposal', 5000)
    await open('/opportunities?layout=board')
    const proposal = columnOn(page, 'Proposal')
    const names = () => proposal.getByRole('article').getByRole('link').allTextContents()
    await expect.poll(names).toEqual(['Large', 'Small'])

    await proposal.getByRole('button', { name: 'New opportunity in Proposal' }).click()
    await page.keyboard.type('Medium')
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(['Medium', 'Large', 'Small'])
    await page.keyboard.press('Escape')
    const { data } = (await workspace.api.get('/opportunities?filter[name][$eq]=Medium')).body
    expect(data[0].attributes.custom_fields.stage.label).toBe('Proposal')

    await page.getByRole('button', { name: 'Sort' }).click()
    await page.getByRole('button', { name: 'Sort by' }).click()
    await page.getByRole('combobox', { name: 'Sort by' }).click()
    await page.getByRole('option', { name: 'Amount' }).click()
    await expect.poll(names).toEqual(['Small', 'Large', 'Medium'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Display' }).click()
    await cardOn(page, 'Large').getByText('5,000').waitFor()
    await page.getByRole('switch', { name: 'Amount' }).click()
    await cardOn(page, 'Large').getByText('5,000').waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Fold Proposal' }).click()
    await cardOn(page, 'Large').waitFor({ state: 'hidden' })
    // Both are kept for the next visit.
    await open('/opportunities?layout=board')
    await page.getByRole('button', { name: 'Open 1 folded column' }).click()
    await page.getByRole('button', { name: 'Unfold Proposal' }).click()
    await cardOn(page, 'Large').waitFor()
    expect(await cardOn(page, 'Large').getByText('5,000').count()).toBe(0)
  })

  it.runIf(isLong)('folds options into one column, which a view keeps, and which takes cards', async () => {
    const { workspace, page, open } = await visit()
    const id = await addOpportunity(workspace, 'Deal', 'Negotiation', 10)
    await addOpportunity(workspace, 'Old', 'Closed Won', 700)
    await open('/opportunities?layout=board')
    await columnOn(page, 'Closed Won').waitFor()
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByRole('switch', { name: 'Show Closed Won' }).click()
    await page.getByRole('switch', { name: 'Show Closed Lost' }).click()
    await page.keyboard.press('Escape')
    await columnOn(page, 'Closed Won').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save as a new view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Open deals')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('navigation').getByRole('link', { name: 'Open deals' }).waitFor()

    // A new option is shown, because the view keeps the folded ones.
    const { data: fields } = (await workspace.api.get('/custom-fields?entity_type=opportunities')).body
    const stage = fields.find((field: { attributes: { code: string } }) => field.attributes.code === 'stage')
    const options = [...stage.attributes.options, { label: 'Paused' }]
    await workspace.api.patch('/schema/opportunities/fields/stage', { options })
    await page.reload()
    await columnOn(page, 'Paused').waitFor()
    const strip = page.getByRole('button', { name: 'Open 2 folded columns' })
    await expect.poll(() => strip.innerText()).toMatch(/^1\s+US\$700\s+Closed Won, Closed Lost$/)

    await pickUp(page, cardOn(page, 'Deal'), 'Deal is over Negotiation.')
    const over = (label: string) => page.getByText(`Deal is over ${label}.`).waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowRight')
    await over('Paused')
    await page.keyboard.press('ArrowRight')
    await over('Closed Won')
    await page.keyboard.press('ArrowRight')
    await over('Closed Lost')
    await page.keyboard.press('Space')
    await eventually(async () => expect(await stageOf(workspace, id)).toBe('Closed Lost'))
    await strip.click()
    await page.getByRole('listitem', { name: 'Closed Lost' }).getByText('1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Unfold Closed Lost' }).click()
    await columnOn(page, 'Closed Lost').getByRole('link', { name: 'Deal' }).waitFor()
  })

  it.runIf(isLong)('loads more cards while a column scrolls', async () => {
    const { workspace, page, open } = await visit()
    const operations = Array.from({ length: 70 }, (_, place) => ({
      op: 'create',
      data: { name: `Deal ${place}`, custom_fields: { stage: 'Proposal' } },
    }))
    expect((await workspace.api.post('/opportunities/batch', { operations })).status).toBe(200)
    await open('/opportunities?layout=board')
    const cards = columnOn(page, 'Proposal').getByRole('article')
    await cards.first().waitFor()
    expect(await cards.count()).toBeLessThan(70)
    await expect
      .poll(async () => {
        await cards.last().scrollIntoViewIfNeeded()
        return cards.count()
      })
      .toBe(70)
  })
})
