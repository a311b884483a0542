import { fieldTypes } from '@kith/contract/field-types'
import { describe, expect, it } from 'vitest'
import { archiveField } from '../../../src/schema/define.ts'
import { kindOf, type OwnKind, takenValues, type ValueTypeName, valueTypeNames } from '../../field-samples.ts'
import { type Body, eachTested, errorsOf, idsOf, pagesFrom, stock } from '../../lists.ts'
import { everyResource, workspaceWithOwn } from '../../own-resource.ts'
import type { TestWorkspace } from '../../workspace.ts'

const options = ['Zulu', 'alpha', 'Unused', 'Mike', 'Alpha 2']

/** For each kind of values that can be sorted by, values in ascending order. */
const ascending: Partial<Record<OwnKind, readonly unknown[]>> = {
  Text: ['10', '9', 'a', 'B', 'c', 'D', 'Straße', 'strassf', 'z', 'Ä', 'ö'],
  Number: [-2_000_000, -1.5, -1, 0, 0.1, 0.25, 2, 9, 10, 1e15],
  Date: ['0999-12-31', '2025-12-31', '2026-01-01', '2026-02-01', '2026-10-01'],
  DateTime: [
    '2025-12-31T23:59:59.999Z',
    '2026-01-01T01:00:00+01:00',
    '2026-01-01T00:00:00.001Z',
    '2026-01-01T01:00:00Z',
  ],
  Boolean: [false, true],
  Choice: options.filter((option) => option !== 'Unused'),
}
const ofType: Partial<Record<ValueTypeName, readonly unknown[]>> = {
  currency: [-10.5, -10.49, 0, 0.01, 9.99, 10, 100_000],
}
const sortable = valueTypeNames.filter((type) => fieldTypes[type].sortable)
const unsortable = valueTypeNames.filter((type) => !fieldTypes[type].sortable)
const choices = sortable.filter((type) => fieldTypes[type].hasOptions)

/** A type may take only a few numbers or truth values. */
function ascendingOf(type: ValueTypeName): readonly unknown[] {
  const few = takenValues(type)?.toSorted((one, other) => Number(one) - Number(other))
  const values = ofType[type] ?? few ?? ascending[kindOf(type)]
  if (!values) throw new Error(`Add values of ${type} in ascending order.`)
  return values
}

function fieldOf(type: ValueTypeName) {
  return { name: 'Probe', type, ...(fieldTypes[type].hasOptions ? { options } : {}) }
}

/** Makes companies with these values and two without, mixed; tells the ids by value and those that are empty. */
async function companiesWith(workspace: TestWorkspace, values: readonly unknown[]) {
  const bodies: Body[] = values.map((probe, index) => ({ name: `${index}`, custom_fields: { probe } }))
  const mixed: (Body | undefined)[] = [...bodies]
  mixed.splice(1, 0, { name: 'never set' })
  mixed.splice(0, 0, { name: 'cleared', custom_fields: { probe: null } })
  mixed.reverse()
  const ids = await stock(
    workspace,
    'companies',
    mixed.filter((body) => body !== undefined),
  )
  const held = bodies.map((body) => ids[mixed.indexOf(body)] ?? '')
  return { held, empty: ids.filter((id) => !held.includes(id)).sort() }
}

describe('sort by a custom field of a single-valued type', () => {
  it.each(sortable)('%s, both ways; empty values come last in both directions', async (type) => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await workspace.field('companies', fieldOf(type))
    const { held, empty } = await companiesWith(workspace, ascendingOf(type))
    for (const [sort, expected] of [
      ['custom_fields.probe', [...held, ...empty]],
      ['-custom_fields.probe', [...[...held].reverse(), ...empty]],
      ['probe', [...held, ...empty]],
      ['-probe', [...[...held].reverse(), ...empty]],
    ] as const) {
      expect(idsOf(await api.get(`/companies?sort=${sort}&per_page=100`)), sort).toEqual(expected)
      expect((await pagesFrom(api, `/companies?sort=${sort}&per_page=2`)).flat(), sort).toEqual(expected)
      expect(idsOf(await api.post('/companies/query', { sort, per_page: 100 })), sort).toEqual(expected)
    }
  })

  it.each(choices)('choices sort by the order of their options: %s, also after they were reordered', async (type) => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const field = await workspace.field('companies', fieldOf(type))
    const { held, empty } = await companiesWith(workspace, ascendingOf(type))
    const [zulu = '', alpha = '', mike = '', alpha2 = ''] = held
    await workspace.updateField('companies', 'probe', { options: [...field.options].reverse() })
    expect(idsOf(await api.get('/companies?sort=probe'))).toEqual([alpha2, mike, alpha, zulu, ...empty])
    expect(idsOf(await api.get('/companies?sort=-probe'))).toEqual([zulu, alpha, mike, alpha2, ...empty])
    // A label that changes does not move its option; one that goes leaves records without a value.
    await workspace.updateField('companies', 'probe', {
      rename_options: [{ from: 'Alpha 2', to: 'zzz' }],
      remove_options: ['Mike'],
      add_options: ['aaa'],
    })
    await api.put(`/companies/${empty[0]}`, { custom_fields: { probe: 'aaa' } })
    const without = [mike, empty[1]].sort()
    expect(idsOf(await api.get('/companies?sort=probe'))).toEqual([alpha2, alpha, zulu, empty[0], ...without])
    expect(idsOf(await api.get('/companies?sort=-probe'))).toEqual([empty[0], zulu, alpha, alpha2, ...without])
  })

  it('follows what is written: a new value moves a record, null and a deletion take it away', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await workspace.field('companies', fieldOf('number'))
    const { held, empty } = await companiesWith(workspace, [1, 2, 3, 4])
    const [one = '', two = '', three = '', four = ''] = held
    await api.put(`/companies/${one}`, { custom_fields: { probe: 9 } })
    await api.put(`/companies/${two}`, { custom_fields: { probe: null } })
    await api.delete(`/companies/${three}`)
    expect(idsOf(await api.get('/companies?sort=probe'))).toEqual([four, one, ...[two, ...empty].sort()])
  })

  it('comma list with native names, applied left to right; ties end with id ascending', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await workspace.field('companies', fieldOf('select'))
    await workspace.field('companies', { name: 'Size', type: 'number' })
    const ids = await stock(workspace, 'companies', [
      { name: 'b', custom_fields: { probe: 'Mike', size: 1 } },
      { name: 'a', custom_fields: { probe: 'Mike', size: 2 } },
      { name: 'c', custom_fields: { probe: 'Zulu' } },
      { name: 'A', custom_fields: { size: 2 } },
      { name: 'B', custom_fields: { size: 1 } },
    ])
    for (const [sort, places] of [
      ['probe,name', [2, 1, 0, 3, 4]],
      ['-probe,-name', [0, 1, 2, 4, 3]],
      ['custom_fields.size,-probe,name', [0, 4, 1, 3, 2]],
      ['-size,name,probe', [1, 3, 0, 4, 2]],
      ['name,size', [1, 3, 0, 4, 2]],
    ] as const) {
      const expected = places.map((place) => ids[place])
      expect(idsOf(await api.get(`/companies?sort=${sort}`)), sort).toEqual(expected)
    }
  })

  it('bare <code> only where no native name has it', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    for (const name of ['Name', 'Title']) await workspace.field('companies', { name, type: 'text' })
    const [first, second] = await stock(workspace, 'companies', [
      { name: 'a', custom_fields: { name: 'z', title: 'y' } },
      { name: 'b', custom_fields: { name: 'y', title: 'x' } },
    ])
    expect(idsOf(await api.get('/companies?sort=name'))).toEqual([first, second])
    expect(idsOf(await api.get('/companies?sort=custom_fields.name'))).toEqual([second, first])
    expect(idsOf(await api.get('/companies?sort=title'))).toEqual([second, first])
    expect(idsOf(await api.get('/companies?sort=custom_fields.title'))).toEqual([second, first])
  })
})

describe('sort refuses', () => {
  it.each(unsortable)('a field of type %s: 422 on sort', async (type) => {
    const workspace = await workspaceWithOwn()
    await workspace.field('companies', fieldOf(type))
    for (const sort of ['probe', '-custom_fields.probe']) {
      const errors = await errorsOf(workspace.api.get(`/companies?sort=${sort}`))
      expect(Object.keys(errors)).toEqual(['sort'])
      expect(errors.sort?.[0]).toContain('probe')
      expect(errors.sort?.[0]).toContain('Accepted: name, created_at, updated_at, custom_fields.icp.')
    }
  })

  it.each(eachTested)('a custom field with cursor: 422 on sort (%s)', async (type) => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await workspace.field(type, fieldOf('number'))
    for (const sort of ['probe', '-probe', 'custom_fields.probe', 'created_at,probe']) {
      expect(Object.keys(await errorsOf(api.get(`/${type}?cursor=true&sort=${sort}`)))).toEqual(['sort'])
      expect(Object.keys(await errorsOf(api.post(`/${type}/query`, { cursor: true, sort })))).toEqual(['sort'])
      expect((await api.get(`/${type}?page=1&sort=${sort}`)).status).toBe(200)
    }
  })

  it.each(eachTested)('the codes of other resources and workspaces, and archived ones (%s)', async (type) => {
    const workspace = await workspaceWithOwn()
    const other = await workspaceWithOwn()
    await other.field(type, { name: 'Elsewhere', type: 'number' })
    for (const resource of everyResource) {
      if (resource !== type) await workspace.field(resource, { name: 'Foreign', type: 'number' })
    }
    await workspace.field(type, { name: 'Archived', type: 'number' })
    await archiveField(await workspace.scope(), { entity_type: type, code: 'archived' })
    for (const code of ['foreign', 'elsewhere', 'archived']) {
      expect(Object.keys(await errorsOf(workspace.api.get(`/${type}?sort=${code}`)))).toEqual(['sort'])
      const sort = `custom_fields.${code}`
      expect(Object.keys(await errorsOf(workspace.api.get(`/${type}?sort=${sort}`)))).toEqual(['sort'])
    }
  })
})
