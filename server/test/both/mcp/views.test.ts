import { dayAt, startOfDay } from '@kith/contract/relative/periods'
import { expect, it } from 'vitest'
import { updateTimeZone } from '../../../src/accounts/parse-account.ts'
import { createView } from '../../../src/views/views.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { made } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'

const DAY_MS = 86_400_000

it('list_views has own and shared views with the filter and sort for list_records as of now', async () => {
  const workspace = await workspaceWithOwn()
  const { api, owner } = workspace
  const scope = await workspace.scope()
  const due_date = new Date(Date.now() - DAY_MS).toISOString()
  const mine = { assignee_ids: [owner.id], custom_fields: { due_date } }
  const late = await made(api, 'tasks', { title: 'Late', ...mine })
  await made(api, 'tasks', { title: 'Done', ...mine, custom_fields: { due_date, status: 'Done' } })
  await made(api, 'tasks', { title: 'Without an assignee', custom_fields: { due_date } })
  const acme = await made(api, 'companies', { name: 'Acme' })
  await made(api, 'companies', { name: 'Bolt' })
  const project = await made(api, 'projects', { name: 'Move' })
  const overdue = { assignees: { $in: ['me'] }, custom_fields: { due_date: { $during: 'overdue' } } }
  const today = { created_at: { $during: 'today' } }
  await createView(scope, { resource: 'tasks', name: 'Overdue', state: { filter: overdue, layout: 'board' } })
  await createView(scope, { resource: 'companies', name: 'New', shared: true, state: { filter: today, q: 'acme' } })
  await createView(scope, { resource: 'projects', name: 'All', state: { sort: '-name' } })

  const { call, refused } = await connectTo(workspace)
  // New workspaces have one of opportunities.
  const data = (await call('list_views')).data.filter(({ resource }: View) => resource !== 'opportunities')
  expect(data).toMatchObject([
    { name: 'New', resource: 'companies', shared: true },
    { name: 'All', resource: 'projects', shared: false, sort: '-name' },
    { name: 'Overdue', resource: 'tasks', filter: { assignees: { $in: [owner.id] } } },
  ])
  const shown = []
  for (const { resource, filter, sort } of data) {
    const records = await call('list_records', { resource, filter, sort })
    shown.push(records.data.map(({ id }: { id: string }) => id))
  }
  expect(shown).toEqual([[acme.id], [project.id], [late.id]])

  const time_zone = 'Pacific/Kiritimati'
  await updateTimeZone(workspace.runtime, owner.id, { time_zone })
  const [there] = (await call('list_views', { resource: 'companies' })).data
  const start = startOfDay(dayAt(new Date(), time_zone), time_zone)
  expect(there.filter).toMatchObject({ created_at: { $gte: start.toISOString() }, $search: 'acme' })
  expect((await call('list_views', { resource: 'notes' })).data).toEqual([])
  expect(await refused('list_views', { resource: 'nothing' })).toContain('- resource: ')
  const other = await connectTo(workspace, { user: await workspace.member('viewer') })
  const seen = (await other.call('list_views')).data.map(({ name }: View) => name)
  expect(seen.filter((name: string) => ['New', 'All', 'Overdue'].includes(name))).toEqual(['New'])
})

type View = { name: string; resource: string }
