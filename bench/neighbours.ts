import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { type BenchData, cachedData, createWorkspace } from './data.ts'
import { kith, SECRET } from './kith.ts'
import { percentile } from './numbers.ts'
import { startServer } from './postgres.ts'
import { rateLimits } from './sides.ts'

/**
 * How much a large workspace slows down a small one. It sends the most expensive requests that are allowed, with a
 * token and with the session of a viewer. Rate limits are off: the fair queue and the time limits must be enough.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
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

const server = values.database === 'postgres' ? await startServer() : undefined
const { copy } = await cachedData({
  database: server ? 'postgres' : 'sqlite',
  sizes: { companies: COMPANIES, people: COMPANIES / 5 },
  server: server?.url,
})
const large = await copy('neighbours')
const small = createWorkspace(large, 'small', { companies: 1000 })
const viewer = createViewer(large)
const env = { DATABASE_URL: large.url, SECRET, ...rateLimits(0), QUERY_SECONDS: values['query-seconds'] }
const service = await startService(env)
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
  const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  console.log(`${values.database}: ${ATTACKERS} expensive requests at a time on ${COMPANIES} companies: ${counts}`)
  for (const kind of ['read', 'list', 'filtered'] as const) print(kind, idle[kind], attacked[kind])
}

function print(kind: string, idle: readonly number[], attacked: readonly number[]): void {
  const row = (times: readonly number[]) =>
    `p50 ${percentile([...times], 50).toFixed(1)} ms, p99 ${percentile([...times], 99).toFixed(1)} ms (${times.length})`
  const ratio = percentile([...attacked], 99) / percentile([...idle], 99)
  console.log(`  ${kind}: idle ${row(idle)}; under attack ${row(attacked)}`)
  console.log(`  ${kind}: ratio of the p99s ${ratio.toFixed(1)} (wanted: ${WANTED} at most)`)
}

type Times = { read: number[]; list: number[]; filtered: number[] }

/** Reads a record, lists 15 companies and filters them, in turn, a few times a second. */
async function neighbour(url: string, ms: number): Promise<Times> {
  const times: Times = { read: [], list: [], filtered: [] }
  const kinds = ['read', 'list', 'filtered'] as const
  const send = async (path: string) => {
    const headers = { Authorization: `Bearer ${small.token}` }
    const response = await fetch(`${url}/api/v1/companies${path}`, { headers })
    if (response.status !== 200) throw new Error(`The neighbour got ${response.status}.`)
    // The list of companies is read for its ids; the others for their time alone.
    return (await response.json()) as { data: { id: string }[] }
  }
  const ids = (await send('?per_page=100')).data.map(({ id }) => id)
  const until = performance.now() + ms
  for (let turn = 0; performance.now() < until; turn++) {
    const part = ['an', 'or', 'in', 'er', 'ar'][turn % 5]
    const paths = {
      read: `/${ids[turn % ids.length]}`,
      list: `?page=${1 + (turn % 9)}`,
      filtered: `?filter[name][$contains]=${part}&page=${1 + (turn % 7)}`,
    }
    const kind = kinds[turn % 3] ?? 'read'
    const started = performance.now()
    await send(paths[kind])
    times[kind].push(performance.now() - started)
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
      // Aborted at the end of the measurement.
    }
  }
}

/** The most expensive requests that are allowed, each with other words. */
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

/** A member who may only read, with a password. */
function createViewer(data: BenchData): string {
  const email = 'viewer@example.com'
  kith(data, ['user', 'create', '--name', 'Viewer', '--email', email, '--password-stdin'], PASSWORD)
  kith(data, ['member', 'add', '--workspace', data.slug, '--email', email, '--role', 'viewer'])
  return email
}

async function signIn(url: string): Promise<Record<string, string>> {
  const headers = { 'X-Kith-App': '1', 'Content-Type': 'application/json' }
  const body = JSON.stringify({ email: viewer, password: PASSWORD })
  const response = await fetch(`${url}/api/app/sign-in`, { method: 'POST', headers, body })
  if (response.status !== 200) throw new Error(`Signing in got ${response.status}.`)
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return { 'X-Kith-App': '1', Cookie: cookies.join('; ') }
}
