import { describe, expect, it } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { eachTested, idsOf, numberedBodies, pagesFrom, stock } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'

/** Asks more than once, so that whatever the service remembers of a list is asked for, too. */
const TIMES = 4

describe.each(eachTested)('a list of %s says what is, not what was', (type, { label }) => {
  it('after every kind of write, on every page and in every total', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const made = await stock(workspace, type, numberedBodies(type, 9))
    const query = `/${type}?filter[${label}][$contains]=%20&per_page=2&sort=${label}`
    const expectNow = async (ids: readonly string[]) => {
      for (let time = 0; time < TIMES; time++) {
        expect((await pagesFrom(api, query)).flat()).toEqual(ids)
        const { body } = await api.get(`${query}&page=2`)
        expect(body.data.map((record: { id: string }) => record.id)).toEqual(ids.slice(2, 4))
        expect(body.meta.total).toBe(ids.length)
      }
    }
    await expectNow(made)
    const created = (await api.post(`/${type}`, { [label]: 'first' })).body.data.id
    await expectNow(made)
    await api.put(`/${type}/${created}`, { [label]: '0 first' })
    await expectNow([created, ...made])
    await api.delete(`/${type}/${made[0]}`)
    await expectNow([created, ...made.slice(1)])
    await api.put(`/${type}/${created}`, { [label]: 'z last' })
    await expectNow([...made.slice(1), created])
    await api.put(`/${type}/${created}`, { [label]: 'z' })
    await expectNow(made.slice(1))
  })

  it('after a member left, and after one came back', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const member = await workspace.member('member')
    const theirs = await workspace.token({ user: member })
    for (let count = 0; count < 5; count++) await theirs.post(`/${type}`, { [label]: `Theirs ${count}` })
    const query = `/${type}?filter[creator][$is_empty]=true&per_page=2&sort=${label}`
    const expectNow = async (count: number) => {
      for (let time = 0; time < TIMES; time++) {
        expect((await pagesFrom(api, query)).flat()).toHaveLength(count)
        const { body } = await api.get(`${query}&page=2`)
        expect(body.meta.total).toBe(count)
        expect(body.data).toHaveLength(Math.max(0, Math.min(2, count - 2)))
      }
    }
    await expectNow(0)
    await workspace.remove(member)
    await expectNow(5)
    await addMember(await workspace.scope(), { email: member.email, role: 'member' })
    await expectNow(0)
  })

  it('after an option was taken away', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await workspace.field(type, { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
    const bodies = numberedBodies(type, 5, { custom_fields: { tier: 'Gold' } })
    const gold = await stock(workspace, type, bodies)
    const query = `/${type}?filter[custom_fields][tier][$is_empty]=true&per_page=2`
    for (let time = 0; time < TIMES; time++) expect((await api.get(query)).body.meta.total).toBe(0)
    await workspace.updateField(type, 'tier', { remove_options: ['Gold'] })
    for (let time = 0; time < TIMES; time++) {
      expect((await api.get(query)).body.meta.total).toBe(5)
      expect((await pagesFrom(api, query)).flat().sort()).toEqual([...gold].sort())
    }
  })
})

describe('what is assigned to me', () => {
  it('is counted for each reader', async () => {
    const workspace = await workspaceWithOwn()
    const member = await workspace.member('member')
    const theirs = await workspace.token({ user: member })
    const mine = await stock(workspace, 'tasks', numberedBodies('tasks', 3, { assignee_ids: [workspace.owner.id] }))
    const others = await stock(workspace, 'tasks', numberedBodies('tasks', 2, { assignee_ids: [member.id] }))
    for (let time = 0; time < TIMES; time++) {
      for (const [api, ids] of [
        [workspace.api, mine],
        [theirs, others],
      ] as const) {
        const answer = await api.get('/tasks?filter[assigned_to_me][$eq]=true&sort=created_at&per_page=2')
        expect(idsOf(answer)).toEqual(ids.slice(0, 2))
        expect(answer.body.meta.total).toBe(ids.length)
      }
    }
  })
})
