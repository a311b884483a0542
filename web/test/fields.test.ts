import { fieldTypeNames } from '@kith/contract/field-type-name'
import { expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import type { TestWorkspace } from '../../server/test/workspace.ts'
import { moveInList } from './drag.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

async function fieldsOf({ api }: TestWorkspace, resource: string) {
  const { body } = await api.get(`/custom-fields?entity_type=${resource}&per_page=100`)
  return body.data.map(({ attributes }: { attributes: Record<string, unknown> }) => attributes)
}

it('a choice made in the settings, with colours and order, shows in the list and in the API', async () => {
  const { workspace, page, open } = await visit()
  await workspace.api.post('/companies', { name: 'Alder Labs' })
  await open('/settings/fields')
  await page.getByRole('button', { name: 'New field' }).click()
  await page.getByRole('button', { name: /^Select / }).click()
  await page.getByLabel('Name').fill('Tier')
  await page.getByRole('button', { name: 'Add an option' }).click()
  for (const [place, label] of ['Gold', 'Silver', 'Bronze'].entries()) {
    await page.getByRole('textbox', { name: `Option ${place + 1}` }).fill(label)
    if (place < 2) await page.keyboard.press('Enter')
  }
  await page.getByRole('button', { name: 'Colour of Gold: gray' }).click()
  await page.getByRole('button', { name: 'amber' }).click()
  // The focus returns to it when the colours have closed.
  const colour = page.getByRole('button', { name: 'Colour of Gold: amber' })
  await expect.poll(() => colour.evaluate((button) => button === document.activeElement)).toBe(true)
  await moveInList(page, 'Bronze', { from: 3, to: 2 })
  await page.getByRole('button', { name: 'Create field' }).click()
  await page.getByRole('button', { name: 'Copy the code tier' }).waitFor()

  const made = (await fieldsOf(workspace, 'companies')).at(-1)
  expect(made).toMatchObject({ code: 'tier', type: 'select', required: false })
  expect(made.options.map(({ label }: { label: string }) => label)).toEqual(['Gold', 'Bronze', 'Silver'])
  expect(made.options[0].color).toBe('amber')

  await moveInList(page, 'Tier', { from: 4, to: 3 })
  await expect
    .poll(async () => (await fieldsOf(workspace, 'companies')).map(({ code }: { code: string }) => code))
    .toEqual(['domains', 'linkedin', 'tier', 'icp'])

  await open('/companies')
  await gridOn(page).shows(['Alder Labs'])
  await page.getByRole('button', { name: 'Columns' }).click()
  const shown = page.getByRole('switch', { name: 'Tier' })
  if (!(await shown.isChecked())) await shown.click()
  await page.keyboard.press('Escape')
  await page.getByRole('columnheader', { name: 'Tier' }).waitFor()
})

it.runIf(isLong)('every type of field can be made', async () => {
  const { workspace, page, open } = await visit()
  await open('/settings/fields?of=notes')
  const before = (await fieldsOf(workspace, 'notes')).length
  await page.getByRole('button', { name: 'New field' }).click()
  const types = page.getByRole('dialog').getByRole('region').getByRole('button')
  await expect.poll(() => types.count()).toBe(fieldTypeNames.length)
  for (let place = 0; place < fieldTypeNames.length; place++) {
    if (place > 0) await page.getByRole('button', { name: 'New field' }).click()
    await types.nth(place).click()
    await page.getByLabel('Name', { exact: true }).fill(`Field ${place}`)
    const target = page.getByRole('combobox', { name: 'Refers to' })
    if (await target.isVisible()) {
      await target.click()
      await page.getByRole('option', { name: 'Companies' }).click()
    }
    await page.getByRole('button', { name: 'Create field' }).click()
    await page.getByRole('button', { name: `Field ${place}`, exact: true }).waitFor()
  }
  const made = (await fieldsOf(workspace, 'notes')).slice(before).map(({ type }: { type: string }) => type)
  expect(made.sort()).toEqual([...fieldTypeNames].sort())
})

it.runIf(isLong)(
  'a form that was opened earlier keeps the options that others have added, removed and renamed since',
  async () => {
    const { workspace, page, open } = await visit()
    const labels = ['Gold', 'Silver', 'Tin', 'Lead']
    const tier = await workspace.field('companies', { name: 'Tier', type: 'select', options: labels })
    await open('/settings/fields')
    await page.getByRole('button', { name: 'Tier', exact: true }).click()
    await page.getByLabel('Description').fill('How much they pay')
    const [gold, silver, tin] = tier.options
    const options = [gold, { ...silver, label: 'Platinum' }, tin, { label: 'Bronze' }]
    await workspace.updateField('companies', tier.code, { name: 'Level', options })
    await workspace.api.post('/companies', { name: 'Acme', custom_fields: { tier: 'Bronze' } })
    await page.getByRole('textbox', { name: 'Option 1' }).fill('Golden')
    await page.getByRole('button', { name: 'Remove Tin' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const stored = (await fieldsOf(workspace, 'companies')).at(-1)
    expect(stored).toMatchObject({ name: 'Level', description: 'How much they pay' })
    expect(stored.options.map(({ label }: { label: string }) => label)).toEqual(['Golden', 'Platinum', 'Bronze'])
    const { body } = await workspace.api.get('/companies')
    expect(body.data[0].attributes.custom_fields.tier?.label).toBe('Bronze')
  },
)

it.runIf(isLong)('problems are shown next to their fields', async () => {
  const { page, open } = await visit()
  await open('/settings/fields')
  await page.getByRole('button', { name: 'New field' }).click()
  await page.getByRole('button', { name: /^Text / }).click()
  await page.getByLabel('Name').fill('domains')
  await page.getByLabel('Code (optional)').fill('Not a code')
  await page.getByRole('button', { name: 'Create field' }).click()
  await page.getByText('The name is taken by the field with the code domains.').waitFor()
  await page.getByText('The code must begin with a letter').waitFor()
  await expect.poll(() => page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
})

it.runIf(isLong)('a field becomes unique while duplicates exist, and says how many', async () => {
  const { workspace, page, open } = await visit()
  const { code } = await workspace.field('companies', { name: 'VAT', type: 'text' })
  for (const name of ['Alder', 'Birch', 'Cedar']) {
    await workspace.api.post('/companies', { name, custom_fields: { [code]: name === 'Cedar' ? 'DE 2' : 'DE 1' } })
  }
  await open('/settings/fields')
  await page.getByRole('button', { name: 'VAT', exact: true }).click()
  await page.getByRole('switch', { name: 'Unique' }).click()
  await page.getByText('One value is held by more than one record.').waitFor()
  await page.getByRole('switch', { name: 'Required' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  const line = page.getByRole('listitem').filter({ hasText: 'VAT' })
  await line.getByText('Unique').waitFor()
  await line.getByText('Required').waitFor()
  const refused = await workspace.api.post('/companies', { name: 'Dogwood', custom_fields: { [code]: 'de 2' } })
  expect(refused.body.errors).toHaveProperty(`custom_fields.${code}`)
})

it.runIf(isLong)('a field is archived, brought back, and deleted for good; system fields stay', async () => {
  const { workspace, page, open } = await visit()
  const { code } = await workspace.field('companies', { name: 'Region', type: 'text' })
  const { body } = await workspace.api.post('/companies', { name: 'Alder', custom_fields: { [code]: 'North' } })
  const value = async () => {
    const { attributes } = (await workspace.api.get(`/companies/${body.data.id}`)).body.data
    return attributes.custom_fields[code]
  }
  await open('/settings/fields')
  const archive = async () => {
    await page.getByRole('button', { name: 'More about Region' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await page.getByRole('list', { name: 'Archived fields' }).getByText('Region', { exact: true }).waitFor()
  }
  await archive()
  await expect.poll(value).toBeUndefined()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByRole('list', { name: 'Archived fields' }).waitFor({ state: 'detached' })
  await expect.poll(value).toBe('North')
  await archive()
  await page.getByRole('button', { name: 'More about Region' }).click()
  await page.getByRole('menuitem', { name: 'Delete for good' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete for good' }).click()
  await page.getByRole('list', { name: 'Archived fields' }).waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'More about Domains' }).click()
  await expect.poll(() => page.getByRole('menuitem', { name: 'Archive' }).getAttribute('aria-disabled')).toBe('true')
})
