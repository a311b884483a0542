import { type ChildProcess, spawn } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { type Case, casesFor } from './cases.ts'
import { type BenchData, cachedPostgres, cachedSqlite, onCopy } from './data.ts'
import { load, type Measured, memoryAtRest, memoryMegabytes, settled } from './load.ts'
import { startDirectus } from './peer-directus.ts'
import { keptPostgres, makeDatabase, onDatabaseCopy } from './postgres.ts'
import { writeSection } from './report.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'both' },
    records: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    peer: { type: 'string' },
  },
})
const records = Number(values.records)
const seconds = Number(values.seconds)
const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }

type Row = { name: string; kith: Measured; anew: Measured | undefined; limit: Measured | undefined }

/** Requests/s to be reached on SQLite: ahead of PocketBase, and 20 times Twenty and Directus in reads, as they were measured on a machine of this kind. */
const targets: readonly [start: string, perSecond: number][] = [
  ['get by id', 5072],
  ['list of 15', 4160],
  ['list of 100', 2820],
  ['name contains', 3440],
  ['select + range', 3220],
  ['page 5,000', 2500],
  ['create', 3365],
]

const tables: string[] = []
for (const engine of ['sqlite', 'postgres']) {
  if (values.engine !== 'both' && values.engine !== engine) continue
  tables.push(await measureEngine(engine))
}
if (values.peer !== undefined) tables.push(await measurePeer(values.peer))
if (values.write) {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
  writeSection('measured', `${machine}; load from a second process on the same machine.\n\n${tables.join('\n\n')}`)
}

async function measureEngine(engine: string): Promise<string> {
  const sizes = { companies: records, people: records }
  if (engine === 'sqlite') {
    return onCopy(await cachedSqlite(`run-${records}`, sizes), (data) => measureAll(engine, data))
  }
  const server = await keptPostgres()
  try {
    const data = await cachedPostgres(server.url, `run-${records}`, sizes)
    return await onDatabaseCopy(data.url, (url) => measureAll(engine, { ...data, url }))
  } finally {
    await server.stop()
  }
}

async function measureAll(engine: string, data: BenchData): Promise<string> {
  const service = await startService({ DATABASE_URL: data.url, SECRET: data.secret, ...noLimits })
  try {
    const api = `${service.url}/api/v1`
    const rest = await memoryAtRest(service.process.pid ?? 0)
    const cases = (await casesFor(data, api)).filter(({ name }) => !values.only || name.includes(values.only))
    const limit = await startLimit(cases, api, data.token)
    const rows: Row[] = []
    for (const [index, one] of cases.entries())
      rows.push(await measureCase(one, index, api, data, limit, service.process))
    limit.process.kill()
    const full = memoryMegabytes(service.process.pid ?? 0)
    const title = `${engine}, ${whole(records)} companies and ${whole(records)} people`
    const table = tableOf(title, rows, [rest, full], engine === 'sqlite' ? 1 : 0.5)
    console.log(table)
    return table
  } finally {
    await service.stop()
  }
}

/** Another product on the same records, in a PostgreSQL that is set up like ours. */
async function measurePeer(name: string): Promise<string> {
  if (name !== 'directus') throw new Error(`There is no peer ${name}. Accepted: directus.`)
  const server = await keptPostgres()
  const data = await cachedPostgres(server.url, `run-${records}`, { companies: records, people: records })
  await makeDatabase(server.url, `directus_${records}`)
  const service = await startService({ DATABASE_URL: data.url, SECRET: data.secret, ...noLimits })
  const peer = await startDirectus(server.url, { api: `${service.url}/api/v1`, token: data.token, records })
  await service.stop()
  const rest = await memoryAtRest(peer.process.pid ?? 0)
  try {
    const rows: Row[] = []
    for (const { name: title, method, again } of peer.cases.filter((one) => one.name.includes(values.only ?? ''))) {
      const target = { url: peer.url, token: peer.token, method, requests: again }
      await load(target, 1, undefined)
      const measured = await load(target, seconds, peer.process.pid)
      rows.push({ name: title, kith: measured, anew: undefined, limit: undefined })
    }
    const table = tableOf(
      'Directus on PostgreSQL, the same records',
      rows,
      [rest, memoryMegabytes(peer.process.pid ?? 0)],
      0,
    )
    console.log(table)
    return table
  } finally {
    peer.stop()
    await server.stop()
  }
}

/** Warm, and the limit right beside it: what else the machine does meets both. */
async function measureCase(
  one: Case,
  index: number,
  api: string,
  data: BenchData,
  limit: Limit,
  service: ChildProcess,
): Promise<Row> {
  const target = { url: api, token: data.token, method: one.method, requests: one.again }
  await load(target, 2, undefined)
  const kith = await load(target, seconds, service.pid)
  const bare = {
    url: limit.url,
    token: '',
    method: one.method,
    requests: [{ path: `/${index}`, body: one.again[0]?.body }],
  }
  const beside = one.steady ? await load(bare, Math.max(1, seconds / 2), limit.process.pid) : undefined
  const unknown = { ...target, requests: one.anew, hosts: true }
  const anew = one.anew.length > 0 ? await load(unknown, Math.max(1, seconds / 2), service.pid) : undefined
  await settled()
  process.stderr.write(`${one.name}: ${Math.round(kith.perSecond)}/s, anew ${Math.round(anew?.perSecond ?? 0)}/s\n`)
  return { name: one.name, kith, anew, limit: beside }
}

type Limit = { url: string; process: ChildProcess }

async function startLimit(cases: readonly Case[], api: string, token: string): Promise<Limit> {
  const answers = await Promise.all(
    cases.map(async ({ method, again: [first] }) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const response = await fetch(api + first?.path, { method, headers, body: first?.body })
      return { status: response.status, body: await response.text() }
    }),
  )
  const child = spawn(process.execPath, [fileURLToPath(new URL('./limit.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(answers))
  const port = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())))
  return { url: `http://127.0.0.1:${port}`, process: child }
}

function tableOf(
  title: string,
  rows: readonly Row[],
  memory: readonly [rest: number, full: number],
  share: number,
): string {
  const lines = rows.map(({ name, kith, anew, limit }) => {
    const cells = [
      name,
      whole(kith.perSecond),
      wanted(name, share),
      kith.p50,
      kith.p99,
      whole(kith.cpuPerRequest * 1e6),
      limit ? `${whole((kith.perSecond / limit.perSecond) * 100)} %` : '',
      anew ? whole(anew.perSecond) : '',
      anew ? whole(anew.cpuPerRequest * 1e6) : '',
      kith.errors + (anew?.errors ?? 0),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const columns = [
    'case',
    'requests/s',
    'wanted',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'of the limit',
    'anew/s',
    'anew CPU µs',
    'errors',
  ]
  const head = `| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`
  return `### ${title}\n\n${head}\n${lines.join('\n')}\n\nMemory: ${memory[0]} MB at rest, ${memory[1]} MB after the run.`
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}

/** On PostgreSQL, half of what is to be reached on SQLite. */
function wanted(name: string, share: number): string {
  const [, target] = targets.find(([start]) => name.startsWith(start)) ?? []
  return target === undefined || share === 0 ? '' : whole(target * share)
}
