import { resources } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { addMember } from '../../src/accounts/members.ts'
import { problemsOf } from '../records.ts'
import { newWorkspace } from '../workspace.ts'

describe('6. GET /v1/user: the token’s user', () => {
  it('{data: {id, type: "users", attributes: {name, email}}}, for every role', async () => {
    const workspace = await newWorkspace()
    const people = [workspace.owner]
    for (const role of ['owner', 'admin', 'member', 'viewer'] as const) people.push(await workspace.member(role))
    for (const user of people) {
      const answer = await (await workspace.token({ user, abilities: ['read'] })).get('/user')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/vnd.api+json')
      const { id, name, email } = user
      expect(answer.text).toBe(JSON.stringify({ data: { id, type: 'users', attributes: { name, email } } }))
    }
  })

  it('the same user in every workspace, and the id by which records are filtered', async () => {
    const [one, other] = await Promise.all([newWorkspace(), newWorkspace()])
    await addMember(await other.scope(), { email: one.owner.email, role: 'member' })
    const there = await other.token({ user: one.owner })
    const { id } = (await one.api.get('/user')).body.data
    expect((await there.get('/user')).body.data.id).toBe(id)
    for (const { type, label } of resources) {
      const made = await there.post(`/${type}`, { [label]: 'Mine' })
      await other.api.post(`/${type}`, { [label]: 'Another’s' })
      expect((await there.get(`/${type}?filter[creator][$in]=${id}`)).body.data).toEqual([made.body.data])
    }
  })

  it('takes no parameters', async () => {
    const { api } = await newWorkspace()
    const problems = await problemsOf(api.get('/user?include=workspaces&fields=name'))
    expect(Object.keys(problems)).toEqual(['include', 'fields'])
  })
})
