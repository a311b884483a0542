import { abilities } from '@kith/contract/abilities'
import { DAY_MS } from '@kith/contract/limits'
import { beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { expireListed } from '../../../src/runtime/retention.ts'
import { signedInMember } from '../../browser.ts'
import { closeStreamsAfterEach, listenTo } from '../../event-stream.ts'
import { declared, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { ownService } from '../../own-service.ts'
import { testedResources } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { inboxOf, memberOf } from './inbox.ts'

closeStreamsAfterEach()

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const type of everyResource) await workspace.field(type, { name: 'Helper', type: 'member' })
})

/** Assigns so many tasks to a member, one after the other. */
async function assign(id: string, count = 1): Promise<string[]> {
  const made: string[] = []
  for (let n = 0; n < count; n++) {
    made.push((await workspace.api.post('/tasks', { title: `Task ${n}`, assignee_ids: [id] })).body.data.id)
  }
  return made
}

const idsOf = (told: readonly { id: string }[]) => told.map(({ id }) => id)
const pathsOf = (answer: { body: { errors?: object } }) => Object.keys(answer.body.errors ?? {})

describe('GET /v1/notifications', () => {
  it('newest first, by cursor, unread ones alone if asked', async () => {
    const ada = await memberOf(workspace)
    const tasks = await assign(ada.id, 5)
    const all = await inboxOf(ada.api)
    expect(all.map(({ attributes }) => attributes.record_id)).toEqual(tasks.toReversed())
    expect(all.map(({ attributes }) => attributes.created_at)).toEqual(
      all
        .map(({ attributes }) => attributes.created_at)
        .toSorted()
        .toReversed(),
    )
    const seen: string[] = []
    for (let cursor = 'true'; ; ) {
      const { body } = await ada.api.get(`/notifications?per_page=2&cursor=${cursor}`)
      expect(Object.keys(body.meta)).toEqual(['path', 'per_page', 'next_cursor', 'prev_cursor'])
      seen.push(...idsOf(body.data))
      cursor = body.meta.next_cursor
      if (cursor === null) break
      // What arrives meanwhile is on no later page.
      await assign(ada.id)
    }
    expect(seen).toEqual(idsOf(all))
    await ada.api.put(`/notifications/${all[1]?.id}`, { read: true })
    const unread = (await inboxOf(ada.api, '&unread=true')).filter(({ id }) => seen.includes(id))
    expect(idsOf(unread)).toEqual(seen.toSpliced(1, 1))
    expect(await inboxOf(ada.api, '&unread=false')).toEqual(await inboxOf(ada.api))
  })

  it.each([
    ['unread=maybe', 'unread'],
    ['cursor=nonsense', 'cursor'],
    ['per_page=0', 'per_page'],
    ['page=2', 'page'],
  ])('%s is 422', async (query, path) => {
    const refused = await workspace.api.get(`/notifications?${query}`)
    expect([refused.status, refused.body.errors]).toEqual([422, { [path]: [expect.any(String)] }])
  })

  it.each(testedResources)('%s: not while the record is deleted', async (type) => {
    const ada = await memberOf(workspace)
    const body = { [declared(type).label]: 'Gone', custom_fields: { helper: ada.id } }
    const { id } = (await workspace.api.post(`/${type}`, body)).body.data
    const [told] = await inboxOf(ada.api)
    await workspace.api.delete(`/${type}/${id}`)
    expect(await inboxOf(ada.api)).toEqual([])
    expect((await ada.api.put(`/notifications/${told?.id}`, { read: true })).status).toBe(404)
    expect((await ada.api.put('/notifications/read', { until: told?.id })).body).toEqual({ meta: { count: 0 } })
    await workspace.api.put(`/${type}/${id}/restore`)
    expect(await inboxOf(ada.api)).toEqual([told])
  })

  it('not while the resource is archived', async () => {
    const ada = await memberOf(workspace)
    await workspace.api.post('/projects', { name: 'Kept', owner_id: ada.id })
    await workspace.api.delete('/schema/projects')
    expect(await inboxOf(ada.api)).toEqual([])
    await workspace.api.put('/schema/projects/restore')
    expect(await inboxOf(ada.api)).toHaveLength(1)
  })
})

describe('PUT /v1/notifications', () => {
  it('{id}: read and unread again; what was read can be sent back', async () => {
    const ada = await memberOf(workspace)
    await assign(ada.id)
    const [told] = await inboxOf(ada.api)
    const path = `/notifications/${told?.id}`
    const read = await ada.api.put(path, { read: true })
    expect(read.status).toBe(200)
    const { read_at } = read.body.data.attributes
    expect(read.body.data).toEqual({ ...told, attributes: { ...told?.attributes, read_at } })
    expect(Date.parse(read_at)).toBeGreaterThan(0)
    expect((await ada.api.put(path, { read: true })).body).toEqual(read.body)
    expect((await ada.api.put(path, read.body.data.attributes)).body).toEqual(read.body)
    expect((await ada.api.put(path, { read: false })).body.data).toEqual(told)
    for (const body of [{ read: 'yes' }, { unread: true }]) {
      const refused = await ada.api.put(path, body)
      expect([refused.status, pathsOf(refused)]).toEqual([422, [Object.keys(body)[0]]])
    }
  })

  it('read: up to one, by its id or its time, inclusive; what arrived later stays unread', async () => {
    const ada = await memberOf(workspace)
    await assign(ada.id, 3)
    const [third, second] = await inboxOf(ada.api)
    expect((await ada.api.put('/notifications/read', { until: second?.id })).body).toEqual({ meta: { count: 2 } })
    expect(idsOf(await inboxOf(ada.api, '&unread=true'))).toEqual([third?.id])
    const until = third?.attributes.created_at
    expect((await ada.api.put('/notifications/read', { until })).body).toEqual({ meta: { count: 1 } })
    expect((await ada.api.put('/notifications/read', { until })).body).toEqual({ meta: { count: 0 } })
    for (const body of [{}, { until: 'now' }, { until: 5 }, { until, more: 1 }]) {
      const refused = await ada.api.put('/notifications/read', body)
      expect([refused.status, pathsOf(refused)]).toEqual([422, ['more' in body ? 'more' : 'until']])
    }
  })

  it('nobody sees or marks those of others: 404 as for an unknown id', async () => {
    const [ada, bob] = [await memberOf(workspace), await memberOf(workspace)]
    await assign(ada.id)
    const [told] = await inboxOf(ada.api)
    expect(await inboxOf(bob.api)).toEqual([])
    const refused = await bob.api.put(`/notifications/${told?.id}`, { read: true })
    expect([refused.status, refused.body.message]).toEqual([404, expect.stringContaining('No notification')])
    expect((await bob.api.put('/notifications/read', { until: told?.id })).body.meta.count).toBe(0)
    const elsewhere = await newWorkspace()
    expect((await elsewhere.api.put(`/notifications/${told?.id}`, { read: true })).status).toBe(404)
    expect(idsOf(await inboxOf(ada.api, '&unread=true'))).toEqual([told?.id])
  })
})

describe('/v1/notifications/settings', () => {
  it('a PUT sends some of them, absent ones stay', async () => {
    const ada = await memberOf(workspace, 'viewer')
    const before = (await ada.api.get('/notifications/settings')).body
    expect(Object.keys(before.data)).toEqual(['type', 'attributes'])
    const { attributes } = before.data
    const changed = await ada.api.put('/notifications/settings', { commented: 'none', due: 'digest' })
    expect(changed.body).toEqual({
      data: { type: 'notification_settings', attributes: { ...attributes, commented: 'none', due: 'digest' } },
    })
    expect((await ada.api.put('/notifications/settings', {})).body).toEqual(changed.body)
    expect((await ada.api.get('/notifications/settings')).body).toEqual(changed.body)
    for (const body of [{ due: 'never' }, { mails: 'none' }, { due: null }]) {
      const refused = await ada.api.put('/notifications/settings', body)
      expect([refused.status, pathsOf(refused)]).toEqual([422, [Object.keys(body)[0]]])
    }
  })

  it('changes of different reasons at the same time both take effect', async () => {
    const { api } = await memberOf(workspace)
    await Promise.all(
      ['due', 'joined', 'import'].map((reason) => api.put('/notifications/settings', { [reason]: 'none' })),
    )
    const { attributes } = (await api.get('/notifications/settings')).body.data
    expect(attributes).toMatchObject({ due: 'none', joined: 'none', import: 'none' })
  })
})

it('the abilities are those of the table, and every role has an inbox of its own', async () => {
  const viewer = await memberOf(workspace, 'viewer')
  await assign(viewer.id)
  const [told] = await inboxOf(viewer.api)
  const calls = [
    ['read', 'GET', '/notifications', undefined],
    ['read', 'GET', '/notifications/settings', undefined],
    ['update', 'PUT', '/notifications/settings', {}],
    ['update', 'PUT', `/notifications/${told?.id}`, { read: true }],
    ['update', 'PUT', '/notifications/read', { until: told?.id }],
  ] as const
  for (const [needed, method, path, body] of calls) {
    const without = await workspace.token({ user: viewer, abilities: abilities.filter((one) => one !== needed) })
    const refused = await without.send(method, path, JSON.stringify(body))
    expect([refused.status, refused.body.message]).toEqual([403, `This access token lacks the "${needed}" ability.`])
    const alone = await workspace.token({ user: viewer, abilities: [needed] })
    expect((await alone.send(method, path, JSON.stringify(body))).status).toBe(200)
  }
})

it('a former member has no notifications, also after coming back; nor has one who leaves meanwhile', async () => {
  const ada = await workspace.member('member')
  const api = await workspace.token({ user: ada })
  await assign(ada.id, 2)
  const assigning = Array.from({ length: 5 }, () =>
    workspace.api.post('/tasks', { title: 'Late', assignee_ids: [ada.id] }),
  )
  const [, ...answers] = await Promise.all([workspace.remove(ada), ...assigning])
  for (const { status } of answers) expect([201, 422]).toContain(status)
  expect((await api.get('/notifications')).status).toBe(403)
  await addMember(await workspace.scope(), { email: ada.email, role: 'member' })
  expect(await inboxOf(await workspace.token({ user: ada }))).toEqual([])
})

it('marking everything as read while more arrives loses nothing', async () => {
  const ada = await memberOf(workspace)
  const [first] = await assign(ada.id)
  expect(first).toBeDefined()
  const [told] = await inboxOf(ada.api)
  const [marked] = await Promise.all([
    ada.api.put('/notifications/read', { until: told?.id }),
    ...Array.from({ length: 5 }, () => assign(ada.id)),
  ])
  expect(marked.body).toEqual({ meta: { count: 1 } })
  expect(await inboxOf(ada.api, '&unread=true')).toHaveLength(5)
})

it('kept for 90 days', async () => {
  const { workspace: newOne, runtime } = await ownService()
  const workspace = await newOne()
  const ada = await memberOf(workspace)
  await workspace.api.post('/tasks', { title: 'Old', assignee_ids: [ada.id] })
  const { engine } = runtime
  await expireListed(engine, new Date(Date.now() + 89 * DAY_MS))
  expect(await inboxOf(ada.api)).toHaveLength(1)
  await expireListed(engine, new Date(Date.now() + 91 * DAY_MS))
  expect(await inboxOf(ada.api)).toEqual([])
})

it('the windows of the member hear of it at once, and those of others do not', async () => {
  const [ada, bob] = [await signedInMember(workspace, 'member'), await signedInMember(workspace, 'viewer')]
  const open = async ({ browser }: typeof ada) => {
    const stream = await listenTo(`${browser.url}/api/app/w/${workspace.slug}/events`, { Cookie: browser.cookie() })
    await expect.poll(() => stream.heard('ready')).toHaveLength(1)
    return () => stream.heard('change').map(({ data }) => data)
  }
  const [adas, bobs] = [await open(ada), await open(bob)]
  await assign(ada.id)
  await expect.poll(() => adas().join()).toContain('"notifications"')
  await expect.poll(() => bobs().join()).toContain('"tasks"')
  const count = adas().length
  await ada.browser.put(`/w/${workspace.slug}/v1/notifications/read`, { until: new Date().toISOString() })
  await expect.poll(() => adas().slice(count)).toEqual(['{"resources":["notifications"]}'])
  expect(bobs().join()).not.toContain('notifications')
})
