import type { BenchData } from './data.ts'
import { partsOfNames, randomNumbers } from './operands.ts'

export type Question = { path: string; body?: string }

export type Case = {
  name: string
  method: 'GET' | 'POST'
  /** Asked in turn, over and over. */
  again: Question[]
  /** Likewise, but no two alike, and each under a host name of its own, so that nothing kept in memory answers them. */
  anew: Question[]
  /** Whether the limit can be measured beside it: the answer does not depend on what was asked before. */
  steady: boolean
}

type Answered = { data: { id: string; attributes: Values }[]; meta: { next_cursor?: string; total: number } }
type Values = { custom_fields: { domains: string[] } }
type Ask = (path: string, body?: object) => Promise<Answered>

/** A filter in its three widths: ten matches, one record in a hundred, one in two. */
const widths = [
  ['ten', undefined],
  ['1 in 100', 0.01],
  ['1 in 2', 0.5],
] as const

const QUESTIONS = 4000

/** The revenues of the sample: from the least on, evenly. */
const LEAST = 100
const SPREAD = 250_000
const WIDEST = SPREAD - 10

/** Every case of the table, with operands taken from the data itself. */
export async function casesFor({ token }: Pick<BenchData, 'token'>, api: string): Promise<Case[]> {
  const ask = asker(token, api)
  const { companies, earning, gold, tiered, domains } = await looks(ask)
  const ids = (await ask('/companies?per_page=100&page=50')).data.map((record) => record.id)
  const middle = await ask('/companies?cursor=true&per_page=15')
  const random = randomNumbers(1)
  /** A stretch of revenue so wide, somewhere. Revenue is told to the cent, so that ten of a million records can be asked for. */
  const stretch = (width: number) => {
    const from = Number((LEAST + random() * (SPREAD - width)).toFixed(2))
    return { revenue: { $gte: from, $lt: Number((from + width).toFixed(2)) } }
  }
  const perUnit = earning / SPREAD
  const byWidth = (name: string, resource: string, filter: (wanted: number) => () => object) =>
    widths.map(([width, share]) => {
      const make = filter(share === undefined ? 10 : share * companies)
      const bodies = Array.from({ length: QUESTIONS }, () => JSON.stringify({ filter: make() }))
      return query(`${name}, ${width}`, resource, bodies)
    })
  return [
    { ...get('get by id', ids), again: ids.map((id) => ({ path: `/companies/${id}` })) },
    get('list of 15', ['']),
    get('list of 100', ['?per_page=100']),
    ...widths.map(([width, share]) => {
      const parts = partsOfNames(share ?? 10 / companies, share === undefined ? 400 : 40)
      return get(
        `name contains, ${width}`,
        parts.map((part) => `?filter[name][$contains]=${encodeURIComponent(part)}`),
      )
    }),
    ...byWidth('select + range', 'companies', (wanted) => {
      const share = wanted / companies
      const tiers = share > 0.1 ? ['Gold', 'Silver', 'Bronze'] : ['Gold']
      const width = Math.min(WIDEST, wanted / (perUnit * ((share > 0.1 ? tiered : gold) / companies)))
      return () => ({ custom_fields: { tier: { $in: tiers }, ...stretch(width) } })
    }),
    query(
      'domain has_any, ten',
      'companies',
      Array.from({ length: QUESTIONS }, () => {
        const $has_any = Array.from({ length: 10 }, () => domains[Math.floor(random() * domains.length)])
        return JSON.stringify({ filter: { custom_fields: { domains: { $has_any } } } })
      }),
    ),
    ...byWidth('people by company', 'people', (wanted) => {
      const width = Math.min(WIDEST, wanted / perUnit)
      return () => ({ company: { custom_fields: stretch(width) } })
    }),
    get('page 5,000 of 15', ['?page=5000']),
    get('cursor page', [`?per_page=15&cursor=${middle.meta.next_cursor}`]),
    ...writeCases(),
  ]
}

function asker(token: string, api: string): Ask {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return async (path, body) => {
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const response = await fetch(api + path, init)
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    // The shape of a list, which is all that is asked here.
    return (await response.json()) as Answered
  }
}

/** How much there is of what the filters ask for. */
async function looks(ask: Ask) {
  const total = async (filter: object) => (await ask('/companies/query', { filter })).meta.total
  const tier = (...labels: string[]) => ({ custom_fields: { tier: { $in: labels } } })
  const domains: string[] = []
  for (let page = 1; page <= 20; page++) {
    const { data } = await ask(`/companies?per_page=100&sort=created_at&page=${page}`)
    domains.push(...data.flatMap(({ attributes }) => attributes.custom_fields.domains.slice(0, 1)))
  }
  return {
    companies: (await ask('/companies')).meta.total,
    earning: await total({ custom_fields: { revenue: { $is_empty: false } } }),
    gold: await total(tier('Gold')),
    tiered: await total(tier('Gold', 'Silver', 'Bronze')),
    domains,
  }
}

function get(name: string, queries: readonly string[]): Case {
  const anew = queries.map((text) => ({ path: `/companies${text.startsWith('?') || text === '' ? text : `/${text}`}` }))
  return { name, method: 'GET', again: anew.slice(0, 1), anew, steady: true }
}

function query(name: string, resource: string, bodies: readonly string[]): Case {
  const anew = bodies.map((body) => ({ path: `/${resource}/query`, body }))
  return { name, method: 'POST', again: anew.slice(0, 1), anew, steady: true }
}

function writeCases(): Case[] {
  const stamp = Date.now().toString(36)
  const writes = (name: string, path: string, body: (n: number) => object): Case => {
    const again = Array.from({ length: 5000 }, (_, n) => ({ path: `/${path}`, body: JSON.stringify(body(n)) }))
    return { name, method: 'POST', again, anew: [], steady: false }
  }
  return [
    writes('create', 'companies', (n) => ({ name: `Bench ${stamp} ${n}`, custom_fields: { icp: true, employees: n } })),
    writes('upsert', 'companies/upsert', (n) => ({
      match: { field: 'domains', value: `${stamp}-${n % 500}.example` },
      name: `Upserted ${n}`,
    })),
  ]
}
