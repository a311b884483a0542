import { newId } from '@kith/contract/id'
import { SERIES_MAX } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { deleteForGood } from '../../../src/storage/tables/expiry.ts'
import { reminderTable, repeatTable } from '../../../src/storage/tables/task-plans.ts'
import type { Api } from '../../api.ts'
import { type Browser, signedInMember } from '../../browser.ts'
import { gone, made, problemsOf } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { lastChange } from '../../undoing.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { imported } from '../jobs/jobs.ts'
import { inboxOf, memberOf } from '../notifications/inbox.ts'

const DUE = '2100-11-14T08:00:00.000Z'
const NEXT = '2100-11-15T08:00:00.000Z'
const daily = { unit: 'day', every: 1, after_completion: false }
const done = { custom_fields: { status: 'Done' } }
const open = { custom_fields: { status: 'To do' } }

type Attributes = { title: string; custom_fields: Record<string, unknown>; [key: string]: unknown }
type Task = { id: string; attributes: Attributes; relationships: Record<string, { data: { id: string }[] }> }

/** A workspace with a task that repeats daily, and what tests do with it. */
async function repeating(body: object = {}) {
  const workspace = await newWorkspace()
  const { api, slug } = workspace
  const { browser, ...user } = await signedInMember(workspace, 'owner')
  const custom_fields = { due_date: DUE, ...('custom_fields' in body ? Object(body.custom_fields) : {}) }
  const task: Task = await made(api, 'tasks', { title: 'Report', ...body, custom_fields })
  const at = `/w/${slug}/tasks/${task.id}`
  const put = await browser.put(`${at}/repeat`, daily)
  expect(put.status, put.text).toBe(200)
  return {
    ...{ workspace, api, slug, browser, user, task, at },
    patch: (body: object, id = task.id) => patched(api, id, body),
    /** The other tasks, the latest last. */
    others: async (): Promise<Task[]> => {
      const { body } = await api.get('/tasks?sort=created_at&include=companies,people,opportunities,assignees')
      return body.data.filter(({ id }: Task) => id !== task.id)
    },
  }
}

async function patched(api: Api, id: string, body: object) {
  const answer = await api.patch(`/tasks/${id}`, body)
  expect(answer.status, answer.text).toBe(200)
  return answer
}

const duesOf = (tasks: readonly Task[]) => tasks.map(({ attributes }) => attributes.custom_fields.due_date)

async function planOf(browser: Browser, at: string) {
  const { status, body, text } = await browser.get(`${at}/plan`)
  expect(status, text).toBe(200)
  return body.data
}

describe('a task that repeats', () => {
  it('is followed by the next one when it is completed: with its values and links, the first status and the next due date', async () => {
    const company = { name: 'Alder' }
    const { api, slug, browser, task, at, patch, others, workspace } = await repeating({
      custom_fields: { priority: 'High', description: 'Send **it**.' },
    })
    const ada = await workspace.member('member')
    await workspace.field('tasks', { name: 'Number', type: 'text', unique: true })
    const { id } = await made(api, 'companies', company)
    await patch({ company_ids: [id], assignee_ids: [ada.id], custom_fields: { number: '7', status: 'In progress' } })
    const answer = await patch(done)
    const [next, ...more] = await others()
    expect(more).toEqual([])
    expect(next?.attributes).toMatchObject({
      title: 'Report',
      creation_source: 'api',
      custom_fields: { priority: { label: 'High' }, status: { label: 'To do' }, due_date: NEXT, number: null },
    })
    expect(next?.attributes.custom_fields.description).toBe('Send **it**.')
    expect(next?.relationships.companies?.data).toEqual([{ type: 'companies', id }])
    expect(next?.relationships.assignees?.data).toEqual([{ type: 'users', id: ada.id }])
    // The completed task is as it was sent, and knows what came after it.
    expect(answer.body.data.attributes.custom_fields).toMatchObject({ status: { label: 'Done' }, due_date: DUE })
    expect(await planOf(browser, at)).toEqual({
      repeat: null,
      next: { id: next?.id, title: 'Report', due_date: NEXT },
      reminder: null,
    })
    expect((await planOf(browser, `/w/${slug}/tasks/${next?.id}`)).repeat).toEqual(daily)
    expect((await browser.get(`/w/${slug}/repeats`)).body.data).toEqual([next?.id])
    // Its creation is caused by the completion.
    const change = await api.get(`/changes/${await lastChange(api, 'tasks', next?.id ?? '')}`)
    expect(change.body.data.attributes).toMatchObject({
      kind: 'created',
      cause: await lastChange(api, 'tasks', task.id),
    })
  })

  it.each<
    [string, (api: Api, id: string, browser: Browser, slug: string, workspace: TestWorkspace) => Promise<unknown>]
  >([
    ['PUT', (api, id) => api.put(`/tasks/${id}`, done)],
    [
      'upsert',
      (api) => api.post('/tasks/upsert', { match: { field: 'number', value: '7' }, title: 'Report', ...done }),
    ],
    ['batch', (api, id) => api.post('/batch', { operations: [{ op: 'update', resource: 'tasks', id, data: done }] })],
    [
      'import',
      (api) =>
        imported(api, 'title,number,status\nReport,7,Done\n', {
          ...{ resource: 'tasks', mode: 'upsert', match: 'number' },
          mapping: { title: 'title', number: 'custom_fields.number', status: 'custom_fields.status' },
        }),
    ],
    [
      'bulk edit',
      (_, id, browser, slug) =>
        browser.post(`/w/${slug}/bulk/edit`, {
          ...{ resource: 'tasks', ids: [id], key: newId(Date.now()) },
          ...{ attribute: 'custom_fields.status', op: 'set', value: 'Done' },
        }),
    ],
    [
      'a tool',
      async (_api, id, _browser, _slug, workspace) =>
        (await connectTo(workspace)).call('update_record', { resource: 'tasks', id, attributes: done }),
    ],
    ['the application', (_, id, browser, slug) => browser.patch(`/w/${slug}/v1/tasks/${id}`, done)],
  ])('is followed whichever way it is completed: %s', async (_, complete) => {
    const { workspace, api, slug, browser, task, patch, others } = await repeating()
    await workspace.field('tasks', { name: 'Number', type: 'text', unique: true })
    await patch({ custom_fields: { number: '7' } })
    await complete(api, task.id, browser, slug, workspace)
    expect(duesOf(await others())).toEqual([NEXT])
  })

  it('is followed by nothing when something else changes, or when it is completed again', async () => {
    const { patch, others } = await repeating()
    await patch({ title: 'Other', custom_fields: { status: 'In progress' } })
    expect(await others()).toEqual([])
    await patch(done)
    await patch(done)
    await patch({ title: 'Again' })
    expect(duesOf(await others())).toEqual([NEXT])
  })

  it('goes on with the next one, and ends when that does not repeat any more', async () => {
    const { slug, browser, patch, others } = await repeating()
    await patch(done)
    const [second] = await others()
    await patch(done, second?.id)
    const [, third] = await others()
    expect(duesOf(await others())).toEqual([NEXT, '2100-11-16T08:00:00.000Z'])
    expect((await browser.delete(`/w/${slug}/tasks/${third?.id}/repeat`)).status).toBe(200)
    await patch(done, third?.id)
    expect(await others()).toHaveLength(2)
  })

  it('in one batch: many, each once', async () => {
    const { api, slug, browser, others, task } = await repeating()
    const more = await Promise.all(['One', 'Two'].map((title) => made(api, 'tasks', { title })))
    for (const { id } of more) await browser.put(`/w/${slug}/tasks/${id}/repeat`, { unit: 'week' })
    const operations = [task, ...more].map(({ id }) => ({ op: 'update', resource: 'tasks', id, data: done }))
    const { body } = await api.post('/batch', { atomic: true, operations })
    expect(body.meta.succeeded).toBe(3)
    const made_ = (await others()).filter(({ id }) => !more.some((one) => one.id === id))
    expect(made_.map(({ attributes }) => attributes.title).sort()).toEqual(['One', 'Report', 'Two'])
  })

  it('is followed once when several complete it at the same moment', async () => {
    const { api, slug, browser, others, task } = await repeating()
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map(() => api.patch(`/tasks/${task.id}`, done)))
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    expect(duesOf(await others())).toEqual([NEXT])
    expect((await browser.get(`/w/${slug}/repeats`)).body.data).toHaveLength(1)
  })

  it('assigned to a member: completed by another, nobody is told of an assignment again', async () => {
    const { workspace, patch, others } = await repeating()
    const ada = await memberOf(workspace)
    await patch({ assignee_ids: [ada.id] })
    await patch(done)
    expect(await others()).toHaveLength(1)
    expect((await inboxOf(ada.api)).map(({ attributes }) => attributes.reason)).toEqual(['assigned'])
  })
})

describe('a completion that is taken back', () => {
  it.each<[string, (world: Awaited<ReturnType<typeof repeating>>) => Promise<unknown>]>([
    ['by an undo', async ({ api, task }) => api.put(`/changes/${await lastChange(api, 'tasks', task.id)}/undo`)],
    ['by opening the task again', ({ patch }) => patch(open)],
  ])('%s takes the next task with it, and the series goes on from before', async (_, takeBack) => {
    const world = await repeating()
    const { api, slug, browser, at, patch, others } = world
    await patch(done)
    const [next] = await others()
    await takeBack(world)
    expect(await others()).toEqual([])
    expect(await planOf(browser, at)).toEqual({ repeat: daily, next: null, reminder: null })
    // It is in the trash, and does not repeat if it is restored.
    expect((await browser.put(`/w/${slug}/v1/tasks/${next?.id}/restore`)).status).toBe(200)
    await patch(done, next?.id)
    expect(await others()).toHaveLength(1)
    await patch(done)
    expect(duesOf(await others())).toEqual([NEXT, NEXT])
    expect((await api.get('/tasks')).body.meta.total).toBe(3)
  })

  it.each<[string, (world: Awaited<ReturnType<typeof repeating>>, id: string) => Promise<unknown>]>([
    ['changed', ({ patch }, id) => patch({ title: 'Mine' }, id)],
    ['commented on', ({ api }, id) => api.post(`/tasks/${id}/comments`, { body: 'Soon' })],
    ['completed', ({ patch }, id) => patch(done, id)],
  ])('leaves a next task that was %s, and no second one is created', async (_, touch) => {
    const world = await repeating()
    const { patch, others } = world
    await patch(done)
    const [next] = await others()
    await touch(world, next?.id ?? '')
    const { length } = await others()
    await patch(open)
    await patch(done)
    expect(await others()).toHaveLength(length)
  })

  it('goes on from the task that is open again if the next one was deleted', async () => {
    const { api, patch, others } = await repeating()
    await patch(done)
    const [next] = await others()
    await gone(api, 'tasks', next?.id ?? '')
    await patch(done)
    expect(await others()).toEqual([])
    await patch(open)
    await patch(done)
    expect(duesOf(await others())).toEqual([NEXT])
  })
})

describe('the rule', () => {
  it('stays with a task in the trash, and is deleted with it for good', async () => {
    const { api, browser, slug, task, at, patch, others, workspace } = await repeating()
    await gone(api, 'tasks', task.id)
    expect((await browser.get(`${at}/plan`)).status).toBe(404)
    await browser.put(`/w/${slug}/v1/tasks/${task.id}/restore`)
    expect((await planOf(browser, at)).repeat).toEqual(daily)
    await patch(done)
    const [next] = await others()
    expect(duesOf(next ? [next] : [])).toEqual([NEXT])
    await browser.put(`/w/${slug}/tasks/${next?.id}/reminder`, { minutes_before: 0 })
    await gone(api, 'tasks', next?.id ?? '')
    const scope = await workspace.scope()
    const expired = { workspace: scope.workspace, ids: [next?.id ?? ''], before: '9999' }
    await deleteForGood(scope.engine, registry.tasks.number, expired)
    expect([await repeatTable.count(scope), await reminderTable.count(scope)]).toEqual([0, 0])
  })

  it('stays when the member who set it leaves. Their reminders do not', async () => {
    const { workspace, at, patch, others, browser } = await repeating()
    const ada = await signedInMember(workspace, 'member')
    expect((await ada.browser.put(`${at}/repeat`, { unit: 'week' })).status).toBe(200)
    for (const one of [ada.browser, browser]) await one.put(`${at}/reminder`, { minutes_before: 60 })
    await workspace.remove(ada)
    await patch(done)
    expect(duesOf(await others())).toEqual(['2100-11-21T08:00:00.000Z'])
    const left = await reminderTable.load(await workspace.scope(), { minutes_before: 60 }, 'record_id')
    expect(new Set(left.map(({ user_id }) => user_id)).has(ada.id)).toBe(false)
    expect(left).toHaveLength(2)
  })

  it(`is one of ${SERIES_MAX} in a workspace at most`, async () => {
    const { api, browser, slug, at, workspace, task } = await repeating()
    const scope = await workspace.scope()
    const [row] = await repeatTable.load(scope, { record_id: task.id }, 'record_id')
    if (!row) throw new Error('The task does not repeat.')
    const more = Array.from({ length: SERIES_MAX - 1 }, (_, index) => ({ ...row, record_id: `other ${index}` }))
    await scope.engine.transaction((db) => repeatTable.insertAll({ ...scope, db }, more))
    const { id } = await made(api, 'tasks')
    expect(await problemsOf(browser.put(`/w/${slug}/tasks/${id}/repeat`, daily))).toEqual({
      unit: [`The workspace has ${SERIES_MAX} tasks that repeat already, and cannot have more.`],
    })
    expect((await browser.put(`${at}/repeat`, { unit: 'week' })).status).toBe(200)
  })

  it('is the winner’s of a merge, or that of a loser, until the merge is undone', async () => {
    const { api, browser, slug, task, at, workspace } = await repeating()
    const ada = await signedInMember(workspace, 'member')
    const winner = await made(api, 'tasks')
    const ofWinner = `/w/${slug}/tasks/${winner.id}`
    await ada.browser.put(`${at}/reminder`, { minutes_before: 60 })
    await browser.put(`${at}/reminder`, { minutes_before: 0 })
    await browser.put(`${ofWinner}/reminder`, { minutes_before: 1440 })
    const merged = await api.put(`/tasks/${winner.id}/merge`, { loser_ids: [task.id] })
    expect(merged.status, merged.text).toBe(200)
    expect(await planOf(browser, ofWinner)).toMatchObject({ repeat: daily, reminder: { minutes_before: 1440 } })
    expect(await planOf(ada.browser, ofWinner)).toMatchObject({ reminder: { minutes_before: 60 } })
    const undone = await api.put(`/merges/${merged.body.meta.merge_id}/undo`)
    expect(undone.status, undone.text).toBe(200)
    expect(await planOf(browser, ofWinner)).toMatchObject({ repeat: null, reminder: { minutes_before: 1440 } })
    expect((await planOf(ada.browser, ofWinner)).reminder).toBeNull()
    expect(await planOf(ada.browser, at)).toMatchObject({ repeat: daily, reminder: { minutes_before: 60 } })
  })

  it('is for those who may change tasks. A reminder is for everybody', async () => {
    const { workspace, slug, at, task } = await repeating()
    const viewer = await signedInMember(workspace, 'viewer')
    expect((await viewer.browser.put(`${at}/repeat`, daily)).status).toBe(403)
    expect((await viewer.browser.delete(`${at}/repeat`)).status).toBe(403)
    expect((await viewer.browser.put(`${at}/reminder`, { minutes_before: 0 })).status).toBe(200)
    expect((await viewer.browser.delete(`${at}/reminder`)).status).toBe(200)
    const stranger = await signedInMember(await newWorkspace(), 'owner')
    expect((await stranger.browser.get(`/w/${slug}/tasks/${task.id}/plan`)).status).toBe(404)
  })

  it('says what is wrong with it', async () => {
    const { browser, at, patch } = await repeating()
    expect(await problemsOf(browser.put(`${at}/repeat`, { unit: 'year', every: 0 }))).toEqual({
      unit: ['The unit must be one of: day, weekday, week, month.'],
      every: ['The every must be a whole number from 1 to 365.'],
    })
    expect(await problemsOf(browser.put(`${at}/reminder`, { minutes_before: 7 }))).toEqual({
      minutes_before: ['The minutes_before must be one of: 0, 60, 1440.'],
    })
    expect(await problemsOf(browser.put(`${at}/reminder`, {}))).toEqual({
      at: ['Send either a minutes_before or an at.'],
    })
    expect(await problemsOf(browser.put(`${at}/reminder`, { at: '2020-01-01T00:00:00Z' }))).toEqual({
      at: ['The at must be in the future.'],
    })
    await patch(done)
    expect(await problemsOf(browser.put(`${at}/repeat`, daily))).toEqual({
      unit: ['The task is completed. Open it again first, or change the next one.'],
    })
  })

  it('counts in the time zone of the member who set it', async () => {
    const { browser, at, patch, others } = await repeating({ custom_fields: { due_date: '2100-03-27T08:00:00Z' } })
    expect((await browser.put('/time-zone', { time_zone: 'Europe/Berlin' })).status).toBe(200)
    await browser.put(`${at}/repeat`, daily)
    await patch(done)
    // Summer time begins.
    expect(duesOf(await others())).toEqual(['2100-03-28T07:00:00.000Z'])
  })
})
