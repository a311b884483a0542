import { createClient } from '@kith/sdk'
import { expect, it } from 'vitest'
import { workspaceWithOwn } from '../../own-resource.ts'

it('the client adds, lists, reads, edits, deletes and restores comments', async () => {
  const { api, owner } = await workspaceWithOwn()
  const kith = createClient({ url: api.base.replace(/\/v1$/, ''), token: api.token })
  const { data: company } = await kith.companies.create({ name: 'Acme' })
  const { data: project } = await kith.resource('projects').create({ name: 'Move' })
  for (const comments of [kith.companies.comments(company.id), kith.resource('projects').comments(project.id)]) {
    const { data: first } = await comments.add(`Hello @[${owner.id}]`)
    expect(first.attributes.mentions).toEqual([{ id: owner.id, name: owner.name }])
    const { data: reply } = await comments.add('Yes?', { replyTo: first.id })
    const { data: last } = await comments.add('Bye')
    const all = await Array.fromAsync(comments.all({ per_page: 2 }))
    expect(all).toEqual([first, reply, last])
    const page = await comments.list({ per_page: 1 })
    expect((await comments.list({ per_page: 1, cursor: page.meta.next_cursor ?? '' })).data).toEqual([reply])
    expect((await kith.comments.edit(last.id, 'See you')).data.attributes.body).toBe('See you')
    await kith.comments.delete(last.id)
    await expect(kith.comments.read(last.id)).rejects.toMatchObject({ kind: 'not_found' })
    expect((await kith.comments.restore(last.id)).data.attributes.body).toBe('See you')
  }
  const { data } = await kith.changes.list({ cursor: 'start', resources: ['comments'] })
  const bodies = data.flatMap(({ attributes: { record } }) =>
    record?.type === 'comments' ? [record.attributes.body] : [],
  )
  expect(bodies.filter((body) => body === 'See you')).toHaveLength(2)
})
