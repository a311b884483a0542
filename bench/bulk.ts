import { parseArgs } from 'node:util'
import { BATCH_MAX } from '@kith/contract/limits'
import { startService } from '../server/test/setup/service.ts'
import { cachedData, type Database } from './data.ts'
import { SECRET } from './kith.ts'
import { percentile } from './numbers.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { rateLimits } from './sides.ts'
import { tableOf } from './table.ts'

/**
 * Many rows: by single creates one after the other, by single creates of several clients, and by batches. And how long
 * a single write takes while batches run.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rows: { type: 'string', default: '100000' },
    singles: { type: 'string', default: '3000' },
    clients: { type: 'string', default: '16' },
    write: { type: 'boolean', default: false },
  },
})
const server = values.database === 'postgres' ? await startServer() : undefined
const database: Database = server ? 'postgres' : 'sqlite'
const { copy } = await cachedData({ database, sizes: { companies: 20_000 }, server: server?.url })
const data = await copy('bulk')
const service = await startService({ DATABASE_URL: data.url, SECRET, ...rateLimits(0) })
let number = 0

try {
  const alone = await rateOf(Number(values.singles), () => singles(Number(values.singles), 1))
  const several = await rateOf(Number(values.singles), () => singles(Number(values.singles), Number(values.clients)))
  const times: number[] = []
  let going = true
  const watching = (async () => {
    while (going) times.push(await timeOf(() => post('/companies', row())))
  })()
  const quiet = await rateOf(Number(values.rows), () => batches(Number(values.rows)))
  going = false
  await watching
  const ratio = (other: number) => `${(quiet / other).toFixed(1)} ×`
  const table = tableOf(
    ['', 'rows/s', 'batches are faster by'],
    [
      ['single creates, one client', alone.toFixed(0), ratio(alone)],
      [`single creates, ${values.clients} clients`, several.toFixed(0), ratio(several)],
      [`batches of ${BATCH_MAX}, one client`, quiet.toFixed(0), ''],
      ['a single create during batches, p50 ms', percentile(times, 50).toFixed(1), ''],
      ['a single create during batches, p99 ms', percentile(times, 99).toFixed(1), ''],
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

async function post(path: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${data.token}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${service.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status !== 200 && response.status !== 201) throw new Error(await response.text())
  await response.arrayBuffer()
}

async function singles(count: number, clients: number): Promise<void> {
  let left = count
  const client = async () => {
    while (left-- > 0) await post('/companies', row())
  }
  await Promise.all(Array.from({ length: clients }, client))
}

async function batches(count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += BATCH_MAX) {
    const operations = Array.from({ length: BATCH_MAX }, () => ({ op: 'create', data: row() }))
    await post('/companies/batch', { operations })
  }
}

async function rateOf(rows: number, work: () => Promise<void>): Promise<number> {
  return rows / ((await timeOf(work)) / 1000)
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
