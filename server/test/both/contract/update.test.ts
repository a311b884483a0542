import { beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import { found } from '../../filtering.ts'
import { declared, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, NOWHERE, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import { storedValues } from '../../stored-rows.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const type of everyResource) {
    await workspace.field(type, { name: 'Motto', type: 'text' })
    await workspace.field(type, { name: 'Sizes', type: 'multi-select', options: ['S', 'M', 'L'] })
    await workspace.field(type, { name: 'Weight', type: 'number' })
  }
})

describe('4. Update: body optional, same fields as create, none required; PUT and PATCH are the same partial update', () => {
  it.each(testedResources)('%s', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    for (const method of ['put', 'patch'] as const) {
      const before = await made(api, type, { custom_fields: { motto: 'm', sizes: ['S'], weight: 1 } })
      const path = `/${type}/${before.id}`
      for (const nothing of [undefined, {}]) {
        const answer = await api[method](path, nothing)
        expect(answer.status).toBe(200)
        expect(answer.body).toEqual({ data: before })
      }
      const answer = await api[method](path, { [label]: ' Two ', custom_fields: { sizes: ['L', 'm'] } })
      expect(answer.status).toBe(200)
      const { data } = answer.body
      expect(data.attributes).toEqual({
        ...before.attributes,
        [label]: 'Two',
        updated_at: data.attributes.updated_at,
        custom_fields: { ...before.attributes.custom_fields, sizes: data.attributes.custom_fields.sizes },
      })
      expect(data.attributes.custom_fields.sizes.map((size: { label: string }) => size.label)).toEqual(['L', 'M'])
      expect((await api.get(path)).body).toEqual(answer.body)
    }
  })

  it.each(testedResources)('%s: filters, search and order follow the change', async (type) => {
    const mine = await workspaceWithOwn()
    const { api } = mine
    const { label } = declared(type)
    await mine.field(type, { name: 'Motto', type: 'text' })
    await mine.field(type, { name: 'Weight', type: 'number' })
    const { id } = await made(api, type, { [label]: 'Before', custom_fields: { motto: 'old words', weight: 1 } })
    await made(api, type, { [label]: 'Middle', custom_fields: { weight: 5 } })
    const sorted = async (sort: string) =>
      (await api.get(`/${type}?sort=${sort}`)).body.data.map((one: { id: string }) => one.id === id)
    expect(await sorted(label)).toEqual([true, false])
    expect(await sorted('weight')).toEqual([true, false])
    await api.put(`/${type}/${id}`, { [label]: 'Now', custom_fields: { motto: 'new words', weight: 9 } })
    expect(await found(api, type, { [label]: { $contains: 'befor' } })).toEqual([])
    expect(await found(api, type, { [label]: { $contains: 'NOW' } })).toEqual(['Now'])
    expect(await found(api, type, { custom_fields: { motto: { $contains: 'old' } } })).toEqual([])
    expect(await found(api, type, { custom_fields: { motto: { $contains: 'new' } } })).toEqual(['Now'])
    expect(await found(api, type, { custom_fields: { weight: { $eq: 1 } } })).toEqual([])
    expect(await sorted(label)).toEqual([false, true])
    expect(await sorted('weight')).toEqual([false, true])
    await api.put(`/${type}/${id}`, { custom_fields: { motto: null, weight: null } })
    expect(await found(api, type, { custom_fields: { motto: { $contains: 'new' } } })).toEqual([])
    expect(await found(api, type, { custom_fields: { weight: { $is_empty: true } } })).toEqual(['Now'])
    expect((await api.get(`/${type}`)).body.meta.total).toBe(2)
  })

  it.each(testedResources)('%s: include and fields work on the answer', async (type) => {
    const { api, owner } = workspace
    const { id } = await made(api, type)
    const answer = await api.put(`/${type}/${id}?include=creator&fields=custom_fields.motto`, {
      custom_fields: { motto: 'x' },
    })
    expect(answer.body.data).toEqual({
      id,
      type,
      attributes: { custom_fields: { motto: 'x' } },
      relationships: { creator: { data: { id: owner.id, type: 'users' } } },
    })
    expect(answer.body.included).toHaveLength(1)
  })

  it('the creator stays who made it', async () => {
    const { api } = workspace
    const other = await workspace.token({ user: await workspace.member('member') })
    const { id } = await made(api, 'companies')
    const answer = await other.put(`/companies/${id}?include=creator`, { name: 'Renamed' })
    expect(answer.body.data.attributes.name).toBe('Renamed')
    expect(answer.body.data.relationships.creator.data.id).toBe(workspace.owner.id)
  })
})

describe('3. Order of checks: record (404) before body and parameters (422)', () => {
  it.each(testedResources)('%s', async (type) => {
    const { api } = workspace
    const deleted = await made(api, type)
    await gone(api, type, deleted.id)
    const { one } = declared(type)
    for (const id of [NOWHERE, deleted.id, 'nonsense']) {
      for (const method of ['PUT', 'PATCH']) {
        for (const body of ['{"nonsense": 1}', '[]', 'null', '{"custom_fields": 5}', 'no JSON']) {
          const answer = await api.send(method, `/${type}/${id}?include=nobody`, body)
          expect(answer.status).toBe(404)
          expect(answer.body).toEqual({ message: `No ${one} with the ID ${id} exists in this workspace.` })
        }
      }
      expect((await api.get(`/${type}/${id}?include=nobody`)).status).toBe(404)
      expect((await api.delete(`/${type}/${id}?include=nobody`)).status).toBe(404)
    }
  })

  it.each(testedResources)('%s: a body that is no object is reported together with wrong parameters', async (type) => {
    const { api } = workspace
    const { id } = await made(api, type)
    const problems = await problemsOf(api.put(`/${type}/${id}?include=nobody`, []))
    expect(Object.keys(problems)).toEqual(['include', 'body'])
    expect(problems.body).toEqual(['The request body must be a JSON object.'])
  })
})

describe('4. Writes at the same time', () => {
  it.each(testedResources)('%s: updates of different attributes do not undo each other', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const { id } = await made(api, type)
    const path = `/${type}/${id}`
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        api.put(path, { [label]: `Name ${round}` }),
        api.put(path, { custom_fields: { motto: `motto ${round}` } }),
        api.patch(path, { custom_fields: { weight: round } }),
        api.put(path, { custom_fields: { sizes: [['S'], ['M'], ['L']][round % 3] } }),
      ])
      for (const answer of answers) expect(answer.status, answer.text).toBe(200)
      const { attributes } = (await api.get(path)).body.data
      expect(attributes[label]).toBe(`Name ${round}`)
      expect(attributes.custom_fields).toMatchObject({ motto: `motto ${round}`, weight: round })
      expect(attributes.custom_fields.sizes[0].label).toBe(['S', 'M', 'L'][round % 3])
    }
  })

  it.each(testedResources)('%s: an update and a delete at once leave a record that is gone', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    for (let round = 0; round < 5; round++) {
      const { id } = await made(api, type, { custom_fields: { weight: 77 } })
      const [put, deleted, second] = await Promise.all([
        api.put(`/${type}/${id}`, { [label]: 'Late', custom_fields: { weight: 78, motto: 'late' } }),
        api.delete(`/${type}/${id}`),
        api.delete(`/${type}/${id}`),
      ])
      expect([200, 404]).toContain(put.status)
      expect([deleted.status, second.status].sort()).toEqual([204, 404])
      expect((await api.get(`/${type}/${id}`)).status).toBe(404)
    }
    expect(await found(api, type, { custom_fields: { weight: { $gte: 77 } } })).toEqual([])
    expect(await found(api, type, { custom_fields: { motto: { $contains: 'late' } } })).toEqual([])
    // What the index holds of deleted records would be held against others.
    const rows = sql`select record_id from ${storedValues} where v.workspace_id = ${workspace.id} and number_key >= 77`
    expect(await rows.all(workspace.runtime.engine.db)).toEqual([])
  })
})
