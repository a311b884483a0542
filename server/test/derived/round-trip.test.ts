import { beforeAll, describe, expect, it } from 'vitest'
import { everyResource, workspaceWithOwn } from '../own-resource.ts'
import type { TestWorkspace } from '../workspace.ts'
import { defineEveryType, type Ids, readAll, relatedRecords, valuesOfEveryType } from './full-records.ts'

describe("Law 1. Round trip: PUT of a record's own attributes is accepted and changes nothing", () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await workspaceWithOwn()
    for (const resource of everyResource) await defineEveryType(workspace, resource)
  })

  async function expectUnchanged(ids: Ids) {
    const { api } = workspace
    for (const resource of everyResource) {
      const path = `/${resource}/${ids[resource]}`
      const before = await readAll(workspace, resource, ids[resource])
      const { attributes } = before.body.data
      const put = await api.put(path, attributes)
      expect(put.status, put.text).toBe(200)
      // With its counts the record was read, without them it is answered.
      const plain = (await api.get(path)).body.data
      expect(put.body.data).toEqual(plain)
      expect(put.body.data.attributes.updated_at).toBe(attributes.updated_at)
      expect((await api.patch(path, plain.attributes)).body.data).toEqual(plain)
      expect((await readAll(workspace, resource, ids[resource])).text).toBe(before.text)
    }
  }

  it('for a record that has everything, its counts included', async () => {
    await expectUnchanged(await relatedRecords(workspace, valuesOfEveryType('one')))
    await expectUnchanged(await relatedRecords(workspace, valuesOfEveryType('other')))
  })

  it('for a record that has nothing', async () => {
    const ids = await relatedRecords(workspace)
    const { api } = workspace
    await api.put(`/companies/${ids.companies}`, { account_owner_id: null })
    await api.put(`/people/${ids.people}`, { company_id: null })
    await api.put(`/opportunities/${ids.opportunities}`, { company_id: null, contact_id: null })
    for (const resource of ['tasks', 'notes'] as const) {
      await api.put(`/${resource}/${ids[resource]}`, { company_ids: [], people_ids: [], opportunity_ids: [] })
    }
    await expectUnchanged(ids)
  })

  it('for a record whose related records were deleted and whose owner has left', async () => {
    const { api } = workspace
    const leaving = await workspace.member('member')
    const ids = await relatedRecords(workspace)
    await api.put(`/companies/${ids.companies}`, { account_owner_id: leaving.id })
    await api.put(`/tasks/${ids.tasks}`, { assignee_ids: [leaving.id] })
    await workspace.remove(leaving)
    const others = await relatedRecords(workspace)
    await api.delete(`/people/${ids.people}`)
    await api.put(`/opportunities/${ids.opportunities}`, { contact_id: others.people, company_id: others.companies })
    await api.delete(`/companies/${others.companies}`)
    await api.delete(`/people/${others.people}`)
    for (const resource of ['companies', 'opportunities', 'tasks', 'notes'] as const) {
      const before = await readAll(workspace, resource, ids[resource])
      const put = await api.put(`/${resource}/${ids[resource]}`, before.body.data.attributes)
      expect(put.status, put.text).toBe(200)
      expect((await readAll(workspace, resource, ids[resource])).text).toBe(before.text)
    }
    const { attributes } = (await api.get(`/opportunities/${ids.opportunities}`)).body.data
    expect(attributes).toMatchObject({ company_id: null, contact_id: null })
    expect((await api.get(`/companies/${ids.companies}`)).body.data.attributes.account_owner_id).toBeNull()
  })
})
