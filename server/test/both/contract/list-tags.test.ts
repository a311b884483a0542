import { describe, expect, it } from 'vitest'
import { userTable } from '../../../src/storage/tables/accounts.ts'
import type { Api } from '../../api.ts'
import { everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { made, problemsOf } from '../../records.ts'

const paths = [...everyResource.map((name) => `/${name}`), '/custom-fields', '/users']

async function tagAt(api: Api, path: string): Promise<string> {
  const { status, headers } = await api.get(path)
  expect(status).toBe(200)
  const tag = headers.get('etag') ?? ''
  expect(tag).toMatch(/^W\/"[!-~]+"$/)
  return tag
}

const tagsAt = (api: Api) => Promise.all(paths.map((path) => tagAt(api, path)))

describe('sync 3. GET of lists, /v1/custom-fields and /v1/users carries a weak tag', () => {
  it('which stays the same as long as nothing is written in the workspace: 304 without body', async () => {
    const { api } = await workspaceWithOwn()
    await made(api, 'companies')
    for (const path of [
      ...paths,
      '/companies?filter[name][$contains]=o&include=creator',
      '/tasks?page=2',
      '/notes?cursor=true',
    ]) {
      const tag = await tagAt(api, path)
      expect(await tagAt(api, path)).toBe(tag)
      for (const header of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
        const answer = await api.get(path, { headers: { 'If-None-Match': header } })
        expect([answer.status, answer.text, answer.headers.get('etag')], path).toEqual([304, '', tag])
      }
      expect((await api.get(path, { headers: { 'If-None-Match': '"x"' } })).status).toBe(200)
    }
  })

  it('and never stays the same when the response would differ', async () => {
    const workspace = await workspaceWithOwn()
    const { api, runtime } = workspace
    const person = await workspace.member('member')
    const { id } = await made(api, 'companies', { account_owner_id: person.id })
    const { options } = await workspace.field('companies', {
      name: 'Tier',
      type: 'select',
      code: 'tier',
      options: ['A'],
    })
    expect(options).toHaveLength(1)
    const renamed = { name: 'Another Name', updated_at: new Date().toISOString() }
    const writes: [string, () => Promise<unknown>][] = [
      ['create', () => made(api, 'people')],
      ['update', () => api.put(`/companies/${id}`, { name: 'Two' })],
      [
        'a renamed option',
        () => workspace.updateField('companies', 'tier', { rename_options: [{ from: 'A', to: 'B' }] }),
      ],
      ['a new field', () => workspace.field('tasks', { name: 'Size', type: 'number' })],
      ['a new name of a member', () => userTable.update(runtime.engine.single, { id: person.id }, renamed)],
      ['a member leaves', () => workspace.remove(person)],
      ['a member joins', () => workspace.member('member')],
      ['delete', () => api.delete(`/companies/${id}`)],
      ['restore', () => api.put(`/companies/${id}/restore`)],
    ]
    for (const [what, write] of writes) {
      const before = await tagsAt(api)
      await write()
      const after = await tagsAt(api)
      for (const [index, path] of paths.entries()) expect(after[index], `${what}: ${path}`).not.toBe(before[index])
    }
  })

  it('and depends on the request and on who asks', async () => {
    const workspace = await workspaceWithOwn()
    const member = await workspace.token({ user: await workspace.member('member') })
    const tasks = '/tasks?filter[assigned_to_me][$eq]=true'
    const tags = [
      await tagAt(workspace.api, tasks),
      await tagAt(member, tasks),
      await tagAt(workspace.api, '/tasks'),
      await tagAt(workspace.api, '/tasks?page=2'),
      await tagAt(workspace.api, '/notes'),
      await tagAt((await workspaceWithOwn()).api, '/notes'),
    ]
    expect(new Set(tags).size).toBe(tags.length)
  })

  it('a request that is refused has no tag, also with If-None-Match: *', async () => {
    const { api } = await workspaceWithOwn()
    const all = { headers: { 'If-None-Match': '*' } }
    expect(Object.keys(await problemsOf(api.get('/companies?nothing=1', all)))).toEqual(['nothing'])
    expect((await api.get('/companies?nothing=1')).headers.get('etag')).toBeNull()
    expect((await api.post('/companies/query', {}, all)).headers.get('etag')).toBeNull()
  })
})
