import { parseArgs } from 'node:util'
import { BATCH_MAX } from '@kith/contract/limits'
import { startService } from '../server/test/setup/service.ts'
import { cachedData, type Database } from './data.ts'
import { SECRET, thisCheckout } from './kith.ts'
import { cpuOf } from './load.ts'
import { percentile } from './numbers.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { rateLimits } from './sides.ts'
import { tableOf } from './table.ts'

/**
 * Many rows: by single creates one after the other, by single creates of several clients, and by batches that create
 * and update. And how long a single write takes while batches run. CPU time is that of the service and its database.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rows: { type: 'string', default: '100000' },
    singles: { type: 'string', default: '3000' },
    clients: { type: 'string', default: '16' },
    checkout: { type: 'string', default: thisCheckout },
    write: { type: 'boolean', default: false },
  },
})
const server = values.database === 'postgres' ? await startServer() : undefined
const database: Database = server ? 'postgres' : 'sqlite'
const { checkout } = values
const { copy } = await cachedData({ database, sizes: { companies: 20_000 }, checkout, server: server?.url })
const data = await copy('bulk')
const service = await startService({ DATABASE_URL: data.url, SECRET, ...rateLimits(0) }, checkout)
const rows = Number(values.rows)
const singleRows = Number(values.singles)
let number = 0

try {
  const alone = await costOf(singleRows, () => singles(singleRows, 1))
  const several = await costOf(singleRows, () => singles(singleRows, Number(values.clients)))
  let ids: string[] = []
  const created = await costOf(rows, async () => {
    ids = await batches(rows, () => ({ op: 'create', data: row() }))
  })
  const updated = await costOf(rows, () => batches(rows, (index) => ({ op: 'update', id: ids[index], data: row() })))
  const times: number[] = []
  let going = true
  const watching = (async () => {
    while (going) times.push(await timeOf(() => post('/companies', row())))
  })()
  await batches(rows, () => ({ op: 'create', data: row() }))
  going = false
  await watching
  const ratio = (other: number) => `${(created.perSecond / other).toFixed(1)} ×`
  const lineOf = (name: string, { perSecond, cpuMicros }: typeof alone, faster = '') => {
    return [name, perSecond.toFixed(0), cpuMicros.toFixed(0), faster]
  }
  const table = tableOf(
    ['', 'rows/s', 'CPU µs per row', 'batches are faster by'],
    [
      lineOf('single creates, one client', alone, ratio(alone.perSecond)),
      lineOf(`single creates, ${values.clients} clients`, several, ratio(several.perSecond)),
      lineOf(`batches of ${BATCH_MAX} creates, one client`, created),
      lineOf(`batches of ${BATCH_MAX} updates, one client`, updated),
      ['a single create during batches, p50 ms', percentile(times, 50).toFixed(1), '', ''],
      ['a single create during batches, p99 ms', percentile(times, 99).toFixed(1), '', ''],
    ],
  )
  console.log(`${database}\n${table}`)
  if (values.write) writeSection(`bulk-${database}`, table)
} finally {
  await service.stop()
  await server?.stop()
}

function row(): object {
  number++
  return { name: `Company ${number}`, custom_fields: { domains: [`bulk-${number}.example`], icp: true } }
}

async function post(path: string, body: object): Promise<unknown> {
  const headers = { Authorization: `Bearer ${data.token}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${service.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status !== 200 && response.status !== 201) throw new Error(await response.text())
  return response.json()
}

async function singles(count: number, clients: number): Promise<void> {
  let left = count
  const client = async () => {
    while (left-- > 0) await post('/companies', row())
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** Returns the ids of the written records. */
async function batches(count: number, operationAt: (index: number) => object): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const operations = Array.from({ length: BATCH_MAX }, (_, index) => operationAt(ids.length + index))
    // A result for each operation.
    const { data: results } = (await post('/companies/batch', { operations })) as { data: { id: string | null }[] }
    for (const { id } of results) {
      if (id === null || id === undefined) throw new Error('An operation of a batch failed.')
      ids.push(id)
    }
  }
  return ids
}

async function costOf(count: number, work: () => Promise<unknown>): Promise<{ perSecond: number; cpuMicros: number }> {
  const target = { pid: service.process.pid ?? 0, database: server?.pid }
  const before = cpuOf(target)
  const milliseconds = await timeOf(work)
  return { perSecond: (count / milliseconds) * 1000, cpuMicros: ((cpuOf(target) - before) / count) * 1e6 }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
