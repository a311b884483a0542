import { expect, inject, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { expectFitting, narrow, wide } from './accessibility.ts'
import { visit, visitTo } from './visit.ts'

it('a token made in the page works in the API with what was chosen for it, until it is revoked', async () => {
  const { workspace, page, open } = await visit()
  await workspace.api.post('/companies', { name: 'Alder Labs' })
  await open('/settings/tokens')
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByLabel('Name').fill('Website form')
  await page.getByRole('combobox', { name: 'Expiry' }).click()
  await page.getByRole('option', { name: '30 days' }).click()
  await page.getByRole('checkbox', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Create token' }).click()
  const token = await page.getByRole('region', { name: 'Token', exact: true }).innerText()
  const call = await page.getByRole('region', { name: 'First call' }).innerText()
  expect(call).toContain(`Authorization: Bearer ${token}`)

  const { url } = inject('service')
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const asked = async (path: string, init: RequestInit = {}) => fetch(`${url}/api/v1${path}`, { headers, ...init })
  const listed = await (await asked('/companies')).json()
  expect(listed.data[0].attributes.name).toBe('Alder Labs')
  expect((await asked('/companies', { method: 'POST', body: '{"name":"Birch"}' })).status).toBe(201)
  expect((await asked(`/companies/${listed.data[0].id}`, { method: 'DELETE' })).status).toBe(403)

  await page.getByRole('button', { name: 'Done' }).click()
  const line = page.getByRole('list', { name: 'Access Tokens' }).getByRole('listitem')
  await line.getByText('Website form').waitFor()
  expect(await page.getByText(token).count()).toBe(0)
  // It is noted after the answer.
  await expect
    .poll(async () => {
      await page.reload()
      return line.innerText()
    })
    .toContain('Last used just now')

  await page.getByRole('button', { name: 'Revoke Website form' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('heading', { name: 'No token yet' }).waitFor()
  expect((await asked('/companies')).status).toBe(401)
})

it.runIf(isLong)('what a token has changed is undone at once, after a look at what that is', async () => {
  const { workspace, page, open } = await visit()
  const other = await workspace.token()
  const kept = (await workspace.api.post('/companies', { name: 'Kept' })).body.data.id
  await other.patch(`/companies/${kept}`, { name: 'Overwritten' })
  const made = (await other.post('/people', { name: 'Unwanted' })).body.data.id
  const stale = (await other.post('/people', { name: 'Used since' })).body.data.id
  await workspace.api.patch(`/people/${stale}`, { name: 'Used' })
  await open('/settings/tokens')
  await page.getByRole('tab', { name: 'All of the workspace' }).click()
  // Both tokens have this name.
  const buttons = page.getByRole('button', { name: 'Undo changes of test' })
  const dialog = page.getByRole('dialog', { name: 'Undo changes of test' })
  await buttons.first().click()
  await dialog.getByText(/can be undone/).waitFor()
  if (!(await dialog.getByText('2 changes can be undone.').isVisible())) {
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await buttons.last().click()
  }
  await dialog.getByText('2 changes can be undone.').waitFor()
  await dialog.getByText('1 change cannot:', { exact: false }).waitFor()
  await expectFitting(page, [...wide, ...narrow], 'The changes of a token')
  await dialog.getByRole('button', { name: 'Undo all' }).click()
  await page.getByText('Undid 2 changes of test').first().waitFor()
  const { api } = workspace
  expect((await api.get(`/companies/${kept}`)).body.data.attributes.name).toBe('Kept')
  expect([(await api.get(`/people/${made}`)).status, (await api.get(`/people/${stale}`)).status]).toEqual([404, 200])
})

it.runIf(isLong)('admins see and revoke all tokens of the workspace, viewers make tokens that read', async () => {
  const { workspace, page, open } = await visit()
  const viewer = await visitTo(workspace, { role: 'viewer', name: 'Vera Moss' })
  await viewer.open('/settings/tokens')
  await viewer.page.getByRole('button', { name: 'New token' }).first().click()
  await viewer.page.getByLabel('Name').fill('Report')
  await expect.poll(() => viewer.page.getByRole('checkbox', { name: 'Delete' }).isDisabled()).toBe(true)
  await viewer.page.getByRole('button', { name: 'Create token' }).click()
  await viewer.page.getByRole('button', { name: 'Done' }).click()
  expect(await viewer.page.getByRole('tab').count()).toBe(0)

  await open('/settings/tokens')
  await page.getByRole('heading', { name: 'No token yet' }).waitFor()
  await page.getByRole('tab', { name: 'All of the workspace' }).click()
  const line = page.getByRole('list', { name: 'Access Tokens' }).getByRole('listitem').filter({ hasText: 'Report' })
  await line.getByText('Vera Moss').waitFor()
  await line.getByRole('button', { name: 'Revoke Report' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await line.waitFor({ state: 'detached' })
})
