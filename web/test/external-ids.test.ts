import { describe, expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { eventually } from './eventually.ts'
import { visit, visitTo } from './visit.ts'

describe('sync 8. The application shows external ids on the record page', () => {
  it('adds one, shows it after a reload and in the history, and removes it', async () => {
    const { workspace, page, open } = await visit()
    const external_ids = { salesforce: ['001A'] }
    const { id } = (await workspace.api.post('/companies', { name: 'Acme', external_ids })).body.data
    const held = async () =>
      (await workspace.api.get(`/companies/${id}?include=externalIds`)).body.data.attributes.external_ids
    await open(`/companies/${id}`)
    const section = page.getByRole('region', { name: 'External ids' })
    await page.getByText('Source and ids').click()
    await section.getByText('001A').waitFor()
    await section.getByRole('button', { name: 'Add an external id' }).click()
    await section.getByRole('textbox', { name: 'System' }).fill('billing')
    await section.getByRole('textbox', { name: 'Id' }).fill('42')
    await page.keyboard.press('Enter')
    await eventually(async () => expect(await held()).toEqual({ billing: ['42'], ...external_ids }))
    await page.reload()
    await section.getByText('42').hover()
    await section.getByRole('button', { name: 'Remove 001A from salesforce' }).click()
    await eventually(async () => expect(await held()).toEqual({ billing: ['42'] }))
    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.getByText('External ids: billing: 42; salesforce: 001A').waitFor()
  })

  it.runIf(isLong)('keeps what was typed when it is refused, and says which record has the id', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/companies', { name: 'Holder', external_ids: { crm: '1' } })
    const { id } = (await workspace.api.post('/companies', { name: 'Other' })).body.data
    await open(`/companies/${id}`)
    const section = page.getByRole('region', { name: 'External ids' })
    await page.getByText('Source and ids').click()
    await section.getByText('No ids of other systems yet.').waitFor()
    await section.getByRole('button', { name: 'Add an external id' }).click()
    await section.getByRole('textbox', { name: 'System' }).fill('crm')
    await section.getByRole('textbox', { name: 'Id' }).fill('1')
    await section.getByRole('button', { name: 'Add', exact: true }).click()
    await section.getByRole('alert').filter({ hasText: '"Holder"' }).waitFor()
    await expect.poll(() => section.getByRole('textbox', { name: 'Id' }).inputValue()).toBe('1')
  })

  it.runIf(isLong)('shows them to those who may not change them', async () => {
    const { workspace } = await visit()
    const { id } = (await workspace.api.post('/people', { name: 'Ada', external_ids: { crm: '7' } })).body.data
    const { page, open } = await visitTo(workspace, { role: 'viewer' })
    await open(`/people/${id}`)
    const section = page.getByRole('region', { name: 'External ids' })
    await page.getByText('Source and ids').click()
    await section.getByText('7', { exact: true }).waitFor()
    expect(await section.getByRole('button').count()).toBe(0)
  })
})
