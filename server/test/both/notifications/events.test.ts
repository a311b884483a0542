import { expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'
import { ended, imported, newImport } from '../jobs/jobs.ts'
import { eventually, newReceiver } from '../webhooks/receiver.ts'
import { webhookWorld } from '../webhooks/world.ts'
import { inboxOf, memberOf, textsOf } from './inbox.ts'
import { dueAt, reminded } from './reminded.ts'

it('due: the assignees of a task when it is due, once, on several nodes', async () => {
  const { ada, owner, newTask, at, due } = await reminded()
  const id = await newTask({ title: 'Call', assignee_ids: [ada.id], custom_fields: dueAt('09:00') })
  await at('08:59')
  expect(await due(ada)).toEqual([])
  await at('09:00')
  await at('09:01')
  expect(await due(ada)).toEqual([['The task Call is due.', null, id]])
  expect(await due(owner)).toEqual([])
})

it('due: again on another due date, and whoever set the date', async () => {
  const { owner, newTask, change, at, due } = await reminded()
  const id = await newTask({ title: 'Mine', custom_fields: dueAt('09:00') })
  await at('09:00')
  await change(id, { custom_fields: dueAt('10:00') })
  await at('09:30')
  expect(await due(owner)).toHaveLength(1)
  await at('10:00')
  expect(await due(owner)).toEqual([
    ['The task Mine is due.', null, id],
    ['The task Mine is due.', null, id],
  ])
})

it('due: not if the status is Done, the date was cleared or the task was deleted, nor for dates long past', async () => {
  const { owner, newTask, change, at, due } = await reminded()
  await newTask({ title: 'Done', custom_fields: { ...dueAt('09:00'), status: 'Done' } })
  const cleared = await newTask({ title: 'Cleared', custom_fields: dueAt('09:00') })
  await newTask({ title: 'Old', custom_fields: { due_date: '2026-11-01T09:00:00Z' } })
  const open = await newTask({ title: 'Open', custom_fields: { ...dueAt('09:00'), status: 'In progress' } })
  await change(cleared, { custom_fields: { due_date: null } })
  await at('09:00')
  expect(await due(owner)).toEqual([['The task Open is due.', null, open]])
})

it('due: within a minute on a service that runs', async () => {
  const { service, workspace } = await webhookWorld()
  expect(service.url).toBeTruthy()
  const due_date = new Date(Date.now() + 1000).toISOString()
  await workspace.api.post('/tasks', { title: 'Soon', custom_fields: { due_date } })
  await eventually(
    () => textsOf(workspace.api),
    (texts) => texts.includes('The task Soon is due.'),
  )
})

it('import: its creator, when it has ended or was cancelled by another', async () => {
  const workspace = await newWorkspace()
  const ada = await memberOf(workspace)
  const job = await imported(ada.api, 'name\nAcme\n\n,\n', { name: 'contacts.csv' })
  const [told] = await inboxOf(ada.api)
  expect(told?.attributes).toMatchObject({ reason: 'import', resource: 'jobs', record_id: job.id, actor_id: null })
  expect(told?.attributes.text).toMatch(/^The import contacts.csv has ended: 1 created/)
  await imported(ada.api, 'name\nAcme\n', { dry_run: true })
  expect((await textsOf(ada.api))[0]).toBe('The dry run of the import of companies has ended: 1 created.')
  const cancelled = await newImport(ada.api)
  await workspace.api.put(`/jobs/${cancelled}/cancel`)
  expect((await ended(ada.api, cancelled)).attributes.state).toBe('cancelled')
  expect((await textsOf(ada.api))[0]).toBe('The import of companies was cancelled.')
  const own = await newImport(ada.api)
  await ada.api.put(`/jobs/${own}/cancel`)
  expect(await inboxOf(ada.api)).toHaveLength(3)
})

it('webhook: its creator, when it fails', async () => {
  const { workspace } = await webhookWorld()
  const ada = await memberOf(workspace, 'admin')
  const receiver = await newReceiver()
  receiver.answer((_, response) => void response.writeHead(410).end())
  const made = await ada.api.post('/webhooks', { url: receiver.url, types: ['people.created'] })
  expect(made.status, made.text).toBe(201)
  await workspace.api.post('/people', { name: 'Ada' })
  const [told] = await eventually(
    () => inboxOf(ada.api),
    (inbox) => inbox.length > 0,
  )
  expect(told?.attributes).toMatchObject({
    reason: 'webhook',
    resource: 'webhooks',
    record_id: made.body.data.id,
    actor_id: null,
    text: `The webhook ${receiver.url} is disabled, because it failed.`,
  })
  expect((await textsOf(workspace.api)).filter((text) => text.includes('webhook'))).toEqual([])
})

it('joined: owners and admins', async () => {
  const workspace = await newWorkspace()
  const [admin, member] = [await memberOf(workspace, 'admin'), await memberOf(workspace)]
  const bob = await workspace.member('viewer')
  const told = { reason: 'joined', resource: 'users', record_id: bob.id, text: `${bob.name} joined the workspace.` }
  for (const { api } of [workspace, admin]) expect((await inboxOf(api))[0]?.attributes).toMatchObject(told)
  expect(await inboxOf(member.api)).toEqual([])
  expect(await inboxOf(await workspace.token({ user: bob }))).toEqual([])
})
