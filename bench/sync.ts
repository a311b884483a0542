import { parseArgs } from 'node:util'
import { createClient } from '@kith/sdk'
import { startService } from '../server/test/setup/service.ts'
import { cachedData, createToken, type Database } from './data.ts'
import { SECRET } from './kith.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { tableOf } from './table.ts'

/** A sync in both directions with the client, under the usual rate limits: the requests and seconds of each step. */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    companies: { type: 'string', default: '10000' },
    write: { type: 'boolean', default: false },
  },
})
const COMPANIES = Number(values.companies)
const NAMESPACE = 'external_ids.other'

const server = values.database === 'postgres' ? await startServer() : undefined
const database: Database = server ? 'postgres' : 'sqlite'
const { copy } = await cachedData({ database, sizes: { companies: 1 }, server: server?.url })
const data = await copy('sync')
const service = await startService({ DATABASE_URL: data.url, SECRET })
let requests = 0
const counted: typeof fetch = (...sent) => {
  requests++
  return fetch(...sent)
}
const clientWith = (token: string) =>
  createClient<{ companies: { domains: string[] } }>({ url: `${service.url}/api`, token, fetch: counted })
const other = clientWith(data.token)
const colleagues = clientWith(createToken(data, data.slug))

type Held = { id: string; name: string; updated_at: string }
const held = new Map<string, Held>()
let cursor: string | undefined
const rows: string[][] = []
try {
  await step('in: create what the other system has', async () => {
    const all = Array.from({ length: COMPANIES }, (_, index) => companyWith(String(index)))
    return (await other.companies.upsertMany(all)).meta.succeeded
  })
  await step('out: copy everything', pull)
  await step('(people change everything in Kith)', async () => {
    const operations = [...held.values()].map(({ id, name }) => ({
      op: 'update' as const,
      id,
      data: { name: `${name} Ltd` },
    }))
    return (await colleagues.companies.batch(operations)).meta.succeeded
  })
  await step('out: follow these changes', pull)
  await step('in: send changes of the other system, unless Kith has changed', async () => {
    const operations = [...held.values()].map(({ id, name, updated_at }) => {
      return { op: 'update' as const, id, if_match: updated_at, data: { name: `${name} & Co` } }
    })
    return (await other.companies.batch(operations)).meta.succeeded
  })
  await step('out: nothing comes back', pull)
} finally {
  await service.stop()
  await server?.stop()
}
const table = tableOf(['', 'records', 'requests', 'seconds'], rows)
console.log(`${database}\n${table}`)
if (values.write) writeSection(`sync-${database}`, table)

function companyWith(value: string) {
  const match = { field: NAMESPACE, value } as const
  return { match, name: `Acme ${value}`, custom_fields: { domains: [`sync-${value}.example`] } }
}

/** Reads all changes that this side has not made. */
async function pull(): Promise<number> {
  let count = 0
  await other.mirror({
    resources: ['companies'],
    cursor,
    excludeOwn: true,
    once: true,
    put(record) {
      if (record.type !== 'companies') return
      const { name, updated_at } = record.attributes
      held.set(record.id, { id: record.id, name, updated_at })
      count++
    },
    remove: ({ id }) => void held.delete(id),
    save(next) {
      cursor = next
    },
  })
  return count
}

async function step(what: string, work: () => Promise<number>): Promise<void> {
  const before = requests
  const started = performance.now()
  const records = await work()
  const seconds = (performance.now() - started) / 1000
  rows.push([what, records.toLocaleString('en-US'), String(requests - before), seconds.toFixed(1)])
  console.error(`${database}, ${what}: ${records} records, ${requests - before} requests, ${seconds.toFixed(1)} s`)
}
