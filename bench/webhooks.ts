import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { type BenchData, cachedData, createWorkspace, type Database } from './data.ts'
import { SECRET } from './kith.ts'
import { memoryMegabytes } from './load.ts'
import { percentile } from './numbers.ts'
import { startServer } from './postgres.ts'
import { writeSection } from './report.ts'
import { rateLimits } from './sides.ts'
import { tableOf } from './table.ts'

/**
 * Webhooks with a receiver in this process: deliveries per second, the time from the commit to the delivery, writes
 * with many endpoints, an endpoint that hangs, and catching up from far behind.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    events: { type: 'string', default: '2000' },
    behind: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const EVENTS = Number(values.events)
const SECONDS = Number(values.seconds)
const PER_WORKSPACE = 50
const ROUNDS = 5

const server = values.database === 'postgres' ? await startServer() : undefined
const database: Database = server ? 'postgres' : 'sqlite'
const { copy } = await cachedData({ database, sizes: { companies: 100 }, server: server?.url })
const rows: string[][] = []

/** Called with each event that arrives. */
let arrived: (body: string, response: ServerResponse) => void = accept
let count = 0
const receiver = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  if (request.url === '/hang') return
  count++
  arrived(Buffer.concat(parts).toString(), response)
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const parts = { deliveries, delay, writes, hanging, 'far behind': farBehind }
try {
  for (const [name, measure] of Object.entries(parts)) if (name.includes(values.only)) await measure()
} finally {
  receiver.closeAllConnections()
  receiver.close()
  await server?.stop()
}
const table = tableOf(['', 'measured', 'wanted'], rows)
console.log(table)
if (values.write) writeSection(`webhooks-${database}`, table)

function accept(_body: string, response: ServerResponse): void {
  response.writeHead(204).end()
}

function report(what: string, measured: string, wanted = ''): void {
  rows.push([what, measured, wanted])
  console.error(`${database}, ${what}: ${measured}`)
}

type Running = { base: string; tokens: string[]; pid: number }

/** Runs the service. More than 50 endpoints need a second workspace. */
async function withService(name: string, work: (running: Running) => Promise<void>, many = 1): Promise<void> {
  const data: BenchData = await copy(`webhooks_${name}`)
  const others = many > PER_WORKSPACE ? [createWorkspace(data, 'second', { companies: 10 })] : []
  const env = { DATABASE_URL: data.url, SECRET, ...rateLimits(0), WEBHOOK_ALLOW_PRIVATE: '127.0.0.1' }
  const service = await startService(env)
  arrived = accept
  count = 0
  try {
    const tokens = [data, ...others].map(({ token }) => token)
    await work({ base: `${service.url}/api/v1`, tokens, pid: service.process.pid ?? 0 })
  } finally {
    await service.stop()
  }
}

async function call<T>(
  running: Running,
  path: string,
  { body, at = 0, method = body ? 'POST' : 'GET' }: { body?: object; at?: number; method?: string } = {},
): Promise<T> {
  const headers = { Authorization: `Bearer ${running.tokens[at]}`, 'Content-Type': 'application/json' }
  const response = await fetch(running.base + path, { method, headers, body: body && JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
  // Each caller names the type of what it asks for.
  return (await response.json()) as T
}

type Endpoint = { at: number; id: string }

/** Creates endpoints, in the second workspace beyond 50. */
async function endpoints(running: Running, many: number, more: (at: number) => object): Promise<Endpoint[]> {
  const created: Endpoint[] = []
  for (let one = 0; one < many; one++) {
    const at = Math.floor(one / PER_WORKSPACE)
    const body = { url: `${receiverUrl}/hook`, types: ['companies.*'], max_in_flight: 10, ...more(at) }
    const { data } = await call<{ data: { id: string } }>(running, '/webhooks', { at, body })
    created.push({ at, id: data.id })
  }
  return created
}

async function cursorNow(running: Running, at: number): Promise<string> {
  return (await call<{ meta: { next_cursor: string } }>(running, '/changes?cursor=now', { at })).meta.next_cursor
}

async function writeMany(running: Running, many: number, at: number): Promise<void> {
  for (let left = many; left > 0; left -= 1000) {
    const operations = Array.from({ length: Math.min(left, 1000) }, (_, index) => {
      return { op: 'create', data: { name: `Company ${left - index}` } }
    })
    await call(running, '/companies/batch', { at, body: { operations } })
  }
}

async function deliveries(): Promise<void> {
  for (const many of [1, 10, 100]) {
    await withService(
      `deliveries_${many}`,
      async (running) => {
        const workspaces = Math.ceil(many / PER_WORKSPACE)
        const cursors = await Promise.all(running.tokens.map((_, at) => cursorNow(running, at)))
        const each = Math.max(100, Math.floor(EVENTS / Math.sqrt(many)))
        for (let at = 0; at < workspaces; at++) await writeMany(running, each, at)
        const begun = performance.now()
        await endpoints(running, many, (at) => ({ from: cursors[at] }))
        while (count < each * many) await setTimeout(20)
        const seconds = (performance.now() - begun) / 1000
        report(`deliveries, ${many} endpoints`, `${Math.round((each * many) / seconds)}/s`)
      },
      many,
    )
  }
}

async function delay(): Promise<void> {
  await withService('delay', async (running) => {
    await endpoints(running, 1, () => ({ payload: 'full' }))
    const done = new Map<string, number>()
    const delays: number[] = []
    arrived = (body, response) => {
      accept(body, response)
      done.set(JSON.parse(body).data.record_id, performance.now())
    }
    for (const until = performance.now() + SECONDS * 1000; performance.now() < until; ) {
      const { data } = await call<{ data: { id: string } }>(running, '/companies', { body: { name: 'Delay' } })
      const committed = performance.now()
      while (!done.has(data.id)) await setTimeout(1)
      delays.push(Math.max(0, (done.get(data.id) ?? 0) - committed))
    }
    const [p50, p99] = [50, 99].map((percent) => percentile(delays, percent).toFixed(0))
    report('from the commit to the delivery', `p50 ${p50} ms, p99 ${p99} ms`)
  })
}

async function writes(): Promise<void> {
  await withService(
    'writes',
    async (running) => {
      const perSecond = async () => {
        const until = performance.now() + SECONDS * 1000
        let written = 0
        const writer = async () => {
          for (; performance.now() < until; written++) {
            await call(running, '/companies', { body: { name: 'Write' } })
          }
        }
        await Promise.all(Array.from({ length: 8 }, writer))
        return written / SECONDS
      }
      const hooks = await endpoints(running, 100, () => ({ types: ['people.*'] }))
      // In turns, because a database that grows gets slower.
      const rates = { paused: [] as number[], active: [] as number[] }
      for (let round = 0; round <= ROUNDS; round++) {
        for (const state of ['paused', 'active'] as const) {
          for (const { at, id } of hooks)
            await call(running, `/webhooks/${id}`, { at, method: 'PATCH', body: { state } })
          const rate = await perSecond()
          // The first round fills the caches.
          if (round > 0) rates[state].push(rate)
        }
      }
      const [without, unwanted] = [percentile(rates.paused, 50), percentile(rates.active, 50)]
      const share = ((1 - unwanted / without) * 100).toFixed(1)
      report('writes with 100 endpoints', `${Math.round(without)}/s → ${Math.round(unwanted)}/s (−${share} %)`, '−5 %')
    },
    100,
  )
}

async function hanging(): Promise<void> {
  await withService('hanging', async (running) => {
    const rates: number[] = []
    for (const hangs of [0, 5]) {
      for (let one = 0; one < hangs; one++) {
        await call(running, '/webhooks', { body: { url: `${receiverUrl}/hang`, types: ['*'], max_in_flight: 10 } })
      }
      const from = await cursorNow(running, 0)
      await writeMany(running, EVENTS, 0)
      count = 0
      const begun = performance.now()
      await endpoints(running, 1, () => ({ from }))
      while (count < EVENTS) await setTimeout(20)
      rates.push(EVENTS / ((performance.now() - begun) / 1000))
    }
    const [alone = 0, next = 0] = rates.map(Math.round)
    report('deliveries alone, and next to 5 endpoints that hang', `${alone}/s, ${next}/s`, 'the same')
  })
}

async function farBehind(): Promise<void> {
  await withService('behind', async (running) => {
    const behind = Number(values.behind)
    const from = await cursorNow(running, 0)
    await writeMany(running, behind, 0)
    const before = memoryMegabytes(running.pid)
    let most = before
    const begun = performance.now()
    await endpoints(running, 1, () => ({ from, payload: 'thin' }))
    while (count < behind) {
      await setTimeout(200)
      most = Math.max(most, memoryMegabytes(running.pid))
    }
    const rate = Math.round(behind / ((performance.now() - begun) / 1000))
    const memory = `${Math.round(before)} MB → at most ${Math.round(most)} MB`
    report(`catching up from ${behind.toLocaleString('en')} behind`, `${rate}/s, memory ${memory}`, 'flat memory')
  })
}
