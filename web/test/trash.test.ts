import { expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { visit, visitTo } from './visit.ts'

it('what was deleted is restored from the trash, and the audit log shows both', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const ids = []
  for (const name of ['Alder', 'Birch']) ids.push((await api.post('/companies', { name })).body.data.id)
  const task = (await api.post('/tasks', { title: 'Call' })).body.data.id
  for (const id of ids) await api.delete(`/companies/${id}`)
  await api.delete(`/tasks/${task}`)

  await open('/settings/trash')
  const list = page.getByRole('list', { name: 'Deleted records' })
  await expect.poll(() => list.getByRole('listitem').count()).toBe(3)
  await page.getByRole('navigation', { name: 'Resources' }).getByRole('link', { name: 'Companies' }).click()
  await expect.poll(() => page.getByRole('list', { name: 'Deleted companies' }).getByRole('listitem').count()).toBe(2)
  await page.getByRole('button', { name: 'Restore Alder' }).click()
  await page.getByRole('button', { name: 'Restore Alder' }).waitFor({ state: 'detached' })
  const { body } = await api.get('/companies')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ids[0]])

  await open('/settings/audit?of=companies')
  const entries = page.getByRole('list', { name: 'Entries' }).getByRole('listitem')
  await expect.poll(() => entries.first().innerText()).toContain('restored the company Alder')
  await entries.filter({ hasText: 'deleted the company Birch' }).waitFor()
})

it.runIf(isLong)('viewers see neither the trash nor the audit log', async () => {
  const { workspace } = await visit()
  const { page, open } = await visitTo(workspace, { role: 'viewer' })
  await open('/settings/tokens')
  const nav = page.getByRole('navigation', { name: 'Settings' })
  await nav.getByRole('link', { name: 'Access Tokens' }).waitFor()
  expect(await nav.getByRole('link', { name: 'Trash' }).count()).toBe(0)
  expect(await nav.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
  await open('/settings/audit')
  await page.getByRole('alert').waitFor()
})
