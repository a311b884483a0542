import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Api } from '../../server/test/api.ts'
import { inRun } from '../../server/test/run-length.ts'
import { newWorkspace } from '../../server/test/workspace.ts'
import { visitTo } from './visit.ts'

const ROWS = inRun({ short: 1000, long: 10_000 })
/** One row in ten is of a person who is there already, and one in fifty has a problem. */
const KNOWN = ROWS / 10
const BROKEN = ROWS / 50

async function createPeople(api: Api): Promise<void> {
  for (let from = 0; from < KNOWN; from += 1000) {
    const operations = Array.from({ length: Math.min(1000, KNOWN - from) }, (_, at) => ({
      op: 'create',
      data: {
        name: `Known ${from + at}`,
        custom_fields: { emails: [`known${from + at}@a.example`], job_title: at % 2 === 0 ? 'Weaver' : null },
      },
    }))
    const { status } = await api.post('/people/batch', { operations })
    expect(status).toBe(200)
  }
}

/** All people as they are exported, without the time of the last change. */
async function peopleIn(api: Api): Promise<Map<string, unknown>> {
  const response = await fetch(`${api.base}/people/export`, { headers: { Authorization: `Bearer ${api.token}` } })
  const lines = (await response.text()).trim().split('\n').slice(0, -1)
  return new Map(
    lines.map((line) => {
      const { id, attributes, ...rest } = JSON.parse(line)
      const { updated_at: _, ...kept } = attributes
      return [id, { ...rest, attributes: kept }]
    }),
  )
}

function fileOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, at) => {
    if (at % 50 === 7) return `Broken ${at},no address,Poet`
    if (at % 10 === 3) return `Renamed ${at},known${(at - 3) / 10}@a.example,Engineer`
    return `New ${at},new${at}@a.example,Tester`
  })
  return ['Full name,Contact,Role', ...lines, ''].join('\n')
}

async function click(page: Page, name: RegExp | string): Promise<void> {
  await page.getByRole('button', { name }).click()
}

it('an import goes on when its tab is closed, and its undo restores every record', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  await createPeople(api)
  const before = await peopleIn(api)
  const { page: first, open } = await visitTo(workspace, { ownPage: true })
  await open('/people/import')
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(fileOf(ROWS)) }
  await first.getByLabel('File to import').setInputFiles(file)
  const number = (count: number) => count.toLocaleString('en-GB')
  await click(first, `Check ${number(ROWS)} rows`)
  const created = ROWS - KNOWN - BROKEN
  const words = `${number(created)} to create, ${number(KNOWN)} to update, ${BROKEN} with problems`
  await first.getByText(`This was a check, which writes nothing. Of ${number(ROWS)} rows: ${words}.`).waitFor()
  expect(await peopleIn(api)).toEqual(before)
  await Promise.all([first.waitForResponse('**/run'), click(first, `Import ${number(ROWS - BROKEN)} rows`)])
  const page = await first.context().newPage()
  await first.close()
  await page.goto(`${new URL(first.url()).origin}/${workspace.slug}/settings/imports`)
  await page.getByRole('link', { name: /Import of people/ }).click()
  const result = `Of ${number(ROWS)} rows: ${number(created)} created, ${number(KNOWN)} updated, ${BROKEN} failed.`
  await page.getByText(result).waitFor()
  expect((await peopleIn(api)).size).toBe(KNOWN + created)
  await page
    .getByRole('cell', { name: /^no address The Emails value no address must be a valid email address/ })
    .first()
    .waitFor()
  await click(page, 'Undo all')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo all' }).click()
  await page.getByText(`Of ${number(ROWS - BROKEN)} rows: ${number(ROWS - BROKEN)} undone.`).waitFor()
  const after = await peopleIn(api)
  expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
  for (const [id, record] of before) expect(after.get(id)).toEqual(record)
})
