import type { Page } from 'playwright-core'
import type { Scene } from './scenes.ts'

/** Each picture has people of its own, so that every import has something to create. */
let pictures = 0

const csv = (picture: number) =>
  [
    'First Name;Last Name;E-mail;Phone;Role;Company website;Birthday;Height;Segment',
    'Grace;Hopper;grace@navy.example;+1 202 555 0143;Rear admiral;navy.example;09/12/1906;1,70;Gold',
    'Alan;Turing;alan@bletchley;;Mathematician;;23/06/1912;1,77;Silver',
    'Katherine;Johnson;kj@nasa.example, k.johnson@nasa.example;555 0100;;nasa.example;26/08/1918;;Gold',
    ';;;;;;;;Silver',
    'عمر;الخيام;omar@stars.example;;Poet;;18/05/1048;1,80;Gold',
    ...Array.from({ length: 40 }, (_, at) => `Person;Number ${at};p${at}@many${picture}.example;;Tester;;;;Gold`),
  ].join('\r\n')

async function choose(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/people/import`)
  const file = { name: 'contacts.csv', mimeType: 'text/csv', buffer: Buffer.from(csv(++pictures)) }
  await page.getByLabel('File to import').setInputFiles(file)
  await page.getByRole('heading', { name: 'Preview' }).waitFor()
}

async function check(page: Page, base: string): Promise<void> {
  await choose(page, base)
  await page.getByRole('button', { name: /^Check/ }).click()
  await page.getByText('This was a check, which writes nothing.').waitFor()
  await page.getByRole('heading', { name: 'Rows with problems' }).waitFor()
}

/** The screens of an import, from the file to its result. */
export const importScenes: Scene[] = [
  scene('import-file', 'Import: the file', async (page, { base }) => {
    await page.goto(`${base}/people/import`)
    await page.getByRole('heading', { name: 'Drop a CSV or XLSX file here' }).waitFor()
  }),
  scene('import-columns', 'Import: the columns', (page, { base }) => choose(page, base)),
  scene('import-preview', 'Import: problems next to the cells', async (page, { base }) => {
    await choose(page, base)
    await page.getByRole('heading', { name: 'Preview' }).scrollIntoViewIfNeeded()
    await page.getByRole('region', { name: 'First rows' }).scrollIntoViewIfNeeded()
  }),
  scene('import-check', 'Import: the check', (page, { base }) => check(page, base)),
  scene('import-result', 'Import: the result', async (page, { base }) => {
    await check(page, base)
    await page.getByRole('button', { name: /^Import \d+ row/ }).click()
    await page.getByText(/^Of 45 rows: /).waitFor()
    await page.getByRole('button', { name: 'Undo import' }).waitFor()
  }),
  scene('imports', 'Imports', async (page, { base }) => {
    await page.goto(`${base}/settings/imports`)
    await page.getByRole('list', { name: 'Imports' }).waitFor()
  }),
]

function scene(name: string, title: string, show: Scene['show']): Scene {
  return { name, title, group: 'Import', show }
}
