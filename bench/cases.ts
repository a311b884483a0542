import type { BenchData } from './data.ts'

export type Case = {
  name: string
  method: 'GET' | 'POST'
  /** Asked in turn. */
  requests: { path: string; body?: string }[]
  /** Whether the limit can be measured beside it: the answer does not depend on what was asked before. */
  steady: boolean
}

type Fetcher = (path: string, body?: object) => Promise<{ data: { id: string }[]; meta: { next_cursor?: string } }>

/** Every case of the table, with parameters taken from the data itself. */
export async function casesFor({ token }: BenchData, api: string): Promise<Case[]> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const ask: Fetcher = async (path, body) => {
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const response = await fetch(api + path, init)
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    // The shape of a list, which is all that is asked here.
    return (await response.json()) as Awaited<ReturnType<Fetcher>>
  }
  const ids = (await ask('/companies?per_page=100&page=50&fields=name')).data.map((record) => record.id)
  const middle = await ask('/companies?cursor=true&per_page=15')
  const get = (name: string, ...paths: string[]): Case => ({
    name,
    method: 'GET',
    requests: paths.map((path) => ({ path })),
    steady: true,
  })
  const query = (name: string, resource: string, filter: object): Case => ({
    name,
    method: 'POST',
    requests: [{ path: `/${resource}/query`, body: JSON.stringify({ filter }) }],
    steady: true,
  })
  const range = (from: number, to: number) => ({ employees: { $gte: from, $lt: to } })
  const tier = (...labels: string[]) => ({ tier: { $in: labels } })
  const stamp = Date.now().toString(36)
  return [
    get('get by id', ...ids.map((id) => `/companies/${id}`)),
    get('list of 15', '/companies'),
    get('list of 100', '/companies?per_page=100'),
    get('name contains, narrow', '/companies?filter[name][$contains]=winter%20zephyr'),
    get('name contains, 1 in 36', '/companies?filter[name][$contains]=labs'),
    get('name contains, 1 in 2', '/companies?filter[name][$contains]=er%20'),
    query('select + range, narrow', 'companies', { custom_fields: { ...tier('Gold'), ...range(5000, 5003) } }),
    query('select + range, 1 in 100', 'companies', { custom_fields: { ...tier('Gold'), ...range(5000, 5300) } }),
    query('select + range, 1 in 2', 'companies', {
      custom_fields: { ...tier('Gold', 'Silver'), ...range(2500, 10_000) },
    }),
    query('domain has_any', 'companies', { custom_fields: { domains: { $has_any: domains } } }),
    query('people by company, narrow', 'people', { company: { custom_fields: range(5000, 5001) } }),
    query('people by company, 1 in 100', 'people', { company: { custom_fields: range(5000, 5110) } }),
    query('people by company, 1 in 2', 'people', { company: { custom_fields: range(5000, 10_000) } }),
    get('page 5,000 of 15', '/companies?page=5000'),
    get('cursor page', `/companies?per_page=15&cursor=${middle.meta.next_cursor}`),
    writes('create', 'companies', (n) => ({ name: `Bench ${stamp} ${n}`, custom_fields: { icp: true, employees: n } })),
    writes('upsert', 'companies/upsert', (n) => ({
      match: { field: 'domains', value: `${stamp}-${n % 500}.example` },
      name: `Upserted ${n}`,
    })),
  ]
}

const domains = Array.from({ length: 10 }, (_, index) => `winter-zephyr-${index}.example`)

function writes(name: string, path: string, body: (n: number) => object): Case {
  const requests = Array.from({ length: 5000 }, (_, n) => ({ path: `/${path}`, body: JSON.stringify(body(n)) }))
  return { name, method: 'POST', requests, steady: false }
}
