import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../engine.ts'
import { eachTested, follow, idsOf, numberedBodies, pagesFrom, stock } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { type Serving, serveHere } from '../../setup/serve-here.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from '../../workspace.ts'

/** The parameters of an address as a server reads them, the page aside. */
function parametersOf(query: string): string[] {
  return [...new URLSearchParams(query)]
    .filter(([name]) => name !== 'page')
    .map((pair) => pair.join('='))
    .sort()
}

/** Every address in an answer. */
function addressesIn({ links, meta }: { links: object; meta: { links: { url: string | null }[] } }): string[] {
  const urls: unknown[] = [...Object.values(links), ...meta.links.map(({ url }) => url)]
  return urls.filter((url) => typeof url === 'string')
}

const awkward = [
  ...`a,b a&b=c a+b 100% %41 [x] x[]=1 a;b #?/ " it's <b>&laquo; ünï 名前 שלום 😀 e\u0301 $eq true = \\`.split(' '),
  'a b',
  'a\u00a0b',
]

describe('URLs keep every other parameter of the request', () => {
  let workspace: TestWorkspace
  let companies: string[]
  beforeAll(async () => {
    workspace = await workspaceWithOwn()
    await workspace.field('people', { name: 'Labels', type: 'tags-input' })
    await workspace.field('people', { name: 'Tier', type: 'select', options: ['Gold, old', 'Silver', 'Lead'] })
    companies = await stock(workspace, 'companies', numberedBodies('companies', 2))
    const more = { company_id: companies[0], custom_fields: { labels: ['a,b', 'ü'], tier: 'Gold, old' } }
    const other = { company_id: companies[1], custom_fields: { labels: ['c'], tier: 'Silver' } }
    await stock(workspace, 'people', [...numberedBodies('people', 4, more), ...numberedBodies('people', 3, other)])
    await stock(workspace, 'people', [{ name: 'Unknown' }])
  })

  it.each(eachTested)(
    'of %s, and following links.next gives the next page of the same list',
    async (type, { label }) => {
      const own = await workspaceWithOwn()
      await stock(own, type, numberedBodies(type, 5, { [label]: 'Wanted' }))
      await stock(own, type, numberedBodies(type, 5, { [label]: 'Other' }))
      const query = `sort=${label}&include=creator&fields=${label}&per_page=2&filter[${label}][$eq]=Wanted`
      const whole = idsOf(await own.api.get(`/${type}?${query.replace('per_page=2', 'per_page=100')}`))
      expect(whole).toHaveLength(5)
      const pages = await pagesFrom(own.api, `/${type}?${query}`)
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
      expect(pages.flat()).toEqual(whole)
    },
  )

  it.each([
    ['', 8],
    ['filter[custom_fields][labels][$has_any][]=a,b&filter[custom_fields][labels][$has_any][]=c', 7],
    ['filter[custom_fields][labels][$has_any][0]=a,b&filter[custom_fields][labels][$has_any][1]=c', 7],
    ['filter[custom_fields][labels][$has_any]=ü', 4],
    ['filter[custom_fields][labels][$has_any]=%C3%BC', 4],
    ['filter%5Bcustom_fields%5D%5Blabels%5D%5B%24has_any%5D%5B%5D=a%2Cb', 4],
    ['filter[custom_fields][tier][$in][]=Gold,+old&filter[custom_fields][tier][$in][]=silver', 7],
    ['filter[custom_fields][tier][$in]=Silver,Lead', 3],
    ['filter[$or][0][name][$eq]=person+1&filter[$or][1][name][$contains]=person%202', 4],
    ['filter[$not][company][$is_empty]=1', 7],
    ['filter[company][name][$contains]=Company%201&sort=-name,created_at', 4],
    ['include[]=company&include[]=tasksCount&fields[people]=name,custom_fields.tier&fields[companies]=name', 8],
    ['include=company,creator&fields=&sort=&cursor=&filter=', 8],
  ])('?%s', async (query, total) => {
    const { api } = workspace
    const whole = idsOf(await api.get(`/people?per_page=100&${query}`))
    expect(whole).toHaveLength(total)
    const first = await api.get(`/people?per_page=2&page=1&${query}`)
    expect(first.body.meta.total).toBe(total)
    expect(first.body.meta.path).toBe(`${api.base}/people`)
    for (const url of addressesIn(first.body)) {
      expect(url.startsWith(`${api.base}/people?`)).toBe(true)
      expect(parametersOf(new URL(url).search)).toEqual(parametersOf(`per_page=2&${query}`))
    }
    expect((await pagesFrom(api, `/people?per_page=2&${query}`)).flat()).toEqual(whole)
    expect((await pagesFrom(api, `/people?cursor=true&per_page=3&${query.replace('&cursor=', '')}`)).flat()).toEqual(
      whole,
    )
    const last = await follow(api, first.body.links.last)
    expect(last.body.links.next).toBeNull()
    expect(idsOf(await follow(api, last.body.links.first))).toEqual(idsOf(first))
    expect(idsOf(await follow(api, last.body.links.prev))).toEqual(whole.slice(-2 - (total % 2 || 2)).slice(0, 2))
  })

  it('and ids in a comma list', async () => {
    const query = `filter[company][$in]=${companies.join(',').toUpperCase()}`
    expect((await pagesFrom(workspace.api, `/people?per_page=3&${query}`)).map((page) => page.length)).toEqual([
      3, 3, 1,
    ])
  })

  it('whatever the value is made of', async () => {
    const own = await workspaceWithOwn()
    for (const name of awkward) {
      const ids = await stock(own, 'companies', [{ name }, { name }])
      const query = `filter[name][$eq]=${encodeURIComponent(name)}&per_page=1`
      expect(await pagesFrom(own.api, `/companies?${query}`), name).toEqual([[ids[1]], [ids[0]]])
      expect(await pagesFrom(own.api, `/companies?${query}&cursor=true`), name).toEqual([[ids[1]], [ids[0]]])
    }
  })
})

describe('links and meta.path use the address on which the request came in', () => {
  let database: TestDatabase
  let service: Serving
  let workspace: TestWorkspace
  beforeAll(async () => {
    database = await testDatabase()
    const secret = 's'.repeat(32)
    service = await serveHere({
      DATABASE_URL: database.url,
      SECRET: secret,
      TRUST_PROXY: 'true',
      API_DOMAIN: 'api.test',
    })
    workspace = await newWorkspace({ url: service.url, runtime: runtimeAt(database.url, secret) })
    await stock(workspace, 'companies', numberedBodies('companies', 2))
  })
  afterAll(async () => {
    await workspace.runtime.engine.close()
    await service.stop()
    await database.drop()
  })

  /** Asks with headers that `fetch` does not let through, and tells path and next of the answer. */
  function addresses(url: string, headers: Record<string, string>, token: string): Promise<[string, string]> {
    return new Promise((resolve, reject) => {
      const asking = request(url, { headers: { ...headers, Authorization: `Bearer ${token}` } }, async (response) => {
        const { meta, links } = JSON.parse((await response.setEncoding('utf8').toArray()).join(''))
        resolve([meta.path, links.next])
      })
      asking.on('error', reject).end()
    })
  }

  it('by its Host; without TRUST_PROXY forwarded headers are ignored', async () => {
    const own = await workspaceWithOwn()
    await stock(own, 'companies', numberedBodies('companies', 2))
    const url = `${own.api.base}/companies?per_page=1`
    const path = 'http://crm.example.com:8080/api/v1/companies'
    const host = { Host: 'crm.example.com:8080' }
    expect(await addresses(url, host, own.api.token)).toEqual([path, `${path}?per_page=1&page=2`])
    const forwarded = { ...host, 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' }
    expect(await addresses(url, forwarded, own.api.token)).toEqual([path, `${path}?per_page=1&page=2`])
  })

  it('behind a proxy (TRUST_PROXY) by what the proxy says, on the API domain without /api', async () => {
    const url = `${service.url}/v1/companies?per_page=1`
    const forwarded = { 'X-Forwarded-Host': 'api.test', 'X-Forwarded-Proto': 'https' }
    const path = 'https://api.test/v1/companies'
    expect(await addresses(url, forwarded, workspace.api.token)).toEqual([path, `${path}?per_page=1&page=2`])
    const direct = await addresses(url, { Host: 'api.test' }, workspace.api.token)
    expect(direct[0]).toBe('http://api.test/v1/companies')
  })
})
