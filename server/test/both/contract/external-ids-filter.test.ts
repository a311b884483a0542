import { beforeAll, describe, expect, it } from 'vitest'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await newWorkspace()
  const { api } = workspace
  const ids = { One: { crm: ['a', 'b,c'] }, Two: { crm: 'A', erp: '1' }, Three: undefined, Gone: { crm: 'gone' } }
  for (const [name, external_ids] of Object.entries(ids)) {
    const { id } = (await api.post('/companies', { name, external_ids })).body.data
    await api.post('/people', { name: `Of ${name}`, company_id: id, external_ids: { crm: name } })
    if (name === 'Gone') await api.delete(`/companies/${id}`)
  }
})

async function found(path: string): Promise<string[]> {
  const { status, body, text } = await workspace.api.get(path)
  expect(status, text).toBe(200)
  return body.data.map((record: { attributes: { name: string } }) => record.attributes.name)
}

describe('sync 8. Filter by external ids', () => {
  it.each([
    ['[crm][$has_any][]=a', ['One']],
    ['[crm][$has_any][]=A&filter[external_ids][crm][$has_any][]=b,c', ['Two', 'One']],
    ['[crm][$has_any]=b,c', ['One']],
    ['[crm][$has_any][]=%20a%20', ['One']],
    ['[crm][$has_any][]=gone', []],
    ['[erp][$has_any][]=a', []],
    ['[crm][$has_none][]=a', ['Three', 'Two']],
    ['[crm][$is_empty]=true', ['Three']],
    ['[crm][$is_empty]=false', ['Two', 'One']],
    ['[unused][$is_empty]=1', ['Three', 'Two', 'One']],
    ['[crm][$is_empty]=0&filter[external_ids][erp][$is_empty]=1', ['One']],
  ])('filter[external_ids]%s', async (query, names) => {
    expect(await found(`/companies?sort=-created_at&filter[external_ids]${query}`)).toEqual(names)
  })

  it('also inside relations, under $not and in a query', async () => {
    expect(await found('/people?filter[company][external_ids][crm][$has_any][]=a')).toEqual(['Of One'])
    expect(await found('/companies?filter[people][external_ids][crm][$has_any][]=Two')).toEqual(['Two'])
    const filter = { $not: { external_ids: { crm: { $has_any: ['a', 'A'] } } } }
    const { body } = await workspace.api.post('/companies/query', { filter })
    expect([body.data.length, body.meta.total]).toEqual([1, 1])
  })

  it.each([
    [{ external_ids: {} }, 'filter.external_ids', 'must be an object of operator objects by namespace'],
    [{ external_ids: { CRM: { $is_empty: true } } }, 'filter.external_ids.CRM', 'no namespace CRM. A namespace has'],
    [
      { external_ids: { crm: { $eq: 'a' } } },
      'filter.external_ids.crm.$eq',
      'Accepted: $has_any, $has_none, $is_empty.',
    ],
    [{ external_ids: { crm: { $has_any: 'a' } } }, 'filter.external_ids.crm.$has_any', 'must be a list'],
    [{ external_ids: { crm: { $has_any: [] } } }, 'filter.external_ids.crm.$has_any', 'must not be an empty list'],
    [{ external_ids: { crm: { $has_any: [7] } } }, 'filter.external_ids.crm.$has_any.0', 'must be a string'],
    [{ external_ids: { crm: { $is_empty: 1 } } }, 'filter.external_ids.crm.$is_empty', 'must be true or false'],
  ])('%j is 422', async (filter, path, message) => {
    const { status, body } = await workspace.api.post('/companies/query', { filter })
    expect(status).toBe(422)
    expect(body.errors[path][0]).toContain(message)
  })
})
