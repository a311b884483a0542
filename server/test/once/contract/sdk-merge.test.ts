import { createClient, KithError } from '@kith/sdk'
import { expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'

it('the client searches, merges, undoes, restores, and reads the history, duplicates, trash and merges', async () => {
  const { api } = await newWorkspace()
  const kith = createClient({ url: api.base.replace(/\/v1$/, ''), token: api.token })
  const { data: winner } = await kith.companies.create({ name: 'Acme' })
  const { data: loser } = await kith.companies.create({ name: 'ACME Inc.' })
  const found = await kith.companies.duplicates({ certainty: 'likely' })
  expect(found.data.map(({ attributes }) => attributes.record_ids)).toEqual([[winner.id, loser.id]])

  const { data: results } = await kith.search('inc acme', { resource: 'companies' })
  expect(results).toMatchObject([{ id: loser.id, attributes: { name: 'ACME Inc.' } }])

  const input = { loser_ids: [loser.id], attributes: { name: 'Acme Inc.' } }
  const merged = await kith.companies.merge(winner.id, input, { ifMatch: winner })
  expect(merged.data.attributes.name).toBe('Acme Inc.')
  const lost: unknown = await kith.companies.read(loser.id).catch((error: unknown) => error)
  expect(lost).toBeInstanceOf(KithError)
  expect(lost).toMatchObject({ kind: 'not_found', merged_into: { id: winner.id, type: 'companies' } })
  expect((await kith.trash.list({ resource: 'companies' })).data).toMatchObject([
    { id: loser.id, attributes: { merged_into: winner.id } },
  ])

  const actions: string[] = []
  for await (const { attributes } of kith.companies.history(winner.id, { per_page: 1 })) {
    actions.push(`${attributes.record_id === winner.id ? 'winner' : 'loser'} ${attributes.action}`)
  }
  expect(actions.toSorted()).toEqual(['loser create', 'loser merge', 'winner create', 'winner merge'])

  const undone = await kith.merges.undo(merged.meta.merge_id)
  expect(undone.data.id).toBe(winner.id)
  for await (const { attributes } of kith.merges.all()) expect(attributes.undone_at).not.toBeNull()
  await kith.companies.delete(loser.id)
  expect((await kith.companies.restore(loser.id)).data.attributes.name).toBe('ACME Inc.')
})

it('the client reads and undoes changes, one or many', async () => {
  const { api } = await newWorkspace()
  const kith = createClient({ url: api.base.replace(/\/v1$/, ''), token: api.token })
  const { data: company } = await kith.companies.create({ name: 'A' })
  const { data: renamed } = await kith.companies.update(company.id, { name: 'B' })
  const { value: entry } = await kith.companies.history(company.id).next()
  const change = entry?.id ?? ''
  expect((await kith.changes.read(change)).data.attributes.changes).toEqual([
    { field: 'name', before: 'A', after: 'B' },
  ])
  const stale: unknown = await kith.changes.undo(change, { ifMatch: company }).catch((error: unknown) => error)
  expect(stale).toMatchObject({ kind: 'precondition_failed' })
  const undone = await kith.changes.undo(change, { ifMatch: renamed })
  expect(undone).toMatchObject({ data: { attributes: { name: 'A' } }, change_id: expect.stringMatching(/^\w{26}$/) })
  const { id } = (await kith.people.create({ name: 'Ada' })).data
  await kith.people.update(id, { name: 'Ada L.' })
  await expect(kith.changes.undo(id)).rejects.toMatchObject({ kind: 'invalid' })
  expect((await kith.changes.undo(id, { force: true })).data).toBe(null)
  const since = String(company.attributes.created_at)
  const dry = await kith.changes.undoMany({ own: true, since: new Date(since) }, { dry_run: true })
  // The person is deleted, so the name before cannot come back.
  expect(dry.meta).toEqual({ total: 2, succeeded: 1, failed: 1, dry_run: true })
  const many = await kith.changes.undoMany({ ids: [company.id, 'none'] })
  expect(many.data.map(({ status }) => status)).toEqual([204, 404])
})
