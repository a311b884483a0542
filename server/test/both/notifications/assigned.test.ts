import { newId } from '@kith/contract/id'
import { beforeAll, describe, expect, it } from 'vitest'
import { enterAsOperator } from '../../../src/accounts/workspace.ts'
import { createRecord } from '../../../src/records/write.ts'
import { declared, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { imported } from '../jobs/jobs.ts'
import { inboxOf, memberOf, textsOf } from './inbox.ts'

let workspace: TestWorkspace
let ownerName: string

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  ownerName = workspace.owner.name
  for (const type of everyResource) {
    await workspace.field(type, { name: 'Helper', type: 'member', multiple: true })
    await workspace.field(type, { name: 'Key', type: 'text', unique: true })
  }
})

describe('assigned', () => {
  it.each([
    ['tasks', 'assignee_ids', (id: string) => [id]],
    ['companies', 'account_owner_id', (id: string) => id],
    ['projects', 'owner_id', (id: string) => id],
  ] as const)('%s by %s: on create and on update, not if it stays', async (type, key, value) => {
    const { label, one } = declared(type)
    const ada = await memberOf(workspace)
    const made = await workspace.api.post(`/${type}`, { [label]: 'First', [key]: value(ada.id) })
    const { id } = made.body.data
    const [told] = await inboxOf(ada.api)
    expect(told).toEqual({
      id: told?.id,
      type: 'notifications',
      attributes: {
        reason: 'assigned',
        resource: type,
        record_id: id,
        actor_id: workspace.owner.id,
        text: `${ownerName} assigned the ${one} First to you.`,
        read_at: null,
        created_at: told?.attributes.created_at,
      },
    })
    await workspace.api.put(`/${type}/${id}`, { [label]: 'Renamed', [key]: value(ada.id) })
    expect(await textsOf(ada.api)).toEqual([`${ownerName} assigned the ${one} Renamed to you.`])
    await workspace.api.put(`/${type}/${id}`, { [key]: key === 'assignee_ids' ? [] : null })
    await workspace.api.put(`/${type}/${id}`, { [key]: value(ada.id) })
    expect(await inboxOf(ada.api)).toHaveLength(2)
  })

  it.each(testedResources)('%s by a member field: only those who are new', async (type) => {
    const { label } = declared(type)
    const [ada, bob] = [await memberOf(workspace), await memberOf(workspace)]
    const made = await workspace.api.post(`/${type}`, { [label]: 'One', custom_fields: { helper: [ada.id] } })
    const { id } = made.body.data
    const changed = await workspace.api.put(`/${type}/${id}`, { custom_fields: { helper: [bob.id, ada.id] } })
    expect(changed.status, changed.text).toBe(200)
    const added = await workspace.api.post(`/${type}/upsert`, {
      [label]: 'Two',
      match: { field: 'key', value: `${type} two` },
      custom_fields: { helper: [bob.id] },
    })
    expect(added.status, added.text).toBe(201)
    expect((await inboxOf(ada.api)).map(({ attributes }) => attributes.record_id)).toEqual([id])
    expect((await inboxOf(bob.api)).map(({ attributes }) => attributes.record_id)).toEqual([added.body.data.id, id])
  })

  it('nobody is notified of what they did, whether with a token or in a batch', async () => {
    const ada = await memberOf(workspace)
    await ada.api.post('/tasks', { title: 'My own', assignee_ids: [ada.id] })
    await ada.api.post('/companies/batch', {
      operations: [{ op: 'create', data: { name: 'Mine', account_owner_id: ada.id } }],
    })
    expect(await inboxOf(ada.api)).toEqual([])
  })

  it('the command line is not the owner with whose rights it acts', async () => {
    const scope = await enterAsOperator(workspace.runtime, workspace.slug)
    const body = { title: 'By an operator', assignee_ids: [workspace.owner.id] }
    await createRecord(scope, declared('tasks'), { body, asked: { raw: {}, loose: true, issues: [] } })
    const [told] = await inboxOf(workspace.api)
    expect(told?.attributes).toMatchObject({
      actor_id: null,
      text: 'The task By an operator was assigned to you.',
    })
  })

  it('once for each person of one write that names them twice', async () => {
    const ada = await memberOf(workspace)
    const custom_fields = { helper: [ada.id] }
    await workspace.api.post('/tasks', { title: 'Twice', assignee_ids: [ada.id], custom_fields })
    expect(await inboxOf(ada.api)).toHaveLength(1)
  })

  it.each([false, true])('a batch (atomic: %s) notifies each person once, with the number', async (atomic) => {
    const [ada, bob] = [await memberOf(workspace), await memberOf(workspace)]
    const task = (n: number, id: string) => ({
      op: 'create',
      resource: 'tasks',
      data: { title: `Task ${n}`, assignee_ids: [id] },
    })
    const company = { op: 'create', resource: 'companies', data: { name: 'Acme', account_owner_id: ada.id } }
    const operations = [...Array.from({ length: 120 }, (_, n) => task(n, ada.id)), company, task(120, bob.id)]
    const { body, text } = await workspace.api.post('/batch', { operations, atomic })
    expect(body.meta?.failed, text).toBe(0)
    const told = await inboxOf(ada.api)
    expect(told.map(({ attributes: { record_id, resource, text } }) => [record_id, resource, text])).toEqual([
      [body.data[0].id, 'tasks', `${ownerName} assigned 121 records to you.`],
    ])
    expect(await textsOf(bob.api)).toEqual([`${ownerName} assigned the task Task 120 to you.`])
  })

  it('a dry run notifies nobody, and a repeated key nobody again', async () => {
    const ada = await memberOf(workspace)
    const operations = [{ op: 'create', data: { title: 'Keyed', assignee_ids: [ada.id] } }]
    await workspace.api.post('/tasks/batch', { operations, dry_run: true })
    expect(await inboxOf(ada.api)).toEqual([])
    const headers = { 'Idempotency-Key': newId(0) }
    for (let i = 0; i < 2; i++) {
      expect((await workspace.api.post('/tasks/batch', { operations }, { headers })).status).toBe(200)
    }
    expect(await textsOf(ada.api)).toEqual([`${ownerName} assigned the task Keyed to you.`])
  })

  it('an import notifies each person once, and a refused write nobody', async () => {
    const ada = await memberOf(workspace)
    const rows = Array.from({ length: 250 }, (_, row) => `Company ${row},${ada.id}`)
    const mapping = { name: 'name', owner: 'account_owner_id' }
    const job = await imported(workspace.api, `name,owner\n${rows.join('\n')}\n`, { mapping })
    expect(job.attributes.progress.created).toBe(250)
    expect(await textsOf(ada.api)).toEqual([`${ownerName} assigned 250 records to you.`])
    await workspace.api.post('/tasks', { title: '', assignee_ids: [ada.id] })
    expect(await inboxOf(ada.api)).toHaveLength(1)
  })

  it('a merge assigns nothing, and its undo neither', async () => {
    const ada = await memberOf(workspace)
    const winner = (await workspace.api.post('/companies', { name: 'Winner' })).body.data.id
    const loser = (await workspace.api.post('/companies', { name: 'Loser', account_owner_id: ada.id })).body.data.id
    const merged = await workspace.api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })
    expect(merged.body.data.attributes.account_owner_id).toBe(ada.id)
    // What was about the loser is about the winner until the merge is undone.
    const records = async () => (await inboxOf(ada.api)).map(({ attributes }) => attributes.record_id)
    expect(await records()).toEqual([winner])
    await workspace.api.put(`/merges/${merged.body.meta.merge_id}/undo`)
    expect(await records()).toEqual([loser])
  })
})
