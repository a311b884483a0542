import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeXlsx } from 'hucre/xlsx'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Api } from '../../server/test/api.ts'
import { inRun, isLong } from '../../server/test/run-length.ts'
import { newWorkspace } from '../../server/test/workspace.ts'
import { expectAccessible } from './accessibility.ts'
import { visitTo } from './visit.ts'

const appearances = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 400 },
] as const

type Shown = { id: string; attributes: Record<string, unknown> }

/** All people by id, without the time of the last change. */
async function peopleIn(api: Api): Promise<Record<string, unknown>> {
  const { body } = await api.get('/people?per_page=100')
  return Object.fromEntries(
    body.data.map(({ id, attributes: { updated_at: _, ...attributes } }: Shown) => [id, attributes]),
  )
}

function choose(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  const buffer = Buffer.from(content as Uint8Array)
  return page.getByLabel('File to import').setInputFiles({ name, mimeType: 'text/csv', buffer })
}

const EXAMPLES = join(import.meta.dirname, '../src/screens/import/presets/examples')

/**
 * Files of other programs, written by hand from their documentation, and the people in them. The tests of the presets
 * read all of them, so the short run imports those of one program.
 */
const exports: [file: string, resource: string, people: Record<string, string | undefined>][] = [
  ['hubspot-companies.csv', 'companies', {}],
  ['hubspot-contacts.csv', 'people', { 'Brian Halligan': 'Globex', 'Maria Johnson': 'Initech' }],
  ['pipedrive-people.csv', 'people', { 'Benjamin Leon': undefined, 'Phyllis Yang': undefined }],
  ['salesforce-contacts.csv', 'people', { 'Rose Gonzalez': undefined, 'Sean Forbes': undefined }],
  ['attio-companies.csv', 'companies', {}],
  ['google-contacts.csv', 'people', { 'Alan Turing': undefined, 'Grace Brewster Hopper': undefined }],
]

const sectionOn = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function pick(page: Page, column: string, target: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${column} goes to: `) }).click()
  await page.getByRole('option', { name: target, exact: true }).click()
}

/** Opens the list of the focused button, finds something in it and picks it. */
async function pickByKeyboard(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Enter')
  await focused(page, page.getByRole('combobox', { name: /^Where / }))
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

function focused(page: Page, one: Locator): Promise<void> {
  return one.and(page.locator(':focus')).waitFor()
}

describe('Import', () => {
  it('shows problems next to the cells before anything is written, imports the others, and undoes it', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await api.post('/people', { name: 'Ada', custom_fields: { emails: ['ada@a.example'], job_title: 'Engineer' } })
    const { page, open } = await visitTo(workspace)
    await open('/people')
    await page.getByRole('button', { name: /^Views: / }).click()
    await page.getByRole('menuitem', { name: 'Import people' }).click()
    const csv =
      'Last Name;First Name;Contact details;Role;Height\r\n' +
      'Lovelace;Ada;ada@a.example;Countess;1,70\r\n' +
      'Byron;"George; Lord";byron@;Poet;\r\n' +
      'Babbage;Charles;charles@b.example, c@b.example;;1,80\r\n'
    await choose(page, 'friends.csv', csv)
    // First and last names are joined, addresses are recognised by what they look like.
    await page.getByRole('button', { name: 'Last Name goes to: Name' }).waitFor()
    await page.getByRole('button', { name: 'Contact details goes to: Emails' }).waitFor()
    await page.getByRole('button', { name: 'Role goes to: Job title' }).waitFor()
    const preview = sectionOn(page, 'First rows')
    await preview.getByRole('cell', { name: 'Charles Babbage' }).waitFor()
    await preview.getByRole('cell', { name: /^byron@ The Emails value byron@ must be a valid email address/ }).waitFor()
    await expectAccessible(page, appearances)
    // A field is created on the way, with the type that fits.
    await pick(page, 'Height', 'New field …')
    await page.getByRole('dialog').getByText('Number', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Create field' }).click()
    await page.getByRole('button', { name: 'Height goes to: Height' }).waitFor()
    await page.getByText('1.234,50').waitFor()
    const before = await peopleIn(api)
    await page.getByRole('button', { name: 'Check 3 rows' }).click()
    await page
      .getByText('This was a check, which writes nothing. Of 3 rows: 1 to create, 1 to update, 1 with problems.')
      .waitFor()
    const problems = sectionOn(page, 'Cells of these rows')
    await problems
      .getByRole('cell', { name: /^byron@ The Emails value byron@ must be a valid email address/ })
      .waitFor()
    expect(await peopleIn(api)).toEqual(before)
    await expectAccessible(page, appearances)
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByText('Of 3 rows: 1 created, 1 updated, 1 failed.').waitFor()
    const after = Object.values(await peopleIn(api))
    expect(after).toHaveLength(2)
    expect(after).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'Charles Babbage',
          creation_source: 'import',
          custom_fields: expect.objectContaining({ emails: ['charles@b.example', 'c@b.example'], height: 1.8 }),
        }),
        expect.objectContaining({
          name: 'Ada Lovelace',
          custom_fields: expect.objectContaining({ job_title: 'Countess', height: 1.7 }),
        }),
      ]),
    )
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Rows with problems' }).click(),
    ])
    const failed = Buffer.concat(await (await file.createReadStream()).toArray()).toString()
    expect(failed).toMatch(/^name,Contact details,Role,Height,errors\r\nGeorge; Lord Byron,byron@,Poet,,"The /)
    await page.getByRole('button', { name: 'Undo all' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Undo all' }).click()
    await page.getByRole('heading', { name: 'friends.csv' }).waitFor()
    await page.getByText('Of 2 rows: ').waitFor()
    await expect.poll(() => peopleIn(api)).toEqual(before)
    await page.getByRole('link', { name: 'Imports', exact: true }).first().click()
    const lines = page.getByRole('list', { name: 'Imports' }).getByRole('listitem')
    await lines.filter({ hasText: 'Undo of an import of people' }).waitFor()
    await expect.poll(() => lines.count()).toBe(3)
  })

  it.runIf(isLong)('reads the chosen sheet of an XLSX file, with its dates and numbers', async () => {
    const workspace = await newWorkspace()
    const { page, open } = await visitTo(workspace)
    const bytes = await writeXlsx({
      sheets: [
        { name: 'Notes', rows: [['About'], ['Nothing here']] },
        {
          name: 'Deals',
          rows: [
            ['Deal', 'Amount', 'Close date', 'Stage'],
            ['Mill', 1234.5, new Date('2026-12-24T00:00:00Z'), 'Proposal'],
            ['Loom', 900, null, 'Weaving'],
          ],
        },
      ],
    })
    await open('/opportunities')
    await page.getByRole('link', { name: 'Import a file' }).click()
    await choose(page, 'deals.xlsx', bytes)
    await page.getByRole('combobox', { name: 'Sheet' }).click()
    await page.getByRole('option', { name: 'Deals' }).click()
    await page.getByRole('button', { name: 'Deal goes to: Name' }).waitFor()
    await page.getByText('Create the options that are missing').click()
    await page.getByRole('button', { name: 'Check 2 rows' }).click()
    await page.getByText('This was a check, which writes nothing. Of 2 rows: 2 to create.').waitFor()
    // The state of an import is with the service.
    await page.reload()
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByText('Of 2 rows: 2 created.').waitFor()
    const { body } = await workspace.api.get('/opportunities?sort=name')
    expect(body.data.map(({ attributes }: Shown) => attributes.custom_fields)).toMatchObject([
      { amount: 900, close_date: null, stage: { label: 'Weaving' } },
      { amount: 1234.5, close_date: '2026-12-24', stage: { label: 'Proposal' } },
    ])
  })

  it('is possible by keyboard alone, and loses nothing when the service stops while the file is sent', async () => {
    const workspace = await newWorkspace()
    const { page, open } = await visitTo(workspace)
    await open('/companies/import')
    // The browser reports choosers from the next round trip on, so it is asked before the button gets the focus.
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file' }).focus()
    await page.keyboard.press('Enter')
    const csv = 'Company,Site,Note\nAlder,alder.example,first\nBirch,birch.example,second\n'
    await (await chooser).setFiles({ name: 'trees.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    // A column of domains is recognised by its values. Another one is left out.
    const site = page.getByRole('button', { name: 'Site goes to: Domains' })
    await site.focus()
    await pickByKeyboard(page, "don't")
    await focused(page, page.getByRole('button', { name: 'Site goes to: Not imported' }))
    await pickByKeyboard(page, 'domains')
    await focused(page, site)
    await page.route('**/v1/jobs/*/file', (route) => route.abort())
    await page.getByRole('button', { name: 'Check 2 rows' }).press('Enter')
    await page.getByRole('alert').getByText('The service could not be reached. Your choices are kept.').waitFor()
    await page.unroute('**/v1/jobs/*/file')
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.getByText('This was a check, which writes nothing. Of 2 rows: 2 to create.').waitFor()
    // The columns can still be changed after the check.
    await page.getByRole('link', { name: 'Back to the columns' }).press('Enter')
    await site.waitFor()
    // Only one job was made for the two tries.
    const { body } = await workspace.api.get('/jobs')
    expect(body.meta.total).toBe(1)
  })

  it.runIf(isLong)('takes the exports of other programs without manual mapping', async () => {
    const workspace = await newWorkspace()
    const { page, open } = await visitTo(workspace)
    const chosen = exports.slice(0, inRun({ short: 2, long: exports.length }))
    for (const [file, resource] of chosen) {
      await open(`/${resource}/import`)
      await choose(page, file, readFileSync(join(EXAMPLES, file)))
      await page.getByText(/^Recognised as an export from /).waitFor()
      await page.getByRole('button', { name: 'Check 2 rows' }).click()
      await page.getByRole('button', { name: 'Import 2 rows' }).click()
      await page.getByText('Of 2 rows: 2 created.').waitFor()
    }
    const { body } = await workspace.api.get('/people?include=company&sort=name')
    const companies = Object.fromEntries(body.included.map(({ id, attributes }: Shown) => [id, attributes.name]))
    const people = body.data.map(({ attributes }: Shown) => [attributes.name, companies[String(attributes.company_id)]])
    expect(Object.fromEntries(people)).toStrictEqual(Object.assign({}, ...chosen.map(([, , known]) => known)))
  })
})
