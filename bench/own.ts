import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import type { Case } from './cases.ts'
import { cachedData, type Database } from './data.ts'
import { SECRET, thisCheckout } from './kith.ts'
import { calibrate, load, stopGenerators, type Target } from './load.ts'
import { partsOfNames, randomNumbers } from './operands.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { rateLimits } from './sides.ts'
import { machine, tableOf } from './table.ts'
import { startWriter } from './writer.ts'

/**
 * The same requests to companies of a workspace without own resources, to those of one with many, and to one of these
 * own resources. All of them have the same number of records.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'both' },
    records: { type: 'string', default: '100000' },
    resources: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const records = Number(values.records)
const resources = Number(values.resources)
const REQUESTS = 2000

type Row = { id: string; attributes: { name: string; custom_fields: { employees?: number | null } } }
type Side = Target & { resource: string; through: string; rows: Row[]; companies: { id: string; name: string }[] }

for (const database of ['sqlite', 'postgres'] as const) {
  if (!['both', database].includes(values.database)) continue
  const table = await measure(database)
  console.log(table)
  if (values.write) writeSection(`own-${database}`, table)
}

async function measure(database: Database): Promise<string> {
  const server = database === 'postgres' ? await startServer() : undefined
  const stops: (() => unknown)[] = []
  const start = async (own: number): Promise<Target> => {
    const sizes = { companies: records, people: records }
    const { copy } = await cachedData({ database, sizes, server: server?.url, own })
    const { url, token } = await copy('measured')
    const service = await startService({ DATABASE_URL: url, SECRET, ...rateLimits(0) }, thisCheckout)
    stops.push(service.stop)
    return { api: `${service.url}/api/v1`, token, pid: service.process.pid ?? 0, database: server?.pid }
  }
  try {
    const [plain, full] = [await start(0), await start(resources)]
    const middle = `things_${Math.ceil(resources / 2)}`
    const sides = [
      await sideOf(plain, 'companies', 'people'),
      await sideOf(full, 'companies', 'people'),
      await sideOf(full, middle, middle),
    ]
    const rows: (string | number)[][] = []
    for (const name of Object.keys(casesFor(sides[0] as Side))) {
      if (!name.includes(values.only)) continue
      const cells: number[] = []
      for (const side of sides) cells.push(await cpuOfCase(side, name))
      const [alone = 0, , own = 0] = cells
      rows.push([name, ...cells, `${(own / alone).toFixed(2)} ×`])
      console.error(rows.at(-1)?.join(', '))
    }
    const each = `${records.toLocaleString('en')} records each`
    const columns = ['CPU ms', 'companies', `companies, with ${resources} own`, 'own', 'own to companies']
    return `### ${database}, ${resources} own resources, ${each}\n\n${machine()}\n\n${tableOf(columns, rows)}`
  } finally {
    for (const stop of stops) await stop()
    stopGenerators()
    await server?.stop()
  }
}

/** `through` is the resource that is filtered by the companies of its records. */
async function sideOf(target: Target, resource: string, through: string): Promise<Side> {
  const rows: Row[] = []
  for (let page = 1; page <= 20; page++) rows.push(...(await listOf(target, `${resource}?per_page=100&page=${page}`)))
  const companies = await listOf(target, 'companies?per_page=100&sort=created_at')
  const named = companies.map(({ id, attributes }) => ({ id, name: attributes.name }))
  return { ...target, resource, through, rows, companies: named }
}

async function listOf({ api, token }: Target, path: string): Promise<Row[]> {
  const response = await fetch(`${api}/${path}`, { headers: { Authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`${path} got ${response.status}: ${await response.text()}`)
  // Only lists are requested here.
  return ((await response.json()) as { data: Row[] }).data
}

/** The CPU time of a request, in milliseconds, while a writer changes companies. */
async function cpuOfCase(side: Side, name: string): Promise<number> {
  const one = casesFor(side)[name]
  if (!one) throw new Error(`There is no case ${name}.`)
  const writer = startWriter(side, side.companies)
  try {
    const amount = await calibrate(side, { ...one, name }, Number(values.seconds))
    const { errors, cpuMicros } = await load(side, { ...one, name }, { amount })
    if (errors > 0) throw new Error(`${name} had ${errors} errors.`)
    return cpuMicros / 1000
  } finally {
    await writer.stop()
  }
}

function casesFor({ resource, through, rows }: Side): Readonly<Record<string, Omit<Case, 'name'>>> {
  const random = randomNumbers(1)
  const row = (n: number) => rows[n % rows.length]
  const company = through === 'people' ? 'company' : 'custom_fields.company'
  const get = (path: (n: number) => string) => send('GET', (n) => [path(n)])
  const query = (asked: (n: number) => object) => send('POST', (n) => [`${resource}/query`, asked(n)])
  const parts = partsOfNames(0.01, 200)
  const numbers = rows.map(({ attributes }) => attributes.custom_fields.employees ?? 0)
  // The numbers of some records, so that every side finds as many.
  const from = () => numbers[Math.floor(random() * numbers.length)]
  const some = () => ({ custom_fields: { tier: { $in: ['Gold'] }, employees: { $gte: from() } } })
  return {
    'get by id': get((n) => `${resource}/${row(n)?.id}`),
    'list of 15': get(() => resource),
    'list of 15, by a number': get(() => `${resource}?sort=-custom_fields.employees`),
    'name contains, 1 in 100': query((n) => ({ filter: { name: { $contains: parts[n % parts.length] } } })),
    'choice and number': query(() => ({ filter: some() })),
    'include a company': get(() => `${through}?include=${company}`),
    search: get((n) => `search?q=${encodeURIComponent(row(n)?.attributes.name ?? '')}&resource=${resource}`),
    'feed of the resource': get(() => `${resource}/changes?cursor=now`),
    'summary by choice': send('POST', () => [`${resource}/summary`, { group_by: ['tier'] }]),
    create: send('POST', (n) => [resource, { name: `Bench ${n}`, custom_fields: { employees: n } }]),
    update: send('PATCH', (n) => [`${resource}/${row(n)?.id}`, { name: `Bench ${n}` }]),
  }
}

function send(method: Case['method'], make: (n: number) => [path: string, body?: object]): Omit<Case, 'name'> {
  const requests = Array.from({ length: REQUESTS }, (_, n) => {
    const [path, body] = make(n)
    return { path: `/${path}`, ...(body && { body: JSON.stringify(body) }) }
  })
  return { method, requests }
}
