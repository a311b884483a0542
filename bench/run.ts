import { type ChildProcess, spawn } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { type Case, casesFor } from './cases.ts'
import { type BenchData, cachedPostgres, cachedSqlite, onCopy } from './data.ts'
import { load, type Measured, memoryAtRest, memoryMegabytes, settled } from './load.ts'
import { percentile } from './numbers.ts'
import { startDirectus } from './peer-directus.ts'
import { keptPostgres, makeDatabase, onDatabaseCopy } from './postgres.ts'
import { writeSection } from './report.ts'
import { type Row, tableOf, whole } from './run-table.ts'

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

const ROUNDS = 3

/** A service on one of the databases, with what it is asked and the limit beside it. */
type World = {
  engine: string
  api: string
  token: string
  process: ChildProcess
  cases: readonly Case[]
  limit: Limit
  rest: number
  rows: Row[]
}

const engines = ['sqlite', 'postgres'].filter((engine) => values.engine === 'both' || values.engine === engine)
const tables = await withWorlds(engines, [], measureAll)
if (values.peer !== undefined) tables.push(await measurePeer(values.peer))
if (values.write) {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
  writeSection('measured', `${machine}; load from a second process on the same machine.\n\n${tables.join('\n\n')}`)
}

/** Opens the worlds one within the other, each on a copy of its data. */
async function withWorlds<T>(
  [engine, ...others]: readonly string[],
  opened: readonly World[],
  work: (worlds: readonly World[]) => Promise<T>,
): Promise<T> {
  if (engine === undefined) return work(opened)
  return onData(engine, async (data) => {
    const service = await startService({ DATABASE_URL: data.url, SECRET: data.secret, ...noLimits })
    const api = `${service.url}/api/v1`
    const rest = await memoryAtRest(service.process.pid ?? 0)
    const cases = (await casesFor(data, api)).filter(({ name }) => name.includes(values.only ?? ''))
    const limit = await startLimit(cases, api, data.token)
    const world = { engine, api, token: data.token, process: service.process, cases, limit, rest, rows: [] }
    try {
      return await withWorlds(others, [...opened, world], work)
    } finally {
      limit.process.kill()
      await service.stop()
    }
  })
}

async function onData<T>(engine: string, work: (data: BenchData) => Promise<T>): Promise<T> {
  const sizes = { companies: records, people: records }
  if (engine === 'sqlite') return onCopy(await cachedSqlite(`run-${records}`, sizes), work)
  const server = await keptPostgres()
  try {
    const data = await cachedPostgres(server.url, `run-${records}`, sizes)
    return await onDatabaseCopy(data.url, (url) => work({ ...data, url }))
  } finally {
    await server.stop()
  }
}

/** Case by case, so that both databases are measured within the same minute: the machine has better and worse ones. */
async function measureAll(worlds: readonly World[]): Promise<string[]> {
  const count = worlds[0]?.cases.length ?? 0
  for (let index = 0; index < count; index++) {
    for (const row of await measureCase(worlds, index)) {
      const { name, kith, anew } = row
      process.stderr.write(`${name}: ${Math.round(kith.perSecond)}/s, anew ${Math.round(anew?.perSecond ?? 0)}/s\n`)
    }
  }
  const sqlite = worlds.find((world) => world.engine === 'sqlite')
  return worlds.map((world) => {
    const title = `${world.engine}, ${whole(records)} companies and ${whole(records)} people`
    const memory = [world.rest, memoryMegabytes(world.process.pid ?? 0)] as const
    const beside = world.engine === 'postgres' ? sqlite?.rows : undefined
    const table = tableOf(title, world.rows, { memory, share: world.engine === 'sqlite' ? 1 : 0.5, beside })
    console.log(table)
    return table
  })
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
    for (const { name: title, method, again, steady } of peer.cases.filter((one) =>
      one.name.includes(values.only ?? ''),
    )) {
      const target = { url: peer.url, token: peer.token, method, requests: again }
      await load(target, warmUp(steady), undefined)
      const measured = await load(target, seconds, peer.process.pid)
      rows.push({ name: title, kith: measured, anew: undefined, limit: undefined })
    }
    const memory = [rest, memoryMegabytes(peer.process.pid ?? 0)] as const
    const table = tableOf('Directus on PostgreSQL, the same records', rows, { memory, share: 0, beside: undefined })
    console.log(table)
    return table
  } finally {
    peer.stop()
    await server.stop()
  }
}

/** Warm, in rounds in which the databases and their limits take turns; the middle one counts. */
async function measureCase(worlds: readonly World[], index: number): Promise<Row[]> {
  const asked = worlds.map((world) => {
    const one = world.cases[index]
    if (!one) throw new Error(`There is no case ${index} on ${world.engine}.`)
    const target = { url: world.api, token: world.token, method: one.method, requests: one.again }
    const bare = [{ path: `/${index}`, body: one.again[0]?.body }]
    const limit = { url: world.limit.url, token: '', method: one.method, requests: bare }
    const rounds = { kith: [] as Measured[], limit: [] as Measured[], anew: [] as Measured[] }
    return { world, one, target, limit, rounds }
  })
  for (const { target, one } of asked) await load(target, warmUp(one.steady), undefined)
  for (let round = 0; round < ROUNDS; round++) {
    for (const { world, one, target, limit, rounds } of asked) {
      rounds.kith.push(await load(target, seconds / ROUNDS, world.process.pid))
      if (one.steady) rounds.limit.push(await load(limit, seconds / ROUNDS / 2, world.limit.process.pid))
    }
  }
  // Only once: what has been asked in one round would be known in the next.
  for (const { world, one, target, rounds } of asked) {
    if (one.anew.length === 0) continue
    const unknown = { ...target, requests: one.anew, hosts: true }
    rounds.anew.push(await load(unknown, Math.max(1, seconds / 2), world.process.pid))
  }
  await settled()
  return asked.map(({ world, one, rounds }) => {
    const row = {
      name: one.name,
      kith: middle(rounds.kith),
      anew: middleOf(rounds.anew),
      limit: middleOf(rounds.limit),
    }
    world.rows.push(row)
    return row
  })
}

function middleOf(rounds: readonly Measured[]): Measured | undefined {
  return rounds.length === 0 ? undefined : middle(rounds)
}

function middle(rounds: readonly Measured[]): Measured {
  const of = (number: (round: Measured) => number) => percentile(rounds.map(number), 50)
  return {
    perSecond: of((one) => one.perSecond),
    p50: of((one) => one.p50),
    p99: of((one) => one.p99),
    errors: rounds.reduce((sum, one) => sum + one.errors, 0),
    cpuPerRequest: of((one) => one.cpuPerRequest),
  }
}

/** Seconds until what is measured runs as it will run from then on. Writes come last, and none of the cases before has had their code compiled. */
function warmUp(isRead: boolean): number {
  return isRead ? 2 : 8
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
