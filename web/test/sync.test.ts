import { expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { visit } from './visit.ts'

it('Settings > Sync shows changes as they happen, by resource and filter, with the cursor to copy', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  await api.post('/companies', { name: 'Alder Labs' })
  await open('/settings/sync')
  const changes = page.getByRole('list', { name: 'Changes' })
  await page.getByRole('status').getByText('Live').waitFor()
  await changes.getByRole('link', { name: 'Alder Labs' }).waitFor()

  const { body } = await api.post('/people', { name: 'Ada Moss' })
  await changes.getByRole('listitem').first().getByRole('link', { name: 'Ada Moss' }).waitFor()
  await api.patch(`/people/${body.data.id}`, { name: 'Ada Stone' })
  await changes.getByRole('listitem').first().getByText('updated').waitFor()
  const cursor = await page.getByRole('region', { name: 'Cursor of the latest change' }).innerText()
  const { body: after } = await api.get(`/changes?cursor=${cursor}`)
  expect(after.data).toEqual([])

  await page.getByRole('combobox', { name: 'What the changes are about' }).click()
  await page.getByRole('option', { name: 'Companies' }).click()
  await expect.poll(() => changes.getByRole('listitem').count()).toBe(1)
  const filter = encodeURIComponent(JSON.stringify({ name: { $contains: 'Birch' } }))
  await open(`/settings/sync?of=companies&filter=${filter}`)
  await page.getByRole('status').getByText('Live').waitFor()
  await api.post('/companies', { name: 'Cedar' })
  await api.post('/companies', { name: 'Birch' })
  await changes.getByRole('link', { name: 'Birch' }).waitFor()
  expect(await changes.getByRole('link', { name: 'Cedar' }).count()).toBe(0)
})

it.runIf(isLong)('begins later where very much was written, so that the page does not read all of it', async () => {
  const { workspace, page, open } = await visit()
  const operations = Array.from({ length: 1000 }, () => ({ op: 'create', data: { name: 'Imported' } }))
  for (let times = 0; times < 6; times++) await workspace.api.post('/companies/batch', { operations })
  await open('/settings/sync')
  await page.getByText('No recent changes').waitFor()
  await workspace.api.post('/companies', { name: 'Alder Labs' })
  const changes = page.getByRole('list', { name: 'Changes' })
  await changes.getByRole('link', { name: 'Alder Labs' }).waitFor()
  expect(await changes.getByRole('listitem').count()).toBe(1)
})

it.runIf(isLong)('says what is wrong with a filter that the feed does not take', async () => {
  const { page, open } = await visit()
  const filter = encodeURIComponent(JSON.stringify({ company: { name: { $eq: 'Acme' } } }))
  await open(`/settings/sync?of=people&filter=${filter}`)
  await page.getByRole('alert').getByText('conditions inside a relation').waitFor()
  await page.getByRole('status').getByText('Not connected').waitFor()
})

it.runIf(isLong)('"Use in API" of a list shows how to follow its changes', async () => {
  const { page, open } = await visit()
  await open('/companies')
  await page.getByRole('button', { name: 'Use in API' }).click()
  await page.getByRole('tab', { name: 'curl, follow changes' }).click()
  await page.getByText('/v1/companies/changes/stream?cursor=now').waitFor()
  await page.getByRole('tab', { name: 'TypeScript, follow changes' }).click()
  await page.getByText('kith.changes.follow').waitFor()
})
