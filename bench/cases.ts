import { companyKinds, companyWords } from '../server/src/sample/words.ts'
import type { Target } from './load.ts'
import { partsOfNames, randomNumbers } from './operands.ts'

export type Request = { path: string; body?: string }
export type Case = { name: string; method: 'GET' | 'POST' | 'PATCH'; requests: Request[] }
/** How many of all records a filter matches, under the name that the tables show. */
export type Width = readonly [name: string, share: number]

type Company = { id: string; attributes: { name: string; custom_fields: { domains: string[] } } }
type List = { data: Company[]; meta: { next_cursor?: string; total: number } }
type Send = (path: string, body?: object) => Promise<List>

const REQUESTS = 4000
const PARTS = 400
/** Sample revenues are spread evenly over this range. */
const LEAST = 100
const SPREAD = 250_000
const WIDEST = SPREAD - 10

export const widths: readonly Width[] = [
  ['1 in 1,000', 0.001],
  ['1 in 100', 0.01],
  ['1 in 2', 0.5],
]

/** All cases, with operands taken from the data, and the companies that the writer changes. */
export async function casesFor({ api, token }: Omit<Target, 'pid'>, wanted: readonly Width[] = widths) {
  const send = sender(api, token)
  const found = await inspect(send)
  const { companies, ids, cursor } = found
  const random = randomNumbers(1)
  const deep = Array.from({ length: REQUESTS }, () => Math.floor(((0.7 + random() * 0.1) * companies) / 15))
  const contains = wanted.map(narrowEnough).map(([width, share]) => {
    const parts = partsOfNames(share, PARTS)
    return get(
      `name contains, ${width}`,
      parts.map((part) => `companies?filter[name][$contains]=${encodeURIComponent(part)}`),
    )
  })
  const cases = [
    get(
      'get by id',
      ids.map((id) => `companies/${id}`),
    ),
    get('list of 15', ['companies']),
    get('list of 100', ['companies?per_page=100']),
    ...contains,
    ...filterCases(found, random, wanted),
    ...searchCases(found, random),
    get(
      'deep page',
      deep.map((page) => `companies?page=${page}`),
    ),
    get('cursor page', [`companies?per_page=15&cursor=${cursor}`]),
    get('feed', ['changes?cursor=now']),
    get('include', ['people?include=company']),
    ...writeCases(ids),
  ]
  return { cases, companies: found.changed }
}

/** Only a few parts are in half of all names. A repeated part would measure a cache. */
function narrowEnough(width: Width): Width {
  return width[1] > 0.05 ? ['1 in 20', 0.05] : width
}

function sender(api: string, token: string): Send {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return async (path, body) => {
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const response = await fetch(`${api}/${path}`, init)
    if (!response.ok) throw new Error(`${path} got ${response.status}: ${await response.text()}`)
    // Only lists are requested here.
    return (await response.json()) as List
  }
}

type Found = Awaited<ReturnType<typeof inspect>>

/** What the filters need to know about the data. */
async function inspect(send: Send) {
  const total = async (filter: object) => (await send('companies/query', { filter })).meta.total
  const tier = (...labels: string[]) => ({ custom_fields: { tier: { $in: labels } } })
  const page = (number: number) => send(`companies?per_page=100&sort=created_at&page=${number}`)
  const [changed, ...others] = await Promise.all(Array.from({ length: 20 }, (_, index) => page(index + 1)))
  const rest = others.flatMap(({ data }) => data)
  return {
    companies: (await send('companies')).meta.total,
    earning: await total({ custom_fields: { revenue: { $is_empty: false } } }),
    gold: await total(tier('Gold')),
    tiered: await total(tier('Gold', 'Silver', 'Bronze')),
    domains: rest.flatMap(({ attributes }) => attributes.custom_fields.domains.slice(0, 1)),
    ids: rest.map(({ id }) => id),
    changed: (changed?.data ?? []).map(({ id, attributes }) => ({ id, name: attributes.name })),
    cursor: (await send('companies?cursor=true&per_page=15')).meta.next_cursor,
  }
}

function filterCases(found: Found, random: () => number, wanted: readonly Width[]): Case[] {
  const { companies, earning, gold, tiered, domains } = found
  const many = (name: string, resource: string, filter: () => object): Case => {
    const bodies = Array.from({ length: REQUESTS }, () => JSON.stringify({ filter: filter() }))
    return { name, method: 'POST', requests: bodies.map((body) => ({ path: `/${resource}/query`, body })) }
  }
  /** A random range of revenues of this width, in cents, so that even a millionth of the records can be matched. */
  const range = (width: number) => {
    const from = Number((LEAST + random() * (SPREAD - width)).toFixed(2))
    return { revenue: { $gte: from, $lt: Number((from + width).toFixed(2)) } }
  }
  const perUnit = earning / SPREAD
  const selectAndRange = ([width, share]: Width) => {
    const [tiers, matches] = share > 0.1 ? [['Gold', 'Silver', 'Bronze'], tiered] : [['Gold'], gold]
    const size = Math.min(WIDEST, (share * companies) / (perUnit * (matches / companies)))
    const filter = () => ({ custom_fields: { tier: { $in: tiers }, ...range(size) } })
    return many(`select + range, ${width}`, 'companies', filter)
  }
  const peopleByCompany = ([width, share]: Width) => {
    const size = Math.min(WIDEST, (share * companies) / perUnit)
    return many(`people by company, ${width}`, 'people', () => ({ company: { custom_fields: range(size) } }))
  }
  const someDomain = () => domains[Math.floor(random() * domains.length)]
  const oneDomain = () => ({ custom_fields: { domains: { $has_any: [someDomain()] } } })
  const tenDomains = () => ({ custom_fields: { domains: { $has_any: Array.from({ length: 10 }, someDomain) } } })
  return [
    ...wanted.map(selectAndRange),
    many('unique value', 'companies', oneDomain),
    many('domain has_any, ten', 'companies', tenDomains),
    many('toggle', 'companies', () => ({ custom_fields: { icp: { $eq: random() < 0.5 } } })),
    ...wanted.map(peopleByCompany),
  ]
}

/** A word by which search finds one record, many of them, all that have a letter, and none; and two common words. */
function searchCases({ domains }: Found, random: () => number): Case[] {
  const search = (name: string, query: (n: number) => string) =>
    get(
      `search, ${name}`,
      Array.from({ length: REQUESTS }, (_, n) => `search?q=${encodeURIComponent(query(n))}`),
    )
  const letter = (n: number) => String.fromCharCode('a'.charCodeAt(0) + (n % 26))
  const word = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? ''
  return [
    search('rare', (n) => domains[n % domains.length] ?? ''),
    search('common word', () => word(companyKinds)),
    search('two words', () => `${word(companyKinds)} ${word(companyWords)}`),
    search('one letter', letter),
    search('no match', (n) => `${letter(n)}qxz${n}`),
  ]
}

function get(name: string, paths: readonly string[]): Case {
  return { name, method: 'GET', requests: paths.map((path) => ({ path: `/${path}` })) }
}

function writeCases(ids: readonly string[]): Case[] {
  const stamp = Date.now().toString(36)
  const all = (make: (n: number) => [path: string, body: object]) =>
    Array.from({ length: REQUESTS }, (_, n) => make(n)).map(([path, body]) => ({ path, body: JSON.stringify(body) }))
  const values = (n: number) => ({ icp: true, employees: n })
  const create = all((n) => ['/companies', { name: `Bench ${stamp} ${n}`, custom_fields: values(n) }])
  const update = all((n) => [`/companies/${ids[n % ids.length]}`, { name: `Bench ${stamp} ${n}` }])
  const match = (n: number) => ({ field: 'domains', value: `${stamp}-${n % 500}.example` })
  const upsert = all((n) => ['/companies/upsert', { match: match(n), name: `Upserted ${n}` }])
  return [
    { name: 'create', method: 'POST', requests: create },
    { name: 'update', method: 'PATCH', requests: update },
    { name: 'upsert', method: 'POST', requests: upsert },
  ]
}
