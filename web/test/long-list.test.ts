import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { loadSample } from '../../server/src/sample/load.ts'
import type { Api } from '../../server/test/api.ts'
import { isLong } from '../../server/test/run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../server/test/workspace.ts'
import { visitTo } from './visit.ts'

const COMPANIES = 1500
const PAGE_SIZE = 100
const ROWS_MAX = 100

let filled: Promise<TestWorkspace> | undefined

/** A workspace with many companies. The tests only read it. */
function companies(): Promise<TestWorkspace> {
  filled ??= fill()
  return filled
}

async function fill(): Promise<TestWorkspace> {
  const workspace = await newWorkspace()
  const sizes = { companies: COMPANIES, people: 0, opportunities: 0, tasks: 0, notes: 0 }
  await loadSample(await workspace.scope(), { sizes, seed: 1 })
  return workspace
}

describe('a long list', () => {
  it('is scanned to its end, drawing only what is in sight', async () => {
    const { workspace, page, open } = await visitTo(await companies())
    const { body } = await workspace.api.get(`/companies?sort=name&per_page=1&page=${COMPANIES}`)
    const last = body.data[0].attributes.name
    await open('/companies?sort=name')
    const grid = page.getByRole('grid', { name: 'Companies' })
    const cell = (row: number) => grid.locator(`[data-row="${row}"][data-column="0"]`)
    await cell(0).waitFor()
    // The head and the foot are rows as well.
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe(String(COMPANIES + 2))

    await cell(0).focus()
    await page.keyboard.press('Control+End')
    await cell(COMPANIES - 1).waitFor()
    await expect.poll(() => cell(COMPANIES - 1).innerText()).toContain(last)
    await expect.poll(() => grid.getByRole('row').count()).toBeLessThan(ROWS_MAX)
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-row')))
      .toBe(String(COMPANIES - 1))

    await page.keyboard.press('x')
    const bar = page.getByRole('toolbar', { name: 'Selected records' })
    await bar.getByRole('button', { name: 'Select all 1,500' }).click()
    await bar.getByText('1,500 companies selected').waitFor()
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await bar.waitFor({ state: 'hidden' })
  })

  it.runIf(isLong)('shows the right rows at every position, and loads only what is visible', async () => {
    const { workspace, page, open } = await visitTo(await companies())
    const names = await allNames(workspace.api)
    let asked = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/companies/query')) asked += 1
    })
    await open('/companies?sort=name')
    for (const row of [0, 700, 1450, 234]) {
      const before = asked
      await scrollTo(page, row)
      await expect.poll(async () => (await drawn(page)).some(({ place }) => place === row)).toBe(true)
      expect((await drawn(page)).length).toBeLessThan(ROWS_MAX)
      await expect.poll(async () => (await drawn(page)).filter(({ place, name }) => name !== names[place])).toEqual([])
      // What is in sight lies on two pages at most.
      expect(asked - before).toBeLessThanOrEqual(2)
    }

    const before = asked
    await page.getByRole('grid').hover()
    for (let turn = 0; turn < 30; turn++) {
      await page.mouse.wheel(0, 900)
      expect((await drawn(page)).length).toBeLessThan(ROWS_MAX)
    }
    const passed = (30 * 900) / ROW_HEIGHT / PAGE_SIZE
    expect(asked - before).toBeLessThanOrEqual(Math.ceil(passed) + 2)
  })
})

const ROW_HEIGHT = 36

/** The names of all companies in the order of the list, as the API tells them. */
async function allNames(api: Api): Promise<string[]> {
  const names: string[] = []
  for (let number = 1; names.length < COMPANIES; number++) {
    const { body } = await api.get(`/companies?sort=name&per_page=${PAGE_SIZE}&page=${number}`)
    names.push(...body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name))
  }
  return names
}

/** The rows in the document, by their place in the list; those whose record has come have a name. */
function drawn(page: Page): Promise<{ place: number; name: string }[]> {
  return page.locator('[data-row][data-column="0"]').evaluateAll((cells) =>
    cells.map((cell) => ({
      place: Number(cell.getAttribute('data-row')),
      name: cell.querySelector('a')?.lastElementChild?.textContent ?? '',
    })),
  )
}

/** Brings a row to the top, at once, as one who pulls the scrollbar. */
async function scrollTo(page: Page, row: number): Promise<void> {
  const grid = page.getByRole('grid', { name: 'Companies' })
  await grid.locator('[data-row]').first().waitFor()
  await grid.evaluate((area, top) => area.scrollTo({ top }), row * ROW_HEIGHT)
}
