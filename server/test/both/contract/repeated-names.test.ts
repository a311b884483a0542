import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let path: string
beforeAll(async () => {
  workspace = await newWorkspace()
  const { api } = workspace
  const { id } = await made(api, 'companies', { name: 'Beta' })
  for (const name of ['Alpha', 'Beta', 'Gamma']) await made(api, 'companies', { name })
  await made(api, 'people', { name: 'Pat', company_id: id })
  path = `/companies/${id}`
})

function namesIn({ body }: Answered): string[] {
  return body.data.map((record: { attributes: { name: string } }) => record.attributes.name)
}

describe('lists of names are accepted joined by commas, with [] and repeated', () => {
  it.each(['include=creator,people', 'include[]=creator&include[]=people', 'include=creator&include=people'])(
    '%s',
    async (query) => {
      const { status, body } = await workspace.api.get(`${path}?${query}`)
      expect(status).toBe(200)
      expect(Object.keys(body.data.relationships)).toEqual(['creator', 'people'])
      expect(body.included.map(({ type }: { type: string }) => type).sort()).toEqual(['people', 'users'])
    },
  )

  it.each(['sort=-name,created_at', 'sort[]=-name&sort[]=created_at', 'sort=-name&sort=created_at'])(
    '%s, and links lead to the next page of the same list',
    async (query) => {
      const first = await workspace.api.get(`/companies?${query}&per_page=3`)
      const next = new URL(first.body.links.next)
      const second = await workspace.api.get(`/companies${next.search}`)
      expect([...namesIn(first), ...namesIn(second)]).toEqual(['Gamma', 'Beta', 'Beta', 'Alpha'])
    },
  )

  it('fields of a type', async () => {
    const { body } = await workspace.api.get(`${path}?fields[companies]=name&fields[companies]=created_at`)
    expect(Object.keys(body.data.attributes)).toEqual(['name', 'created_at'])
  })

  it('sort as a list in the body of a query', async () => {
    const sorted = (sort: unknown) => workspace.api.post('/companies/query', { sort })
    expect(namesIn(await sorted(['name', '-created_at']))).toEqual(['Alpha', 'Beta', 'Beta', 'Gamma'])
    expect(namesIn(await sorted([]))).toEqual(namesIn(await sorted(null)))
    for (const wrong of [5, [5], { 0: 'name' }]) {
      const { status, body } = await sorted(wrong)
      expect([status, Object.keys(body.errors)]).toEqual([422, ['sort']])
      expect(body.errors.sort[0]).toContain('names joined by commas or a list of names')
    }
    expect((await sorted(['name', 'name'])).body.errors.sort[0]).toBe('The sort names name more than once.')
  })

  it('everything else is still refused when it is sent twice', async () => {
    const { status, body } = await workspace.api.get('/companies?page=1&page=2')
    expect([status, Object.keys(body.errors)]).toEqual([422, ['page']])
  })
})
