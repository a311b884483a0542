import { get } from 'node:http'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { cachedData, type Database } from './data.ts'
import { SECRET } from './kith.ts'
import { memoryMegabytes } from './load.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { rateLimits } from './sides.ts'
import { tableOf } from './table.ts'

/** Exports of a large workspace: records per second, the time to the first byte, and how much the memory grows. */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    companies: { type: 'string', default: '50000' },
    write: { type: 'boolean', default: false },
  },
})
const SAMPLE_MS = 200

const server = values.database === 'postgres' ? await startServer() : undefined
const database: Database = server ? 'postgres' : 'sqlite'
const { copy } = await cachedData({ database, sizes: { companies: Number(values.companies) }, server: server?.url })
const data = await copy('export')
const service = await startService({ DATABASE_URL: data.url, SECRET, ...rateLimits(0) })
const rows: string[][] = []
try {
  // The first one starts the threads and fills the caches.
  await exported('?fields=name')
  for (const [what, query, gzip] of [
    ['NDJSON', '', false],
    ['NDJSON, gzip', '', true],
    ['CSV', '?format=csv', false],
    ['a filter that few meet', '?filter[name][$contains]=zephyr%20labs', false],
    ['a filter that many meet', '?filter[name][$contains]=a', false],
  ] as const) {
    const { records, seconds, first, grown, megabytes } = await exported(query, gzip)
    const rate = `${Math.round(records / seconds).toLocaleString('en-US')}/s`
    const cells = [what, records.toLocaleString('en-US'), `${seconds.toFixed(1)} s`, rate, `${Math.round(first)} ms`]
    rows.push([...cells, `${megabytes.toFixed(0)} MB`, `${grown.toFixed(0)} MB`])
    console.error(`${database}: ${rows.at(-1)?.join(', ')}`)
  }
} finally {
  await service.stop()
  await server?.stop()
}
const table = tableOf(['', 'records', 'time', 'rate', 'first byte', 'sent', 'memory grows by'], rows)
console.log(table)
if (values.write) writeSection(`export-${database}`, table)

/** Reads an export and counts its lines, while the memory of the service is watched. */
async function exported(query: string, gzip = false) {
  const pid = service.process.pid ?? 0
  const before = memoryMegabytes(pid)
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, memoryMegabytes(pid))
  }, SAMPLE_MS)
  const started = performance.now()
  let [first, bytes, lines] = [0, 0, 0]
  const headers = { Authorization: `Bearer ${data.token}`, ...(gzip && { 'Accept-Encoding': 'gzip' }) }
  await new Promise<void>((resolve, reject) => {
    get(`${service.url}/api/v1/companies/export${query}`, { headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The export was answered with ${response.statusCode}.`))
      response.on('data', (chunk: Buffer) => {
        first ||= performance.now() - started
        bytes += chunk.length
        if (!gzip) for (const byte of chunk) if (byte === 10) lines++
      })
      response.on('end', resolve).on('error', reject)
    }).on('error', reject)
  })
  clearInterval(watching)
  const seconds = (performance.now() - started) / 1000
  // All but the header or the end line. What is compressed has as many as the one before.
  const records = gzip ? Number(rows.at(-1)?.[1]?.replaceAll(',', '')) : lines - 1
  return { records, seconds, first, grown: most - before, megabytes: bytes / 1024 / 1024 }
}
