import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { TestWorkspace } from '../../server/test/workspace.ts'
import { eventually } from './eventually.ts'
import { visit } from './visit.ts'

async function addOpportunity({ api }: TestWorkspace, name: string, stage: string, amount: number): Promise<string> {
  return (await api.post('/opportunities', { name, custom_fields: { stage, amount } })).body.data.id
}

async function stageOf({ api }: TestWorkspace, id: string): Promise<string> {
  return (await api.get(`/opportunities/${id}`)).body.data.attributes.custom_fields.stage.label
}

const columnOn = (page: Page, label: string) => page.getByRole('region', { name: new RegExp(`^${label}, `) })
const cardOn = (page: Page, name: string) => page.getByRole('group', { name: `Move ${name}` })

describe('a board', () => {
  it('shows count and sum of each stage', async () => {
    const { workspace, page, open } = await visit()
    await addOpportunity(workspace, 'One', 'Proposal', 1000)
    await addOpportunity(workspace, 'Two', 'Proposal', 0.5)
    await open('/opportunities?layout=board')
    await columnOn(page, 'Proposal').getByText('2', { exact: true }).waitFor()
    await columnOn(page, 'Proposal').getByTitle('Amount: US$1,000.50').waitFor()
    await columnOn(page, 'Negotiation').getByText('0', { exact: true }).waitFor()
  })

  it('moves a card by mouse', async () => {
    const { workspace, page, open } = await visit()
    const id = await addOpportunity(workspace, 'Deal', 'Prospecting', 10)
    await open('/opportunities?layout=board')
    const from = await cardOn(page, 'Deal').boundingBox()
    const to = await columnOn(page, 'Needs Analysis').boundingBox()
    if (!from || !to) throw new Error('The board has no place on the screen.')
    await page.mouse.move(from.x + 30, from.y + from.height - 8)
    await page.mouse.down()
    await page.mouse.move(to.x + 60, to.y + 120, { steps: 10 })
    await page.mouse.up()
    await eventually(async () => expect(await stageOf(workspace, id)).toBe('Needs Analysis'))
    await columnOn(page, 'Needs Analysis').getByRole('link', { name: 'Deal' }).waitFor()
  })

  it('moves a card by keyboard, and leaves it where it was at Escape', async () => {
    const { workspace, page, open } = await visit()
    const id = await addOpportunity(workspace, 'Deal', 'Prospecting', 10)
    await open('/opportunities?layout=board')
    const card = cardOn(page, 'Deal')
    await card.focus()
    await page.keyboard.press('Space')
    await page.getByText(/Picked up Deal|Deal is over Prospecting/).waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowRight')
    await page.getByText('Deal is over Qualification.').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await page.getByText('Deal stays where it was.').waitFor({ state: 'attached' })
    expect(await stageOf(workspace, id)).toBe('Prospecting')
    await card.focus()
    await page.keyboard.press('Space')
    await page.getByText(/Picked up Deal|Deal is over Prospecting/).waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowRight')
    await page.getByText('Deal is over Qualification.').waitFor({ state: 'attached' })
    await page.keyboard.press('Space')
    await eventually(async () => expect(await stageOf(workspace, id)).toBe('Qualification'))
  })

  it('takes its columns from any single choice, and keeps that in the address', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/tasks', { title: 'Urgent', custom_fields: { status: 'To do', priority: 'High' } })
    await open('/tasks')
    await page.getByRole('button', { name: 'Board' }).click()
    await columnOn(page, 'To do').getByRole('link', { name: 'Urgent' }).waitFor()
    await page.getByRole('combobox', { name: 'Columns by' }).click()
    await page.getByRole('option', { name: 'Priority' }).click()
    await columnOn(page, 'High').getByRole('link', { name: 'Urgent' }).waitFor()
    await page.reload()
    await columnOn(page, 'High').getByRole('link', { name: 'Urgent' }).waitFor()
  })
})
