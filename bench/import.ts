import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { cachedData, createWorkspace, type Database } from './data.ts'
import { importJob, sizedFile } from './import-job.ts'
import { kith, SECRET } from './kith.ts'
import { cpuOf, memoryMegabytes } from './load.ts'
import { percentile } from './numbers.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { rateLimits } from './sides.ts'
import { tableOf } from './table.ts'

/**
 * Many rows: by single creates, by `kith sample` and by an import, and how long a single write takes while the import
 * runs. Then a file of the largest size: how much the memory of the service grows while it is received and imported.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rows: { type: 'string', default: '100000' },
    singles: { type: 'string', default: '3000' },
    clients: { type: 'string', default: '16' },
    megabytes: { type: 'string', default: '256' },
    'large-rows': { type: 'string', default: '1000000' },
    write: { type: 'boolean', default: false },
  },
})
const ROWS = Number(values.rows)
const SINGLES = Number(values.singles)
const SAMPLE_MS = 200

const server = values.database === 'postgres' ? await startServer() : undefined
const database: Database = server ? 'postgres' : 'sqlite'
const { copy } = await cachedData({ database, sizes: { companies: 20_000 }, server: server?.url })
const data = await copy('import')
createWorkspace(data, 'sampled', { companies: 0 })
const sampled = await rateOf(ROWS, async () => {
  kith(data, ['sample', '--workspace', 'sampled', '--companies', String(ROWS), '--people', '0', '--seed', '1'])
})
const env = { DATABASE_URL: data.url, SECRET, ...rateLimits(0), REQUEST_SECONDS: '3600' }
const service = await startService(env)
const target = { url: `${service.url}/api/v1`, token: data.token }
let number = 0

try {
  const alone = await rateOf(SINGLES, () => singles(SINGLES, 1))
  const several = await rateOf(SINGLES, () => singles(SINGLES, Number(values.clients)))
  const importing = () => importJob(target, { resource: 'companies', file: rowsOfImport(ROWS) })
  const cpu = () => cpuOf({ pid: service.process.pid ?? 0, database: server?.pid })
  const before = cpu()
  const imported = await rateOf(ROWS, importing)
  const cpuMicros = ((cpu() - before) / ROWS) * 1e6
  const times: number[] = []
  let going = true
  const watching = (async () => {
    while (going) times.push(await timeOf(() => create(row())))
  })()
  await importing()
  going = false
  await watching
  const ratio = (other: number) => `${(imported / other).toFixed(1)} ×`
  const table = tableOf(
    ['', 'rows/s', 'the import is faster by'],
    [
      ['single creates, one client', alone.toFixed(0), ratio(alone)],
      [`single creates, ${values.clients} clients`, several.toFixed(0), ratio(several)],
      ['`kith sample`', sampled.toFixed(0), ratio(sampled)],
      [`import of ${ROWS.toLocaleString('en-US')} rows`, imported.toFixed(0), ''],
      ['CPU µs of the service and its database per row', cpuMicros.toFixed(0), ''],
      ['a single create during the import, p50 ms', percentile(times, 50).toFixed(1), ''],
      ['a single create during the import, p99 ms', percentile(times, 99).toFixed(1), ''],
    ],
  )
  const memory = Number(values.megabytes) > 0 ? `\n\n${await largeFile()}` : ''
  console.log(`${database}\n${table}${memory}`)
  if (values.write) writeSection(`import-${database}`, `${table}${memory}`)
} finally {
  await service.stop()
  await server?.stop()
}

/** Imports a file of so many megabytes into notes, with long texts, and watches the memory. */
async function largeFile(): Promise<string> {
  const size = { megabytes: Number(values.megabytes), rows: Number(values['large-rows']) }
  const pid = service.process.pid ?? 0
  const before = memoryMegabytes(pid)
  const most = { sending: before, running: before }
  let phase: keyof typeof most = 'sending'
  const watching = setInterval(() => {
    most[phase] = Math.max(most[phase], memoryMegabytes(pid))
  }, SAMPLE_MS)
  const begun = performance.now()
  let sent = begun
  await importJob(target, {
    resource: 'notes',
    file: sizedFile(size),
    onSent() {
      phase = 'running'
      sent = performance.now()
    },
  })
  clearInterval(watching)
  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(0)} s`
  const grown = (peak: number) => `${(peak - before).toFixed(0)} MB`
  return tableOf(
    [`a file of ${size.megabytes} MB, ${size.rows.toLocaleString('en-US')} rows`, 'time', 'memory grows by'],
    [
      ['to receive and check it', seconds(begun, sent), grown(most.sending)],
      ['to import it', seconds(sent, performance.now()), grown(most.running)],
      ['memory before and after', '', `${before} MB, ${memoryMegabytes(pid)} MB`],
    ],
  )
}

function row(): { name: string; custom_fields: { domains: string[]; icp: boolean } } {
  number++
  return { name: `Company ${number}`, custom_fields: { domains: [`import-${number}.example`], icp: true } }
}

function* rowsOfImport(count: number): Generator<string> {
  yield 'name,domains,icp\n'
  for (let left = count; left > 0; left--) {
    const { name, custom_fields } = row()
    yield `${name},${custom_fields.domains},true\n`
  }
}

async function create(body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${data.token}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${target.url}/companies`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status !== 201) throw new Error(await response.text())
  await response.arrayBuffer()
}

async function singles(count: number, clients: number): Promise<void> {
  let left = count
  const client = async () => {
    while (left-- > 0) await create(row())
  }
  await Promise.all(Array.from({ length: clients }, client))
}

async function rateOf(rows: number, work: () => Promise<void>): Promise<number> {
  return rows / ((await timeOf(work)) / 1000)
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
