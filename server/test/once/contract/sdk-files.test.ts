import { createClient } from '@kith/sdk'
import { expect, it } from 'vitest'
import { workspaceWithOwn } from '../../own-resource.ts'

it('the client adds, lists, reads, renames, deletes and restores files', async () => {
  const { api } = await workspaceWithOwn()
  const kith = createClient({ url: api.base.replace(/\/v1$/, ''), token: api.token })
  const { data: company } = await kith.companies.create({ name: 'Acme' })
  const { data: project } = await kith.resource('projects').create({ name: 'Move' })
  for (const files of [kith.companies.files(company.id), kith.resource('projects').files(project.id)]) {
    const { data: file } = await files.add('0123456789', { name: 'digits & more.txt', type: 'text/plain' })
    await files.add(new Blob(['{}'], { type: 'application/json' }), { name: 'b.json' })
    await files.add(new Uint8Array([1, 2]), { name: 'c' })
    const all = await Array.fromAsync(files.all({ per_page: 2 }))
    expect(all.map(({ attributes }) => [attributes.name, attributes.content_type])).toEqual([
      ['c', 'application/octet-stream'],
      ['b.json', 'application/json'],
      ['digits & more.txt', 'text/plain'],
    ])
    expect(await (await kith.files.content(file.id)).text()).toBe('0123456789')
    expect(await (await kith.files.content(file.id, { range: [3, 5] })).text()).toBe('345')
    expect((await kith.files.rename(file.id, 'a.txt')).data.attributes.name).toBe('a.txt')
    await kith.files.delete(file.id)
    await expect(kith.files.read(file.id)).rejects.toMatchObject({ kind: 'not_found' })
    expect((await kith.files.restore(file.id)).data.id).toBe(file.id)
    expect((await files.list()).meta.total).toBe(3)
  }
  const entries = (await kith.changes.list({ cursor: 'start', resources: ['files'] })).data
  expect(entries.map(({ attributes }) => attributes.resource)).toEqual(Array(6).fill('files'))
})
