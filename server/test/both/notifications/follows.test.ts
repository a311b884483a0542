import { abilities } from '@kith/contract/abilities'
import { beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { declared, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { memberOf } from './inbox.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const type of everyResource) await workspace.field(type, { name: 'Helper', type: 'member' })
})

const followed = { meta: { following: true } }
const unfollowed = { meta: { following: false } }

async function newRecord(type: string, more: object = {}): Promise<string> {
  const made = await workspace.api.post(`/${type}`, { [declared(type).label]: 'One', ...more })
  expect(made.status, made.text).toBe(201)
  return made.body.data.id
}

describe('/v1/{resource}/{id}/follow', () => {
  it.each(testedResources)('%s: by hand, for every role', async (type) => {
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const { api } = await memberOf(workspace, role)
      const path = `/${type}/${await newRecord(type)}/follow`
      expect((await api.get(path)).body).toEqual(unfollowed)
      for (let i = 0; i < 2; i++) {
        const answer = await api.put(path)
        expect([answer.status, answer.body]).toEqual([200, followed])
      }
      expect((await api.get(path)).body).toEqual(followed)
      expect((await workspace.api.get(path)).body).toEqual(followed)
      for (let i = 0; i < 2; i++) {
        const answer = await api.delete(path)
        expect([answer.status, answer.body]).toEqual([200, unfollowed])
      }
      expect((await api.get(path)).body).toEqual(unfollowed)
    }
  })

  it.each(testedResources)('%s: followed by who made it and whom a field names', async (type) => {
    const ada = await memberOf(workspace)
    const id = await newRecord(type, { custom_fields: { helper: ada.id } })
    for (const api of [workspace.api, ada.api]) expect((await api.get(`/${type}/${id}/follow`)).body).toEqual(followed)
    await workspace.api.put(`/${type}/${id}`, { custom_fields: { helper: null } })
    expect((await ada.api.get(`/${type}/${id}/follow`)).body).toEqual(unfollowed)
  })

  it.each([
    ['tasks', (id: string) => ({ assignee_ids: [id] })],
    ['companies', (id: string) => ({ account_owner_id: id })],
    ['projects', (id: string) => ({ owner_id: id })],
  ] as const)(
    '%s: followed by its owner or assignees; ended by hand until they are assigned anew',
    async (type, to) => {
      const [ada, bob] = [await memberOf(workspace), await memberOf(workspace)]
      const id = await newRecord(type, to(ada.id))
      const path = `/${type}/${id}/follow`
      expect((await ada.api.get(path)).body).toEqual(followed)
      await ada.api.delete(path)
      await workspace.api.put(`/${type}/${id}`, { [declared(type).label]: 'Renamed', ...to(ada.id) })
      expect((await ada.api.get(path)).body).toEqual(unfollowed)
      await workspace.api.put(`/${type}/${id}`, to(bob.id))
      expect((await bob.api.get(path)).body).toEqual(followed)
      await workspace.api.put(`/${type}/${id}`, to(ada.id))
      expect((await ada.api.get(path)).body).toEqual(followed)
    },
  )

  it('needs the ability of its method, and a record that is there', async () => {
    const path = `/companies/${await newRecord('companies')}/follow`
    for (const [needed, method] of [
      ['read', 'GET'],
      ['update', 'PUT'],
      ['delete', 'DELETE'],
    ] as const) {
      const without = await workspace.token({ abilities: abilities.filter((one) => one !== needed) })
      expect((await without.send(method, path)).status).toBe(403)
      expect((await (await workspace.token({ abilities: [needed] })).send(method, path)).status).toBe(200)
      expect((await workspace.api.send(method, path.replace('companies', 'people'))).status).toBe(404)
      expect((await workspace.api.send(method, `${path}?x=1`)).status).toBe(422)
    }
    expect((await workspace.api.put(path, { following: true })).status).toBe(422)
    await workspace.api.delete(path.replace('/follow', ''))
    expect((await workspace.api.get(path)).status).toBe(404)
  })

  it('those who follow a loser of a merge by hand follow the winner, until the merge is undone', async () => {
    const [ada, bob] = [await memberOf(workspace), await memberOf(workspace)]
    const [winner, loser] = [await newRecord('companies'), await newRecord('companies')]
    await ada.api.put(`/companies/${loser}/follow`)
    await bob.api.put(`/companies/${loser}/follow`)
    await bob.api.delete(`/companies/${winner}/follow`)
    const follow = async (api: typeof ada.api, id: string) => (await api.get(`/companies/${id}/follow`)).body
    const merged = await workspace.api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })
    expect([await follow(ada.api, winner), await follow(bob.api, winner)]).toEqual([followed, unfollowed])
    await workspace.api.put(`/merges/${merged.body.meta.merge_id}/undo`)
    expect([await follow(ada.api, winner), await follow(bob.api, winner)]).toEqual([unfollowed, unfollowed])
    expect([await follow(ada.api, loser), await follow(bob.api, loser)]).toEqual([followed, followed])
  })

  it('a member who has left follows nothing by hand any more', async () => {
    const ada = await workspace.member('member')
    const path = `/companies/${await newRecord('companies')}/follow`
    await (await workspace.token({ user: ada })).put(path)
    await workspace.remove(ada)
    await addMember(await workspace.scope(), { email: ada.email, role: 'member' })
    expect((await (await workspace.token({ user: ada })).get(path)).body).toEqual(unfollowed)
  })
})
