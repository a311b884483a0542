import { describe, expect, it } from 'vitest'
import { eachTested, numberedBodies, stock } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'

/** What the other files leave of section 8: the limits of upserts and of the list of definitions. */
describe('8. Limits: ids in a 409 matches list, up to 25', () => {
  it.each(eachTested)('%s: of 25 records all are named, of 26 the 25 oldest', async (type, { label }) => {
    const workspace = await workspaceWithOwn()
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
  it.each(testedResources)('%s: also the name or title of an upsert, whether it creates or updates', async (type) => {
    const workspace = await workspaceWithOwn()
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

describe('8. Limits: per_page 1 to 100, page 1 to 1,000,000, also of the definitions of custom fields', () => {
  it('of 101 fields 100 are shown at once, and no more can be asked for', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    for (let index = 0; index < 85; index++) await workspace.field('notes', { name: `Field ${index}`, type: 'toggle' })
    const full = await api.get('/custom-fields?per_page=100')
    expect([full.body.data.length, full.body.meta.total]).toEqual([100, 101])
    expect((await api.get('/custom-fields?per_page=1')).body.data).toHaveLength(1)
    expect((await api.get('/custom-fields?page=1000000')).body.meta.current_page).toBe(1_000_000)
    for (const [query, name] of [
      ['per_page=0', 'per_page'],
      ['per_page=101', 'per_page'],
      ['page=0', 'page'],
      ['page=1000001', 'page'],
    ]) {
      expect(Object.keys(await problemsOf(api.get(`/custom-fields?${query}`)))).toEqual([name])
    }
  })
})
