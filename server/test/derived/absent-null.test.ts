import type { ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { samples, valueTypeNames } from '../field-samples.ts'
import { declared, everyResource, workspaceWithOwn } from '../own-resource.ts'
import { testedResources } from '../run-length.ts'
import type { TestWorkspace } from '../workspace.ts'
import { codeOf, defineEveryType, readAll, relatedRecords, relatedTo, valuesOfEveryType } from './full-records.ts'

describe('Law 2. Absent keeps, null clears: on every update, for every attribute and every custom field', () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await workspaceWithOwn()
    for (const resource of everyResource) await defineEveryType(workspace, resource)
  })

  /** All that a record shows, relations by name and counts among it, but for the time of its last change. */
  async function shown(resource: ResourceName, id: string) {
    const { data } = (await readAll(workspace, resource, id)).body
    const { updated_at, ...attributes } = data.attributes
    return { ...attributes, ...data.relationships }
  }

  it.each(testedResources)('%s: what is absent is kept', async (resource) => {
    const ids = await relatedRecords(workspace, valuesOfEveryType())
    const path = `/${resource}/${ids[resource]}`
    const before = await shown(resource, ids[resource])
    for (const nothing of [undefined, {}, { custom_fields: {} }]) {
      for (const method of ['put', 'patch'] as const) {
        expect((await workspace.api[method](path, nothing)).status).toBe(200)
        expect(await shown(resource, ids[resource])).toEqual(before)
      }
    }
    const { label } = declared(resource)
    const renamed = await workspace.api.put(path, { [label]: 'Renamed' })
    expect(renamed.status).toBe(200)
    expect(await shown(resource, ids[resource])).toEqual({ ...before, [label]: 'Renamed' })
    const code = codeOf('text')
    await workspace.api.put(path, { custom_fields: { [code]: 'changed' } })
    const custom_fields = { ...before.custom_fields, [code]: 'changed' }
    expect(await shown(resource, ids[resource])).toEqual({ ...before, [label]: 'Renamed', custom_fields })
  })

  it.each(testedResources)(
    '%s: null clears each reference and each list of links, and nothing else',
    async (resource) => {
      const { references, links, counts } = declared(resource)
      for (const key of [...Object.keys(references), ...Object.keys(links)]) {
        for (const empty of links[key] ? [null, []] : [null]) {
          const ids = await relatedRecords(workspace)
          const before = await shown(resource, ids[resource])
          const put = await workspace.api.put(`/${resource}/${ids[resource]}`, { [key]: empty })
          expect(put.status, put.text).toBe(200)
          const relation = links[key]?.relation ?? relationOf(resource, key)
          const count = Object.values(counts).find(
            (one) => one.of === 'relation' && one.relation === relation,
          )?.attribute
          const cleared = links[key]
            ? { [relation]: { data: [] }, [count ?? '']: 0 }
            : { [relation]: { data: null }, [key]: null }
          expect(before[relation].data).not.toEqual(links[key] ? [] : null)
          expect(await shown(resource, ids[resource])).toEqual({ ...before, ...cleared })
        }
      }
    },
  )

  function relationOf(resource: ResourceName, column: string): string {
    const found = Object.entries(declared(resource).relations).find(
      ([, relation]) => relation.kind === 'reference' && relation.column === column,
    )
    return found?.[0] ?? ''
  }

  it.each(testedResources)('%s: null clears a custom field of each type, and nothing else', async (resource) => {
    const ids = await relatedRecords(workspace, valuesOfEveryType())
    const path = `/${resource}/${ids[resource]}`
    const before = await shown(resource, ids[resource])
    const expected = { ...before.custom_fields }
    for (const type of valueTypeNames) {
      const put = await workspace.api.put(path, { custom_fields: { [codeOf(type)]: null } })
      expect(put.status, put.text).toBe(200)
      expected[codeOf(type)] = samples[type].unset
      expect(put.body.data.attributes.custom_fields, type).toEqual(expected)
      expect(await shown(resource, ids[resource]), type).toEqual({ ...before, custom_fields: expected })
    }
    const { data } = (await workspace.api.get(path)).body
    const again = { custom_fields: Object.fromEntries(valueTypeNames.map((type) => [codeOf(type), null])) }
    expect((await workspace.api.put(path, again)).body.data, 'null twice').toEqual(data)
    const all = await workspace.api.put(path, { custom_fields: valuesOfEveryType('other') })
    const cleared = await workspace.api.put(path, again)
    expect(cleared.body.data.attributes.custom_fields).toEqual(data.attributes.custom_fields)
    expect(cleared.body.data.attributes.updated_at > all.body.data.attributes.updated_at).toBe(true)
  })

  it.each(testedResources)('%s: a name or title cannot be cleared', async (resource) => {
    const ids = await relatedRecords(workspace)
    const { label } = declared(resource)
    for (const empty of [null, '', ' \t\n']) {
      const put = await workspace.api.put(`/${resource}/${ids[resource]}`, { [label]: empty })
      expect(put.status).toBe(422)
      expect(put.body.errors).toEqual({ [label]: [`The ${label} field is required.`] })
    }
  })

  it.each(testedResources)('%s: custom_fields as a whole is no value, and null for it is refused', async (resource) => {
    const ids = await relatedRecords(workspace, { [codeOf('text')]: 'kept' })
    for (const wrong of [null, [], 'x', 1, true, '']) {
      const put = await workspace.api.put(`/${resource}/${ids[resource]}`, { custom_fields: wrong })
      expect(put.status).toBe(422)
      expect(Object.keys(put.body.errors)).toEqual(['custom_fields'])
    }
    const { data } = (await workspace.api.get(`/${resource}/${ids[resource]}`)).body
    expect(data.attributes.custom_fields[codeOf('text')]).toBe('kept')
  })

  it.each(testedResources)('%s: what was cleared can be set again', async (resource) => {
    const ids = await relatedRecords(workspace)
    const before = await shown(resource, ids[resource])
    const keys = Object.keys(relatedTo(resource, ids))
    const clear = Object.fromEntries(keys.map((key) => [key, null]))
    expect((await workspace.api.put(`/${resource}/${ids[resource]}`, clear)).status).toBe(200)
    expect((await workspace.api.put(`/${resource}/${ids[resource]}`, relatedTo(resource, ids))).status).toBe(200)
    expect(await shown(resource, ids[resource])).toEqual(before)
  })
})
