import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The text of one form of the call in the dialog "Use in API". */
async function callOn(page: Page, form: string): Promise<string> {
  await page.getByRole('tab', { name: form, exact: true }).click()
  return page.getByRole('tabpanel').locator('code').first().innerText()
}

async function pickField(page: Page, field: string, place = 0): Promise<void> {
  await page
    .getByRole('button', { name: /^Field:/ })
    .nth(place)
    .click()
  await page.getByRole('option', { name: field, exact: true }).click()
}

async function pickOperator(page: Page, operator: string, place = 0): Promise<void> {
  await page.getByRole('combobox', { name: 'Operator' }).nth(place).click()
  await page.getByRole('option', { name: operator, exact: true }).click()
}

describe('a filter that is built by hand', () => {
  it('gives the same rows as its calls in "Use in API"', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const made = await api.post('/companies', { name: 'Alder "Labs" & O\'Neill', custom_fields: { icp: true } })
    const company_id = made.body.data.id
    const people = [
      { name: 'Mia', company_id, custom_fields: { job_title: 'Buyer' } },
      { name: 'Noa', custom_fields: { job_title: 'Buyer' } },
      { name: 'Olu', company_id },
      { name: 'Pia', custom_fields: { job_title: 'Engineer' } },
    ]
    for (const person of people) expect((await api.post('/people', person)).status).toBe(201)
    await open('/people?sort=name')
    await gridOn(page).shows(['Mia', 'Noa', 'Olu', 'Pia'])

    // Any of: the job is "Buyer", or the company is one that is an ICP and whose name holds these words.
    await page.keyboard.press('f')
    await page.getByRole('combobox', { name: 'How the conditions are joined' }).click()
    await page.getByRole('option', { name: 'Any of' }).click()
    await pickField(page, 'Job title')
    await page.getByRole('textbox', { name: 'Value for Job title' }).fill('Buyer')
    await gridOn(page).shows(['Mia', 'Noa'])
    await page.getByRole('button', { name: 'Condition', exact: true }).click()
    await pickField(page, 'Company', 1)
    await pickOperator(page, 'is a company where', 1)
    await pickField(page, 'ICP', 1)
    await page.getByRole('combobox', { name: 'Value for ICP' }).click()
    await page.getByRole('option', { name: 'Yes' }).click()
    await page.getByRole('button', { name: 'Condition', exact: true }).first().click()
    await pickField(page, 'Name', 2)
    await pickOperator(page, 'contains', 2)
    await page.getByRole('textbox', { name: 'Value for Name' }).fill('"labs" & o\'n')
    await page.keyboard.press('Escape')
    await gridOn(page).shows(['Mia', 'Noa', 'Olu'])

    await page.getByRole('button', { name: 'Use in API' }).click()
    const env = { ...process.env, KITH_TOKEN: api.token }
    for (const form of ['curl', 'curl, query in a body']) {
      const { stdout } = await run('sh', ['-c', `${await callOn(page, form)} --silent`], { env })
      expect(namesOf(JSON.parse(stdout))).toEqual(['Mia', 'Noa', 'Olu'])
    }
    const { body } = await api.post('/people/query', JSON.parse(await callOn(page, 'Body for /query')))
    expect(namesOf(body)).toEqual(['Mia', 'Noa', 'Olu'])
    const code = await callOn(page, 'TypeScript client')
    const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '-e', code], { env, cwd: root })
    expect([...stdout.matchAll(/name: '(\w+)'/g)].map(([, name]) => name)).toEqual(['Mia', 'Noa', 'Olu'])
  })

  it.runIf(isLong)('says so when its field is deleted by someone else, and can be removed', async () => {
    const { workspace, page, open } = await visit()
    const { code } = await workspace.field('people', { name: 'Shoe size', type: 'text' })
    await workspace.api.post('/people', { name: 'Mia', custom_fields: { [code]: 'large' } })
    await workspace.api.post('/people', { name: 'Noa' })
    await open(`/people?filter=${encodeURIComponent(JSON.stringify({ custom_fields: { [code]: { $eq: 'large' } } }))}`)
    await gridOn(page).shows(['Mia'])
    await page.getByRole('button', { name: 'Shoe size is large' }).waitFor()
    await workspace.api.delete(`/schema/people/fields/${code}`)
    await page.getByRole('button', { name: `${code} $eq large` }).waitFor()
    await page.getByRole('alert').getByText('Some rows could not be loaded').waitFor()
    await page.getByRole('button', { name: 'Remove this filter' }).click()
    await gridOn(page).shows(['Noa', 'Mia'])
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  it.runIf(isLong)('is in the address, and can be changed after that was opened', async () => {
    const { workspace, page, open } = await visit()
    for (const name of ['Alder', 'Birch', 'Cedar']) await workspace.api.post('/companies', { name })
    const filter = { $not: { $or: [{ name: { $eq: 'Alder' } }, { name: { $eq: 'Cedar' } }] } }
    await open(`/companies?filter=${encodeURIComponent(JSON.stringify(filter))}`)
    await gridOn(page).shows(['Birch'])
    const chips = page.getByRole('list', { name: 'Active filters' })
    await expect.poll(() => chips.innerText()).toBe('None of: Name is Alder or Name is Cedar')
    await chips.getByRole('button', { name: /^None of/ }).click()
    await page.getByRole('combobox', { name: 'How the conditions are joined' }).click()
    await page.getByRole('option', { name: 'Any of' }).click()
    await gridOn(page).shows(['Cedar', 'Alder'])
    expect(JSON.parse(new URL(page.url()).searchParams.get('filter') ?? '')).toEqual(filter.$not)
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await gridOn(page).shows(['Cedar', 'Birch', 'Alder'])
    await chips.waitFor({ state: 'hidden' })
    const both = { name: { $contains: 'd' }, custom_fields: { icp: { $is_empty: false } } }
    await open(`/companies?filter=${encodeURIComponent(JSON.stringify(both))}`)
    await page.getByRole('heading', { name: 'No companies match' }).waitFor()
    await expect
      .poll(() => chips.getByRole('listitem').allInnerTexts())
      .toEqual(['Name contains d', 'ICP is not empty', 'Clear all'])
    await chips.getByRole('button', { name: 'Remove this filter' }).last().click()
    await gridOn(page).shows(['Cedar', 'Alder'])
  })
})

function namesOf(document: { data: { attributes: { name: string } }[] }): string[] {
  return document.data.map(({ attributes }) => attributes.name)
}
