import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { enterAsOperator } from '../server/src/accounts/enter-workspace.ts'
import { addMember } from '../server/src/accounts/members.ts'
import { createUser } from '../server/src/accounts/users.ts'
import { openEngine } from '../server/src/storage/engines/open-engine.ts'
import { startService } from '../server/test/setup/service.ts'
import { type BenchData, benchData, cachedPostgres, cachedSqlite, noted } from './data.ts'
import { percentile } from './numbers.ts'
import { CACHE, keptPostgres } from './postgres.ts'

/**
 * What a small workspace notices of a large one that sends the most expensive legal requests, through a token and through the session of a
 * viewer, as many at once as it likes. There are no rate limits: turns and time limits alone must do.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    companies: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '20' },
    'query-seconds': { type: 'string', default: '10' },
  },
})
const COMPANIES = Number(values.companies)
const MEASURE_MS = Number(values.seconds) * 1000
const ATTACKERS = 24
const PAUSE_MS = 100
const WANTED = 4
const PASSWORD = randomBytes(12).toString('hex')

const server = values.engine === 'postgres' ? await keptPostgres() : undefined
const name = `neighbours-${COMPANIES}`
const sizes = { companies: COMPANIES, people: COMPANIES / 5 }
const large = server ? await cachedPostgres(server.url, name, sizes) : await cachedSqlite(name, sizes)
const small = await noted(join(CACHE, `${values.engine}-beside-${name}.json`), 'a small workspace beside it', () =>
  benchData(large.url, { companies: 1000 }),
)
const viewer = await newViewer(large)
const noLimits = {
  RATE_LIMIT_WORKSPACE: '0',
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WRITES: '0',
  RATE_LIMIT_SESSION: '0',
  QUERY_SECONDS: values['query-seconds'],
}
const service = await startService({ DATABASE_URL: large.url, SECRET: large.secret, ...noLimits })
try {
  await measure(service.url)
} finally {
  await service.stop()
  await server?.stop()
}

type Sender = { path: string; headers: Record<string, string> }

async function measure(url: string): Promise<void> {
  const token = { path: '/api/v1', headers: { Authorization: `Bearer ${large.token}` } }
  const session = { path: `/api/app/w/${large.slug}/v1`, headers: await signIn(url) }
  await neighbour(url, 2000)
  const idle = await neighbour(url, MEASURE_MS / 2)
  const ending = new AbortController()
  const statuses = new Map<number, number>()
  const attackers = Array.from({ length: ATTACKERS }, (_, index) =>
    attack(url, index % 2 === 0 ? token : session, { statuses, signal: ending.signal, turn: index }),
  )
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const attacked = await neighbour(url, MEASURE_MS)
  ending.abort()
  await Promise.all(attackers)
  const told = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  console.log(
    `${values.engine}: ${ATTACKERS} at once ask the most expensive of ${COMPANIES} companies (answers: ${told})`,
  )
  for (const kind of ['list', 'filtered'] as const) tell(kind, idle[kind], attacked[kind])
}

function tell(kind: string, idle: readonly number[], attacked: readonly number[]): void {
  const row = (times: readonly number[]) =>
    `p50 ${percentile([...times], 50).toFixed(1)} ms, p99 ${percentile([...times], 99).toFixed(1)} ms (${times.length})`
  const ratio = percentile([...attacked], 99) / percentile([...idle], 99)
  console.log(`  ${kind}: idle ${row(idle)}; under attack ${row(attacked)}`)
  console.log(`  ${kind}: ratio of the p99s ${ratio.toFixed(1)} (wanted: ${WANTED} at most)`)
}

type Times = { list: number[]; filtered: number[] }

/** Lists 15 companies a few times a second, in turn as they are and by a filter. */
async function neighbour(url: string, ms: number): Promise<Times> {
  const times: Times = { list: [], filtered: [] }
  const until = performance.now() + ms
  for (let turn = 0; performance.now() < until; turn++) {
    const part = ['an', 'or', 'in', 'er', 'ar'][turn % 5]
    // A page of its own each time, so that no answer is remembered.
    const asked = turn % 2 === 0 ? `page=${1 + (turn % 9)}` : `filter[name][$contains]=${part}&page=${1 + (turn % 7)}`
    const started = performance.now()
    const response = await fetch(`${url}/api/v1/companies?${asked}`, {
      headers: { Authorization: `Bearer ${small.token}` },
    })
    await response.text()
    if (response.status !== 200) throw new Error(`The neighbour was answered ${response.status}.`)
    times[turn % 2 === 0 ? 'list' : 'filtered'].push(performance.now() - started)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return times
}

type Attack = { statuses: Map<number, number>; signal: AbortSignal; turn: number }

async function attack(url: string, { path, headers }: Sender, { statuses, signal, turn }: Attack): Promise<void> {
  for (let round = turn; !signal.aborted; round += ATTACKERS) {
    const { at, body } = heavy(round, path)
    const sent = { ...headers, 'Content-Type': 'application/json' }
    try {
      const response = await fetch(url + at, { method: 'POST', headers: sent, body: JSON.stringify(body), signal })
      await response.arrayBuffer()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    } catch {
      // It was ended together with the measurement.
    }
  }
}

/** The most expensive that is allowed, each time with other words. */
function heavy(round: number, path: string): { at: string; body: unknown } {
  const words = Array.from({ length: 20 }, (_, index) => `${'aeiou'[index % 5]}${round}q${index}`)
  const nested = { $not: { $or: words.map((word) => ({ people: { company: { name: { $contains: word } } } })) } }
  const plain = { $and: words.map((word) => ({ $not: { name: { $contains: word } } })) }
  const sort = 'custom_fields.founded,custom_fields.revenue,custom_fields.employees'
  switch (round % 4) {
    case 0:
      return { at: `${path}/companies/query`, body: { filter: plain, sort, per_page: 100 } }
    case 1:
      return { at: `${path}/companies/query`, body: { filter: nested, sort } }
    case 2:
      return { at: `${path}/companies/query`, body: { filter: plain, page: COMPANIES / 100, per_page: 100 } }
    default:
      return path.endsWith('/v1') && path.startsWith('/api/app')
        ? { at: path.replace(/v1$/, 'summarize'), body: { resource: 'companies', measure: 'count', filter: nested } }
        : { at: `${path}/people/query`, body: { filter: { company: nested }, sort: 'name' } }
  }
}

/** Someone who may only read, with a password. */
async function newViewer({ url, secret, slug }: BenchData): Promise<string> {
  const engine = openEngine({ url, connections: 2 }, { writes: true })
  const runtime = { engine, secret, now: () => new Date() }
  const email = `viewer-${Date.now()}@example.com`
  await createUser(runtime, { name: 'Viewer', email, password: PASSWORD })
  await addMember(await enterAsOperator(runtime, slug), { email, role: 'viewer' })
  await engine.close()
  return email
}

async function signIn(url: string): Promise<Record<string, string>> {
  const headers = { 'X-Kith-App': '1', 'Content-Type': 'application/json' }
  const body = JSON.stringify({ email: viewer, password: PASSWORD })
  const response = await fetch(`${url}/api/app/sign-in`, { method: 'POST', headers, body })
  if (response.status !== 200) throw new Error(`Signing in was answered ${response.status}.`)
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return { 'X-Kith-App': '1', Cookie: cookies.join('; ') }
}
