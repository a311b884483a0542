import { expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import type { TestWorkspace } from '../../server/test/workspace.ts'
import { visit } from './visit.ts'

/** Two companies with one VAT number, each with something of its own. */
async function duplicates(workspace: TestWorkspace) {
  const { api } = workspace
  const { code } = await workspace.field('companies', { name: 'VAT', type: 'text' })
  const post = async (path: string, body: object): Promise<string> => (await api.post(path, body)).body.data.id
  const older = await post('/companies', { name: 'Acme', custom_fields: { [code]: 'DE 1', domains: ['acme.com'] } })
  const custom_fields = { [code]: 'de 1', domains: ['acme.de'], linkedin: ['https://linkedin.com/company/acme'] }
  const newer = await post('/companies', { name: 'ACME Corporation', custom_fields })
  // Who is named in two ways moves once.
  await workspace.field('people', {
    name: 'Client',
    type: 'record',
    target: 'companies',
    inverse: { name: 'Advisers' },
  })
  const person = await post('/people', { name: 'Wile', company_id: older, custom_fields: { client: older } })
  const note = await post('/notes', { title: 'Hello', company_ids: [older] })
  await workspace.updateField('companies', code, { unique: true })
  return { code, older, newer, person, note }
}

it('duplicates are compared side by side, merged as chosen, and unmerged', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const { code, older, newer, person } = await duplicates(workspace)
  const companyOf = async () => (await api.get(`/people/${person}`)).body.data.attributes.company_id

  await open('/duplicates')
  await page.getByRole('link', { name: 'Compare and merge the records with DE 1' }).click()
  await page.getByRole('radio', { name: 'Keep ACME Corporation' }).check()
  await page.getByRole('radio', { name: 'Name of Acme', exact: true }).check()
  await expect.poll(() => page.getByRole('radio', { name: 'Domains of all records' }).isChecked()).toBe(true)
  const outcome = page.getByRole('region', { name: 'What happens' })
  await outcome.getByText(`ACME Corporation stays and keeps its id ${newer}.`).waitFor()
  await outcome.getByText('1 person and 1 note of the others move to it.').waitFor()
  await page.getByRole('button', { name: 'Merge into ACME Corporation' }).click()

  await page.getByRole('heading', { name: 'No duplicate companies' }).waitFor()
  const merged = (await api.get(`/companies/${newer}`)).body.data.attributes
  expect(merged).toMatchObject({
    name: 'Acme',
    custom_fields: {
      [code]: 'de 1',
      domains: ['acme.de', 'acme.com'],
      linkedin: ['https://linkedin.com/company/acme'],
    },
  })
  expect(await companyOf()).toBe(newer)
  expect((await api.get(`/companies/${older}`)).status).toBe(404)

  await page.getByRole('button', { name: 'Undo the merge into Acme' }).click()
  await page.getByRole('link', { name: 'Compare and merge the records with DE 1' }).waitFor()
  expect((await api.get(`/companies/${newer}`)).body.data.attributes).toMatchObject({
    name: 'ACME Corporation',
    custom_fields: { domains: ['acme.de'] },
  })
  expect(await companyOf()).toBe(older)
})

it.runIf(isLong)('a merge is undone from its toast, and by restoring from the trash', async () => {
  const { workspace, page, open } = await visit({ width: 400 })
  const { older, newer } = await duplicates(workspace)
  const both = async () => {
    const answers = await Promise.all([older, newer].map((id) => workspace.api.get(`/companies/${id}`)))
    return answers.map(({ status }) => status)
  }
  const merge = async () => {
    await open('/duplicates')
    await page.getByRole('link', { name: 'Compare and merge the records with DE 1' }).click()
    await page.getByRole('button', { name: 'Merge into Acme' }).click()
    await page.getByText('Merged 2 companies into Acme', { exact: true }).waitFor()
    await expect.poll(both).toEqual([200, 404])
  }
  await merge()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(both).toEqual([200, 200])
  await merge()
  await open('/settings/trash')
  await page.getByRole('button', { name: 'Undo the merge of ACME Corporation' }).click()
  await expect.poll(both).toEqual([200, 200])
})

it.runIf(isLong)('the page of a merged record leads to the one that it was merged into', async () => {
  const { workspace, page, open } = await visit()
  const { older, newer } = await duplicates(workspace)
  await workspace.api.put(`/companies/${older}/merge`, { loser_ids: [newer] })
  await open(`/companies/${newer}`)
  await page.getByRole('heading', { name: 'This company was merged into another one' }).waitFor()
  await page.getByRole('link', { name: 'Open that company' }).click()
  await page.waitForURL((url) => url.pathname.endsWith(older))
})

it.runIf(isLong)('one of several is left out', async () => {
  const { workspace, page, open } = await visit()
  const { code, older, newer } = await duplicates(workspace)
  await workspace.updateField('companies', code, { unique: false })
  const third = (await workspace.api.post('/companies', { name: 'Other', custom_fields: { [code]: 'DE 1' } })).body.data
    .id
  await workspace.updateField('companies', code, { unique: true })
  await open(`/duplicates?of=companies&merge=${[older, newer, third].join(',')}`)
  await page.getByRole('heading', { name: 'Merge 3 companies' }).waitFor()
  await page.getByRole('button', { name: 'Leave out Other' }).click()
  await page.getByRole('heading', { name: 'Merge 2 companies' }).waitFor()
  expect(await page.getByRole('button', { name: /^Leave out/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Merge into Acme' }).click()
  await page.getByText('Merged 2 companies into Acme', { exact: true }).waitFor()
  expect((await workspace.api.get(`/companies/${third}`)).status).toBe(200)
})

it.runIf(isLong)('duplicates are labelled as certain or likely', async () => {
  const { workspace, page, open } = await visit()
  await duplicates(workspace)
  for (const name of ['Müller GmbH', 'MULLER']) await workspace.api.post('/companies', { name })
  await open('/duplicates')
  const lines = page.getByRole('list', { name: 'Duplicates' }).locator('> li')
  await expect.poll(() => lines.count()).toBe(3)
  const texts = await lines.allInnerTexts()
  expect(texts.map((text) => [text.includes('Certain'), text.includes('Likely')])).toEqual([
    [true, false],
    [false, true],
    [false, true],
  ])
  expect(texts[2]).toContain('Müller GmbH')
})
