import { readFileSync } from 'node:fs'
import { writeXlsx } from 'hucre/xlsx'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { declared, everyResource, workspaceWithOwn } from '../../server/test/own-resource.ts'
import { isLong } from '../../server/test/run-length.ts'
import { newWorkspace } from '../../server/test/workspace.ts'
import { visit, visitTo } from './visit.ts'

function choose(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  const buffer = Buffer.from(content as Uint8Array)
  return page.getByLabel('File to import').setInputFiles({ name, mimeType: 'text/csv', buffer })
}

describe('Import', () => {
  it.runIf(isLong)('begins in the menu and the empty state of every list, at home, and in the settings', async () => {
    const { page, open, workspace } = await visitTo(await workspaceWithOwn())
    await open('')
    await page.getByRole('link', { name: 'Import a file' }).waitFor()
    for (const resource of everyResource) {
      const { name } = declared(resource).row
      const address = `/${workspace.slug}/${resource}/import`
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await page.waitForURL(`**/${resource}`)
      await expect.poll(() => page.getByRole('link', { name: 'Import a file' }).getAttribute('href')).toBe(address)
      await page.getByRole('button', { name: /^Views: / }).click()
      await page.getByRole('menuitem', { name: `Import ${name.toLowerCase()}` }).click()
      await page.waitForURL(`**${address}`)
    }
    await open('/settings/imports')
    await page.getByRole('button', { name: 'Import a file' }).click()
    await page.getByRole('menuitem', { name: 'Notes' }).click()
    await page.waitForURL(`**/${workspace.slug}/notes/import`)
  })

  it('creates no fields and options for a member, and says who can', async () => {
    const { page, open } = await visit({ role: 'member' })
    await open('/opportunities/import')
    await choose(page, 'deals.csv', 'Deal,Stage,Season\nMill,Proposal,Spring\nLoom,Weaving,Autumn\n')
    await page.getByText('Owners and admins can create them. Rows that need them are not imported.').waitFor()
    expect(await page.getByText('Create the options that are missing').count()).toBe(0)
    await page.getByRole('button', { name: 'Season goes to: Not imported' }).click()
    await page.getByText('Is a field missing? Owners and admins can create it.').waitFor()
    expect(await page.getByRole('option', { name: 'New field …' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Check 2 rows' }).click()
    await page.getByText('This was a check, which writes nothing. Of 2 rows: 1 to create, 1 with problems.').waitFor()
  })

  it.runIf(isLong)('is not offered to viewers', async () => {
    const workspace = await newWorkspace()
    const { page, open } = await visitTo(workspace, { role: 'viewer' })
    await open('/people')
    await page.getByRole('button', { name: /^Views: / }).click()
    await page.getByRole('menuitem', { name: 'Export this list' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Import people' }).count()).toBe(0)
    await open('/people/import')
    await page.getByText('Your role may read records, but not create them.').waitFor()
    await open('/settings/imports')
    await page.getByRole('heading', { name: 'No imports yet' }).waitFor()
    expect(await page.getByRole('button', { name: 'Import a file' }).count()).toBe(0)
  })

  it('keeps what was chosen for the columns of a file when the page is loaded again', async () => {
    const { page, open } = await visit()
    const csv = 'Name,Note,Address\nAda,first,ada@a.example\n'
    await open('/people/import')
    await choose(page, 'people.csv', csv)
    await page.getByRole('button', { name: 'Note goes to: Not imported' }).click()
    await page.getByRole('option', { name: 'Job title', exact: true }).click()
    await page.getByRole('combobox', { name: 'What to do' }).click()
    await page.getByRole('option', { name: 'Create a record for each row' }).click()
    await page.reload()
    await choose(page, 'people.csv', csv)
    await page.getByRole('button', { name: 'Note goes to: Job title' }).waitFor()
    await page.getByRole('combobox', { name: 'What to do' }).getByText('Create a record for each row').waitFor()
    await page.getByRole('button', { name: 'Recognise again' }).click()
    await page.getByRole('button', { name: 'Note goes to: Not imported' }).waitFor()
    await page.getByRole('combobox', { name: 'What to do' }).getByText('Update those that exist').waitFor()
  })

  it.runIf(isLong)('runs once, also if its check is opened again', async () => {
    const { page, open, workspace } = await visit()
    await open('/people/import')
    await choose(page, 'people.csv', 'Name\nAda\n')
    await page.getByRole('button', { name: 'Check 1 row' }).click()
    const run = page.getByRole('button', { name: 'Import 1 row' })
    await run.click()
    const created = page.getByText('1 created.')
    await created.waitFor()
    await page.goBack()
    await run.click()
    await created.waitFor()
    const { body } = await workspace.api.get('/people')
    expect(body.meta.total).toBe(1)
  })

  it.runIf(isLong)('that does not exist is not asked for again and again', async () => {
    const { page, open } = await visit()
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('/v1/jobs/unknown')) asked++
    })
    await open('/settings/imports?job=unknown')
    await page.getByText('This could not be loaded').waitFor()
    await page.waitForTimeout(1500)
    expect(asked).toBeLessThan(3)
  })

  it.runIf(isLong)('names the column whose field was deleted by someone else', async () => {
    const { page, open, workspace } = await visit()
    const { code } = await workspace.field('people', { name: 'Height', type: 'text' })
    await open('/people/import')
    await choose(page, 'people.csv', 'Name,Height\nAda,170\n')
    await page.getByRole('button', { name: 'Height goes to: Height' }).waitFor()
    await workspace.api.delete(`/schema/people/fields/${code}`)
    await page.getByText('The column Height goes to a field that was deleted or changed.').waitFor()
    const check = page.getByRole('button', { name: 'Check 1 row' })
    expect(await check.isDisabled()).toBe(true)
    await page.getByRole('button', { name: /^Height goes to: / }).click()
    await page.getByRole('option', { name: "Don't import" }).click()
    await expect.poll(() => check.isEnabled()).toBe(true)
  })

  it.runIf(isLong)(
    'says so when the service is away, while a file is opened and while it is moved to another list',
    async () => {
      // The part that reads files is not in the cache.
      const { page, open } = await visit({ ownPage: true })
      await open('/companies/import')
      const button = page.getByRole('button', { name: 'Choose a file' })
      await button.waitFor()
      const people = readFileSync(
        new URL('../src/screens/import/presets/examples/hubspot-contacts.csv', import.meta.url),
      )
      await page.context().setOffline(true)
      await choose(page, 'people.csv', people)
      await page.getByRole('alert').getByText('The service could not be reached.').waitFor()
      await page.context().setOffline(false)
      await choose(page, 'people.csv', people)
      const move = page.getByRole('button', { name: 'Import as people' })
      await move.waitFor()
      await page.context().setOffline(true)
      await move.click()
      await page.getByText('The service could not be reached.', { exact: true }).waitFor()
      await page.context().setOffline(false)
      await move.click()
      await page.getByRole('heading', { name: 'Import people' }).waitFor()
    },
  )

  it.runIf(isLong)('shows a file of 2,000 columns in parts, and refuses a zip bomb with what to do', async () => {
    const { page, open } = await visit()
    const header = ['Name', ...Array.from({ length: 1998 }, (_, at) => `Column ${at}`), 'Email']
    await open('/people/import')
    await choose(page, 'wide.csv', `${header.join()}\nAda${','.repeat(1999)}ada@a.example\n`)
    await page.getByRole('button', { name: 'Email goes to: Emails' }).waitFor()
    await page.getByText('1,949 more columns are not imported.').waitFor()
    await page.getByRole('button', { name: 'Show more columns' }).click()
    await page.getByText('1,899 more columns are not imported.').waitFor()
    await page.getByRole('button', { name: 'Another file' }).click()
    const bomb = await writeXlsx({ sheets: [{ name: 'A', rows: [['Name'], ['Ada']] }] })
    const entry = Buffer.from(bomb).indexOf('PK\x01\x02')
    new DataView(bomb.buffer, bomb.byteOffset).setUint32(entry + 24, 3_000_000_000, true)
    await choose(page, 'bomb.xlsx', bomb)
    await page.getByRole('alert').getByText('larger than 512 MB when it is unpacked').waitFor()
  })
})
