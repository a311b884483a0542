import { resourceNames } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { problemsOf } from '../records.ts'
import { newWorkspace } from '../workspace.ts'
import { eachResource, numberedBodies, stock } from './lists.ts'

/** What the other files of section 8 leave: the limits that only an upsert meets. */
describe('8. Limits: ids in a 409 matches list, up to 25', () => {
  it.each(eachResource)('%s: of 25 records all are named, of 26 the 25 oldest', async (type, { label }) => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await workspace.field(type, { name: 'Key', type: 'text' })
    const ids = await stock(workspace, type, numberedBodies(type, 26, { custom_fields: { key: 'same' } }))
    await workspace.updateField(type, 'key', { unique: true })
    const upsert = () => api.post(`/${type}/upsert`, { match: { field: 'key', value: 'same' }, [label]: 'New' })
    const past = await upsert()
    expect([past.status, past.body.matches]).toEqual([409, ids.slice(0, 25)])
    await api.delete(`/${type}/${ids[0]}`)
    const full = await upsert()
    expect([full.status, full.body.matches]).toEqual([409, ids.slice(1)])
    expect((await api.get(`/${type}`)).body.meta.total).toBe(25)
  })
})

describe('8. Limits: company name, at most 255 characters', () => {
  it.each(resourceNames)('%s: also the name or title of an upsert, whether it creates or updates', async (type) => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await workspace.field(type, { name: 'Key', type: 'text', unique: true })
    const label = type === 'tasks' || type === 'notes' ? 'title' : 'name'
    const upsert = (value: string, name: string) =>
      api.post(`/${type}/upsert`, { match: { field: 'key', value }, [label]: name })
    const long = { [label]: [`The ${label} must not be greater than 255 characters.`] }
    expect(await problemsOf(upsert('one', 'é'.repeat(256)))).toEqual(long)
    expect((await api.get(`/${type}`)).body.meta.total).toBe(0)
    expect((await upsert('one', 'x'.repeat(255))).status).toBe(201)
    expect(await problemsOf(upsert('one', '🦊'.repeat(256)))).toEqual(long)
    const updated = await upsert('one', '🦊'.repeat(255))
    expect([updated.status, updated.body.data.attributes[label]]).toEqual([200, '🦊'.repeat(255)])
  })
})
