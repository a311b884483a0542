import { createClient } from '@kith/sdk'
import { expect, it } from 'vitest'
import { workspaceWithOwn } from '../../own-resource.ts'

it('the client follows records, and reads and marks the notifications of its user', async () => {
  const { api, token, owner, member } = await workspaceWithOwn()
  const clientOf = (secret: string) => createClient({ url: api.base.replace(/\/v1$/, ''), token: secret })
  const kith = clientOf(api.token)
  const other = clientOf((await token({ user: await member('member') })).token)
  const { data: company } = await other.companies.create({ name: 'Acme' })
  const { data: project } = await other.resource('projects').create({ name: 'Move' })
  for (const [mine, theirs, id] of [
    [kith.companies, other.companies, company.id],
    [kith.resource('projects'), other.resource('projects'), project.id],
  ] as const) {
    expect((await mine.following(id)).meta).toEqual({ following: false })
    expect((await mine.follow(id)).meta).toEqual({ following: true })
    await theirs.comments(id).add('Hello')
    await theirs.comments(id).add(`Hello @[${owner.id}]`)
    expect((await mine.unfollow(id)).meta).toEqual({ following: false })
  }
  const all = await Array.fromAsync(kith.notifications.all({ per_page: 1, unread: true }))
  const reasons = ['mentioned', 'commented', 'mentioned', 'commented', 'joined']
  expect(all.map(({ attributes }) => attributes.reason)).toEqual(reasons)
  const [last] = all
  const joined = all.at(-1)
  const read = await kith.notifications.update(last?.id ?? '', { read: true })
  expect(read.data.attributes.read_at).toEqual(expect.any(String))
  expect((await kith.notifications.markRead({ until: joined?.id ?? '' })).meta).toEqual({ count: 1 })
  expect((await kith.notifications.list({ unread: true })).data).toHaveLength(3)
  expect((await kith.notifications.list({ per_page: 100 })).data).toHaveLength(5)
  const before = (await kith.notifications.settings()).data.attributes
  const { data: settings } = await kith.notifications.updateSettings({ commented: 'none' })
  expect(settings.attributes).toEqual({ ...before, commented: 'none' })
})
