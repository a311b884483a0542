import { creationSources } from '@kith/contract/creation-source'
import { describe, expect, it } from 'vitest'
import { updateRecord } from '../../../src/records/write.ts'
import { found, recordOf } from '../../filtering.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { made } from '../../records.ts'
import { testedResources } from '../../run-length.ts'

describe('2. creation_source: set by the system, never by the caller, never changes', () => {
  it.each(testedResources)(
    '%s: what comes through the REST interface is api, by create and by upsert',
    async (type) => {
      const workspace = await workspaceWithOwn()
      const { api } = workspace
      const { label } = declared(type)
      await workspace.field(type, { name: 'Ref', type: 'text', unique: true })
      for (const creation_source of ['web', 'import', 'nonsense', null, 5, [], undefined]) {
        expect((await made(api, type, { creation_source })).attributes.creation_source).toBe('api')
        const match = { field: 'ref', value: `of ${creation_source}` }
        const upserted = await api.post(`/${type}/upsert`, { [label]: 'x', match, creation_source })
        expect(upserted.status).toBe(201)
        expect(upserted.body.data.attributes.creation_source).toBe('api')
      }
    },
  )

  it.each(testedResources)(
    '%s: web, api, mcp, import, sample by the source of the create request, unchanged by later writes',
    async (type) => {
      const workspace = await workspaceWithOwn()
      const { api } = workspace
      const scope = await workspace.scope()
      const resource = declared(type)
      expect(creationSources).toEqual(['web', 'api', 'mcp', 'import', 'sample'])
      for (const source of creationSources) {
        const id = await recordOf(scope, type, { label: source }, { source })
        const read = async () => (await api.get(`/${type}/${id}`)).body.data.attributes
        expect((await read()).creation_source).toBe(source)
        const put = await api.put(`/${type}/${id}`, { creation_source: 'web', [resource.label]: `${source} changed` })
        expect(put.body.data.attributes.creation_source).toBe(source)
        const elsewhere = { ...scope, actor: { ...scope.actor, source: 'web' as const } }
        const body = { [resource.label]: source }
        await updateRecord(elsewhere, resource, { id, body, asked: { raw: {}, loose: false, issues: [] } })
        expect(await read()).toMatchObject({ [resource.label]: source, creation_source: source })
        expect(await found(api, type, { creation_source: { $eq: source } })).toEqual([source])
      }
      expect(await found(api, type, { creation_source: { $not_in: ['web', 'api', 'mcp'] } })).toEqual([
        'import',
        'sample',
      ])
    },
  )
})
