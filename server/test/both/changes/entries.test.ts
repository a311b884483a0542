import { registry } from '@kith/contract/registry'
import { beforeEach, describe, expect, it } from 'vitest'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { follow, now, page, told } from './feed.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await workspaceWithOwn()
})

describe('7. Every change is in the feed', () => {
  it.each(testedResources)('%s: created, updated, deleted and restored, each once', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const cursor = await now(workspace)
    const { id } = await made(api, type)
    await api.put(`/${type}/${id}`, { [label]: 'Renamed' })
    // A write that changes nothing has no entry.
    await api.put(`/${type}/${id}`, { [label]: 'Renamed' })
    const updated = (await api.get(`/${type}/${id}`)).body.data
    await gone(api, type, id)
    await api.put(`/${type}/${id}/restore`)
    const restored = (await api.get(`/${type}/${id}`)).body.data
    const { entries } = await follow(workspace, cursor)
    expect(entries.map(told)).toEqual([
      `created ${type}`,
      `updated ${type} ${label}`,
      `deleted ${type}`,
      `restored ${type}`,
    ])
    expect(entries.map(({ attributes }) => attributes.record_id)).toEqual([id, id, id, id])
    expect(entries[1]?.attributes.at).toBe(updated.attributes.updated_at)
    expect(entries[3]?.attributes.at).toBe(restored.attributes.updated_at)
    const [first = 0] = entries.map(({ attributes }) => attributes.sequence ?? 0)
    expect(entries.map(({ attributes }) => attributes.sequence)).toEqual([first, first + 1, first + 2, first + 3])
    for (const { attributes } of entries) {
      expect(attributes.record?.attributes).toMatchObject({ ...restored.attributes, external_ids: {} })
      expect(attributes.origin).toMatchObject({ source: 'api', own: true })
    }
  })

  it('the starting fields and the owner of a new workspace are its first entries', async () => {
    const { data, meta } = await page(workspace, 'since=2020-01-01&limit=1000')
    const fields = (await workspace.api.get('/custom-fields?per_page=100')).body.data
    expect(data.slice(0, fields.length + 1).map(told)).toEqual([
      ...fields.map(() => 'created custom_fields'),
      'created users',
    ])
    expect(data[0]?.attributes.sequence).toBe(1)
    expect(new Set(data.map((entry) => entry.attributes.record?.id))).toContain(fields[0].id)
    expect(meta).toMatchObject({ phase: 'live', has_more: false, head: data.at(-1)?.attributes.sequence })
  })

  it('a restore has an entry for each record whose reference is readable again', async () => {
    const { api } = workspace
    const company = await made(api, 'companies')
    const person = await made(api, 'people', { company_id: company.id })
    const task = await made(api, 'tasks', { company_ids: [company.id] })
    await gone(api, 'companies', company.id)
    const cursor = await now(workspace)
    await api.put(`/companies/${company.id}/restore`)
    const { entries } = await follow(workspace, cursor)
    expect(entries.map(told)).toEqual(['restored companies', 'updated people company_id', 'updated tasks company_ids'])
    const times = await Promise.all([api.get(`/people/${person.id}`), api.get(`/tasks/${task.id}`)])
    expect(entries.slice(1).map(({ attributes }) => attributes.at)).toEqual(
      times.map(({ body }) => body.data.attributes.updated_at),
    )
    expect(entries[1]?.attributes.record?.attributes.company_id).toBe(company.id)
  })

  it('a merge has merged for each loser and updated for what moved, and its undo restored', async () => {
    const { api } = workspace
    const [winner, loser] = [await made(api, 'companies'), await made(api, 'companies')]
    await made(api, 'people', { company_id: loser.id })
    const both = await made(api, 'notes', { company_ids: [winner.id, loser.id] })
    const cursor = await now(workspace)
    const merged = await api.put(`/companies/${winner.id}/merge`, { loser_ids: [loser.id] })
    const { entries, cursor: after } = await follow(workspace, cursor)
    expect(entries.map(told).sort()).toEqual(['merged companies', 'updated people company_id'])
    expect(entries.find((entry) => entry.attributes.kind === 'merged')?.attributes).toMatchObject({
      record_id: loser.id,
      merged_into: winner.id,
      record: null,
    })
    await api.put(`/merges/${merged.body.meta.merge_id}/undo`)
    const undone = (await follow(workspace, after)).entries
    expect(undone.map(told)).toEqual(['restored companies', 'updated people company_id', 'updated notes company_ids'])
    expect(undone[2]?.attributes.record_id).toBe(both.id)
  })

  it('definitions and their options: what is cleared has its entries', async () => {
    const { api } = workspace
    const cursor = await now(workspace)
    await workspace.field('companies', { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
    const { id } = await made(api, 'companies', { custom_fields: { tier: 'Gold' } })
    await workspace.updateField('companies', 'tier', { options: ['Silver'] })
    const { entries } = await follow(workspace, cursor)
    expect(entries.map(told)).toEqual([
      'created custom_fields',
      'created companies',
      'updated custom_fields options',
      'updated companies custom_fields.tier',
    ])
    expect(entries[3]?.attributes.at).toBe((await api.get(`/companies/${id}`)).body.data.attributes.updated_at)
  })
})

describe('the sync form', () => {
  it('has external ids before the custom fields, and the links of tasks and notes', async () => {
    const { api } = workspace
    const company = await made(api, 'companies')
    for (const { type, links } of Object.values(registry)) {
      const cursor = await now(workspace)
      const named = Object.keys(links).includes('company_ids') ? { company_ids: [company.id] } : {}
      await made(api, type, named)
      const [entry] = (await follow(workspace, cursor)).entries
      const record = entry?.attributes.record as { attributes: object; relationships?: Record<string, unknown> }
      expect(Object.keys(record.attributes).slice(-2)).toEqual(['external_ids', 'custom_fields'])
      if (Object.keys(links).length === 0) expect(record.relationships).toBeUndefined()
      else expect(record.relationships?.companies).toEqual({ data: [{ id: company.id, type: 'companies' }] })
    }
  })
})
