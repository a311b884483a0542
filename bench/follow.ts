import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { type Case, casesFor } from './cases.ts'
import { type BenchData, cachedData, createToken, createWorkspace, type Database } from './data.ts'
import { fillFeed } from './fill-feed.ts'
import { SECRET } from './kith.ts'
import { calibrate, cpuOf, load, type Measured, memoryMegabytes, stopGenerators, type Target } from './load.ts'
import { percentile } from './numbers.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { rateLimits } from './sides.ts'
import { tableOf } from './table.ts'

/**
 * The changes feed: a page of it against a list, a follower under many writes, many followers that wait, a feed of
 * many entries against an empty one, and pruning while others write.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    companies: { type: 'string', default: '20000' },
    entries: { type: 'string', default: '10000000' },
    followers: { type: 'string', default: '500' },
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const SECONDS = Number(values.seconds)
/** A token has ten places, a workspace fifty. */
const PER_TOKEN = 10
const TOKENS_PER_WORKSPACE = 5

const server = values.database === 'postgres' ? await startServer() : undefined
const database: Database = server ? 'postgres' : 'sqlite'
const { copy } = await cachedData({ database, sizes: { companies: Number(values.companies) }, server: server?.url })
const rows: string[][] = []
const parts = { page, lag, waiting, 'many entries': manyEntries, pruning }
try {
  for (const [name, measure] of Object.entries(parts)) if (name.includes(values.only)) await measure()
} finally {
  stopGenerators()
  await server?.stop()
}
const table = tableOf(['', 'measured', 'wanted'], rows)
console.log(table)
if (values.write) writeSection(`follow-${database}`, table)

function report(what: string, measured: string, wanted = ''): void {
  rows.push([what, measured, wanted])
  console.error(`${database}, ${what}: ${measured}`)
}

type Running = Target & { data: BenchData }

/** Runs the service on a fresh copy of the data. */
async function withService(name: string, work: (running: Running) => Promise<void>, change: Change = {}) {
  const data = await copy(`follow_${name}`)
  await change.data?.(data)
  const service = await startService({ DATABASE_URL: data.url, SECRET, ...rateLimits(0), ...change.env })
  try {
    const target = {
      api: `${service.url}/api/v1`,
      token: data.token,
      pid: service.process.pid ?? 0,
      database: server?.pid,
    }
    await work({ ...target, data })
  } finally {
    await service.stop()
  }
}

type Change = { env?: Record<string, string>; data?: (data: BenchData) => Promise<unknown> }
type Meta = { next_cursor: string; has_more: boolean }
type Page = { data: { attributes: { at: string; sequence: number } }[]; meta: Meta }

async function get<T>({ api, token }: Pick<Target, 'api' | 'token'>, path: string): Promise<T> {
  const response = await fetch(`${api}${path}`, { headers: { Authorization: `Bearer ${token}` } })
  if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}.`)
  // Each caller names the type of what it asks for.
  return (await response.json()) as T
}

async function page(): Promise<void> {
  await withService('page', async (running) => {
    await writes(running, { rate: 500, seconds: 4 })
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
    const { meta } = await get<Page>(running, `/changes?since=${hourAgo}&limit=1`)
    const pages = {
      thin: `/changes?cursor=${meta.next_cursor}&payload=thin&limit=1000`,
      list: '/companies?per_page=100',
    }
    const measured = { thin: await one(running, pages.thin), list: await one(running, pages.list) }
    report('a page of 1,000 thin entries', shown(measured.thin, measured.list), 'less than 1.00 of the list')
    report('a list of 100 records', shown(measured.list))
  })
}

/** Requests one page again and again, one at a time. */
function one(target: Target, path: string): Promise<Measured> {
  return loaded(target, { name: path, method: 'GET', requests: [{ path }] }, 1)
}

async function loaded(target: Target, one: Case, connections = 4): Promise<Measured> {
  const amount = await calibrate(target, one, Math.min(3, SECONDS))
  return load(target, one, { amount, connections })
}

function shown({ cpuMicros, p50, p99 }: Measured, other?: Measured): string {
  const ratio = other ? ` (${(cpuMicros / other.cpuMicros).toFixed(2)})` : ''
  return `CPU ${(cpuMicros / 1000).toFixed(2)} ms${ratio}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
}

/** Creates records at a rate. Returns how long each write took. */
async function writes({ api, token }: Target, { rate, seconds }: { rate: number; seconds: number }): Promise<number[]> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const times: number[] = []
  const pending = new Set<Promise<void>>()
  const started = performance.now()
  for (let sent = 0; sent < rate * seconds; ) {
    const due = Math.min(rate * seconds, ((performance.now() - started) / 1000) * rate)
    for (; sent < due && pending.size < 256; sent++) {
      const begun = performance.now()
      const one = fetch(`${api}/companies`, { method: 'POST', headers, body: `{"name":"Followed ${sent}"}` })
        .then((response) => response.arrayBuffer())
        .then(() => void times.push(performance.now() - begun))
        .finally(() => pending.delete(one))
      pending.add(one)
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await Promise.all(pending)
  return times
}

async function lag(): Promise<void> {
  await withService('lag', async (running) => {
    const lags: number[] = []
    let done = false
    let cursor = (await get<Page>(running, '/changes?cursor=now')).meta.next_cursor
    const sequences: number[] = []
    const following = (async () => {
      while (!done) {
        const { data, meta } = await get<Page>(running, `/changes?cursor=${cursor}&wait=1&limit=1000&payload=thin`)
        for (const { attributes } of data) {
          lags.push(Date.now() - Date.parse(attributes.at))
          sequences.push(attributes.sequence)
        }
        cursor = meta.next_cursor
      }
    })()
    const begun = performance.now()
    const times = await writes(running, { rate: Number(values.rate), seconds: SECONDS })
    const perSecond = times.length / ((performance.now() - begun) / 1000)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    done = true
    await following
    const gap = sequences.findIndex((sequence, index) => index > 0 && sequence !== (sequences[index - 1] ?? 0) + 1)
    if (gap !== -1) throw new Error(`The follower went from ${sequences[gap - 1]} to ${sequences[gap]}.`)
    const [p50, p99, max] = [percentile(lags, 50), percentile(lags, 99), Math.max(...lags)]
    report(
      `one follower at ${Math.round(perSecond)} writes/s`,
      `${lags.length} of ${times.length} entries, lag p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms`,
      'all entries, lag does not grow',
    )
  })
}

async function waiting(): Promise<void> {
  const followers = Number(values.followers)
  await withService('waiting', async ({ api, pid, data }) => {
    const tokens: string[] = []
    for (let count = 0; count * PER_TOKEN < followers; count++) {
      const workspace = Math.floor(count / TOKENS_PER_WORKSPACE)
      if (count % TOKENS_PER_WORKSPACE === 0) createWorkspace(data, `follow-${workspace}`, { companies: 10 })
      tokens.push(createToken(data, `follow-${workspace}`))
    }
    const owners = Array.from({ length: followers }, (_, index) => tokens[Math.floor(index / PER_TOKEN)] ?? '')
    for (const kind of ['requests', 'streams'] as const) {
      const ending = new AbortController()
      const start = (token: string) => follow({ api, token }, kind, ending.signal)
      // Threads start with the first of them and stop when they are idle. Their memory is not that of the followers.
      const first = owners.slice(0, PER_TOKEN).map(start)
      await new Promise((resolve) => setTimeout(resolve, 3000))
      const before = memoryMegabytes(pid)
      const all = [...first, ...owners.slice(PER_TOKEN).map(start)]
      await new Promise((resolve) => setTimeout(resolve, 3000))
      const [cpu, begun] = [cpuOf({ pid }), performance.now()]
      await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000))
      const percent = ((cpuOf({ pid }) - cpu) / ((performance.now() - begun) / 1000)) * 100
      const memory = memoryMegabytes(pid) - before
      ending.abort()
      await Promise.all(all)
      report(`${followers} waiting ${kind}`, `${percent.toFixed(2)} % of a core, ${memory} MB`, '1 %, 50 MB')
    }
  })
}

async function follow(target: Pick<Target, 'api' | 'token'>, kind: 'requests' | 'streams', signal: AbortSignal) {
  const headers = { Authorization: `Bearer ${target.token}` }
  const path = kind === 'streams' ? '/changes/stream?cursor=now' : '/changes?cursor=now&wait=30'
  try {
    while (!signal.aborted) {
      const response = await fetch(`${target.api}${path}`, { headers, signal })
      if (response.status !== 200) throw new Error(`A follower got ${response.status}.`)
      await response.text()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function manyEntries(): Promise<void> {
  const entries = Number(values.entries)
  const measured = new Map<string, string[]>()
  for (const count of [0, entries]) {
    const change = { env: { CHANGES_DAYS: '3650' }, data: (data: BenchData) => fillFeed(data, Math.max(1, count)) }
    await withService(
      `entries_${count}`,
      async (running) => {
        const { cases } = await casesFor(running, [])
        const chosen = ['get by id', 'list of 15', 'create', 'update', 'upsert', 'feed']
        for (const one of cases.filter(({ name }) => chosen.includes(name))) {
          const { perSecond, p99, cpuMicros } = await loaded(running, one)
          const cells = measured.get(one.name) ?? []
          const cpu = `CPU ${(cpuMicros / 1000).toFixed(2)} ms`
          measured.set(one.name, [...cells, `${Math.round(perSecond)}/s, ${cpu}, p99 ${p99.toFixed(1)} ms`])
        }
      },
      change,
    )
  }
  for (const [name, [none = '', many = '']] of measured) {
    report(`${name}: no entries, against ${entries.toLocaleString('en')}`, `${none}; ${many}`, 'the same')
  }
}

async function pruning(): Promise<void> {
  const entries = Number(values.entries)
  const change = { data: (data: BenchData) => fillFeed(data, entries) }
  await withService(
    'pruning',
    async (running) => {
      // The upkeep begins one second after the start.
      const times = await writes(running, { rate: 50, seconds: SECONDS })
      const kept = await fetch(
        `${running.api}/changes?since=${new Date(Date.now() - 150 * 86_400_000).toISOString()}`,
        {
          headers: { Authorization: `Bearer ${running.token}` },
        },
      )
      const state = kept.status === 410 ? 'expired_until' : 'not expired_until'
      report(
        `writes while ${entries.toLocaleString('en')} entries are deleted (${state})`,
        `p50 ${percentile(times, 50).toFixed(1)} ms, longest ${Math.max(...times).toFixed(0)} ms`,
        'no pause',
      )
    },
    change,
  )
}
