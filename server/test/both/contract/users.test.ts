import { describe, expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'

describe('sync 7. GET /v1/users: the members: name, email; as lists', () => {
  it('shows every member with name and email, by id, in pages', async () => {
    const { api, owner, member } = await newWorkspace()
    const people = [owner]
    for (const role of ['admin', 'member', 'viewer'] as const) people.push(await member(role))
    const expected = people
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ id, name, email }) => ({ id, type: 'users', attributes: { name, email } }))
    const all = await api.get('/users')
    expect(all.status).toBe(200)
    expect(all.body.data).toEqual(expected)
    expect(all.body.meta).toMatchObject({ current_page: 1, from: 1, to: 4, last_page: 1, per_page: 15, total: 4 })
    const second = await api.get('/users?per_page=3&page=2')
    expect(second.body.data).toEqual(expected.slice(3))
    expect(second.body.meta).toMatchObject({ current_page: 2, from: 4, to: 4, last_page: 2, total: 4 })
    expect(second.body.links).toMatchObject({ prev: `${api.base}/users?per_page=3&page=1`, next: null })
    const past = await api.get('/users?page=9')
    expect(past.body).toMatchObject({ data: [], meta: { from: null, to: null, total: 4 } })
  })

  it('has no member of another workspace, and none who has left', async () => {
    const [workspace, other] = await Promise.all([newWorkspace(), newWorkspace()])
    const gone = await workspace.member('member')
    await workspace.remove(gone)
    const { data, meta } = (await workspace.api.get('/users')).body
    expect(data.map(({ id }: { id: string }) => id)).toEqual([workspace.owner.id])
    expect(meta.total).toBe(1)
    expect((await other.api.get('/users')).body.meta.total).toBe(1)
  })

  it('needs the read ability, and no parameter but page and per_page', async () => {
    const { api, token } = await newWorkspace()
    expect((await (await token({ abilities: ['create'] })).get('/users')).status).toBe(403)
    const { status, body } = await api.get('/users?per_page=101&page=0&sort=name&per_pag=1')
    expect(status).toBe(422)
    expect(Object.keys(body.errors).sort()).toEqual(['page', 'per_pag', 'per_page', 'sort'])
    expect(body.errors.per_pag[0]).toBe(
      'The parameter per_pag is not known. Accepted: per_page, page. Did you mean per_page?',
    )
    expect((await api.post('/users', {})).status).toBe(405)
  })
})
