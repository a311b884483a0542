import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Service, startService } from '../server/test/setup/service.ts'
import { type Attack, attacks, type Order, type Site } from './attacks.ts'
import { type BenchData, cachedData, createWorkspace } from './data.ts'
import { kith, SECRET } from './kith.ts'
import { memoryMegabytes } from './load.ts'
import { percentile } from './numbers.ts'
import { startServer } from './postgres.ts'
import { rateLimits } from './sides.ts'

/**
 * How much attacks with legal requests slow down a small workspace, and `/healthz`. Rate limits are off: all other
 * limits must be enough. Each attack has its own service.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    companies: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '20' },
    /** A regular expression for the names of the attacks. */
    attack: { type: 'string', default: '' },
    /** Another version, to compare. */
    checkout: { type: 'string' },
  },
})
const COMPANIES = Number(values.companies)
const MEASURE_MS = Number(values.seconds) * 1000
const IDLE_MS = MEASURE_MS / 2
const PAUSE_MS = 20
const HEALTH_MS = 25
/** What is wanted: the p99 under attack is at most so many times that of an idle service, and `/healthz` so fast. */
const RATIO = 4
const HEALTH_MAX_MS = 250
const PASSWORD = randomBytes(12).toString('hex')
const VIEWER = 'viewer@example.com'
const NEIGHBOUR = 'neighbour@example.com'

const { checkout } = values
const server = values.database === 'postgres' ? await startServer() : undefined
const sizes = { companies: COMPANIES, people: COMPANIES / 5 }
const { copy } = await cachedData({ database: server ? 'postgres' : 'sqlite', sizes, checkout, server: server?.url })
const large = await copy('neighbours')
const small = createWorkspace(large, 'small', { companies: 1000 })
const token = createNeighbour()
const second = createWorkspace(large, 'second', { companies: COMPANIES / 4, people: COMPANIES / 20 })
createViewer([large, second])
try {
  const columns = ['attack', 'idle p99', 'p99', 'slowest', 'ratio', 'failed', 'slowest healthz', 'memory', 'answers']
  console.log(`${values.database}, ${COMPANIES} companies; wanted: ratio < ${RATIO}, healthz < ${HEALTH_MAX_MS} ms`)
  console.log(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`)
  for (const attack of attacks.filter(({ name }) => new RegExp(values.attack).test(name))) {
    console.log(`| ${(await measure(attack)).join(' | ')} |`)
  }
} finally {
  await server?.stop()
}

async function measure(attack: Attack): Promise<string[]> {
  const env = { DATABASE_URL: large.url, SECRET, ...rateLimits(0), QUERY_SECONDS: '10', REQUEST_SECONDS: '60' }
  const service = await startService(env, checkout)
  const child = fork(join(import.meta.dirname, 'attacks.ts'))
  try {
    const { url } = service
    const slugs = [large.slug, second.slug] as const
    const site: Site = { url, token: large.token, session: await signIn(url), slugs, companies: COMPANIES }
    child.send({ prepare: attack.name, site } satisfies Order)
    const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${attack.name} could not be prepared.`)))
    await Promise.race([once(child, 'message'), failed])
    failed.catch(() => {})
    const watching = { service, token }
    await neighbour(watching, 3000)
    const idle = await neighbour(watching, IDLE_MS)
    const answers = new Map<number, number>()
    child.on('message', (status: number) => answers.set(status, (answers.get(status) ?? 0) + 1))
    child.send('go' satisfies Order)
    await setTimeout(1000)
    return row(attack, { idle, attacked: await neighbour(watching, MEASURE_MS), answers })
  } finally {
    child.kill()
    await service.stop()
  }
}

type Seen = { times: number[]; failed: number; health: number[]; memory: number }
type Result = { idle: Seen; attacked: Seen; answers: ReadonlyMap<number, number> }

function row({ name }: Attack, { idle, attacked, answers }: Result): string[] {
  const ms = (time: number) => `${time.toFixed(time < 10 ? 1 : 0)} ms`
  const [before, now] = [percentile([...idle.times], 99), percentile([...attacked.times], 99)]
  const counts = [...answers].map(([status, count]) => `${count} × ${status || 'closed'}`).join(', ')
  const failed = `${attacked.failed} of ${attacked.times.length}`
  const times = [ms(before), ms(now), ms(Math.max(...attacked.times)), (now / before).toFixed(1)]
  return [name, ...times, failed, ms(Math.max(...attacked.health)), `${attacked.memory} MB`, counts || 'none']
}

/** Reads a record, lists, filters and writes, in turn, and asks for `/healthz` besides. */
async function neighbour({ service, token }: { service: Service; token: string }, ms: number): Promise<Seen> {
  const seen: Seen = { times: [], failed: 0, health: [], memory: 0 }
  const until = performance.now() + ms
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const send = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${service.url}/api/v1/companies${path}`, { headers, ...init })
    return { status: response.status, text: await response.text() }
  }
  const paths = [
    (turn: number) => `?page=${1 + (turn % 9)}`,
    (turn: number) => `?filter[name][$contains]=${['an', 'or', 'in', 'er', 'ar'][turn % 5]}&page=${1 + (turn % 7)}`,
  ]
  let ids: string[] = []
  const turn = async (index: number) => {
    if (ids.length === 0) {
      const { status, text } = await send('?per_page=100')
      // The list of companies is read for its ids.
      if (status === 200) ids = (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id)
      return status
    }
    const id = ids[index % ids.length]
    const put = { method: 'PUT', body: JSON.stringify({ name: `Company ${index}` }) }
    if (index % 4 === 3) return (await send(`/${id}`, put)).status
    return (await send(paths[(index % 4) - 1]?.(index) ?? `/${id}`)).status
  }
  const client = async () => {
    for (let index = 0; performance.now() < until; index++) {
      const started = performance.now()
      const status = await turn(index).catch(() => 0)
      seen.times.push(performance.now() - started)
      if (status !== 200) seen.failed++
      await setTimeout(PAUSE_MS)
    }
  }
  const watch = async () => {
    while (performance.now() < until) {
      const started = performance.now()
      await fetch(`${service.url}/healthz`).then((response) => response.arrayBuffer())
      seen.health.push(performance.now() - started)
      seen.memory = Math.max(seen.memory, memoryMegabytes(service.process.pid ?? 0))
      await setTimeout(HEALTH_MS)
    }
  }
  await Promise.all([client(), watch()])
  return seen
}

/** Has nothing in common with those who attack. Shares are counted per user as well. */
function createNeighbour(): string {
  kith(large, ['user', 'create', '--name', 'Neighbour', '--email', NEIGHBOUR])
  kith(large, ['member', 'add', '--workspace', small.slug, '--email', NEIGHBOUR, '--role', 'admin'])
  const options = ['--workspace', small.slug, '--user', NEIGHBOUR, '--name', 'bench', '--abilities', 'read,update']
  return kith<{ token: string }>(large, ['token', 'create', ...options]).token
}

/** A member of these workspaces who may only read, with a password. */
function createViewer(workspaces: readonly BenchData[]): void {
  kith(large, ['user', 'create', '--name', 'Viewer', '--email', VIEWER, '--password-stdin'], PASSWORD)
  for (const { slug } of workspaces) {
    kith(large, ['member', 'add', '--workspace', slug, '--email', VIEWER, '--role', 'viewer'])
  }
}

async function signIn(url: string): Promise<Record<string, string>> {
  const headers = { 'X-Kith-App': '1', 'Content-Type': 'application/json' }
  const body = JSON.stringify({ email: VIEWER, password: PASSWORD })
  const response = await fetch(`${url}/api/app/sign-in`, { method: 'POST', headers, body })
  if (response.status !== 200) throw new Error(`Signing in got ${response.status}.`)
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return { 'X-Kith-App': '1', Cookie: cookies.join('; ') }
}
