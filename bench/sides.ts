import { startService } from '../server/test/setup/service.ts'
import { type Case, casesFor, type Width } from './cases.ts'
import { cachedData, type Database, type Sizes } from './data.ts'
import { SECRET, thisCheckout } from './kith.ts'
import { calibrate, load, type Measured, memoryMegabytes, stopGenerators, type Target } from './load.ts'
import { percentile } from './numbers.ts'
import { startServer } from './postgres.ts'
import { startWriter } from './writer.ts'

/** One of the services that are measured in turn. */
export type SideOptions = {
  name: string
  database: Database
  sizes: Sizes
  /** Rate limits are either off, or on and too high to be reached. */
  limits?: boolean
  checkout?: string
  widths?: readonly Width[]
  /** The folder in which the service leaves a CPU profile of each of its threads when it stops. */
  profile?: string | undefined
}
export type Side = Target & { name: string; cases: Case[]; companies: { id: string; name: string }[]; restMB: number }
export type Rounds = { rounds: number; seconds: number }

const REST_MS = 5000

export function rateLimits(limit: number): Record<string, string> {
  const names = [
    'RATE_LIMIT_WORKSPACE',
    'RATE_LIMIT_READS',
    'RATE_LIMIT_WRITES',
    'RATE_LIMIT_ITEMS',
    'RATE_LIMIT_SESSION',
  ]
  return Object.fromEntries(names.map((name) => [name, String(limit)]))
}

/** Starts every side on its own copy of its data and stops all of them after the work. */
export async function withSides<T>(wanted: readonly SideOptions[], work: (sides: Side[]) => Promise<T>): Promise<T> {
  const server = wanted.some(({ database }) => database === 'postgres') ? await startServer() : undefined
  const stops: (() => unknown)[] = []
  try {
    const sides: Side[] = []
    for (const options of wanted) {
      const { side, stop } = await startSide(options, server)
      stops.push(stop)
      sides.push(side)
    }
    return await work(sides)
  } finally {
    for (const stop of stops) await stop()
    stopGenerators()
    await server?.stop()
  }
}

async function startSide(options: SideOptions, running: { url: string; pid: number } | undefined) {
  const { name, database, sizes, checkout, limits, widths, profile } = options
  const server = database === 'postgres' ? running : undefined
  const { copy } = await cachedData({ database, sizes, checkout, server: server?.url })
  const { url, token } = await copy(name.replaceAll(/\W+/g, '_'))
  const env = { DATABASE_URL: url, SECRET, ...rateLimits(limits ? 1e9 : 0), QUERY_SECONDS: '60' }
  const profiling: Record<string, string> = profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` } : {}
  const service = await startService({ ...env, ...profiling }, checkout ?? thisCheckout)
  const pid = service.process.pid ?? 0
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const restMB = memoryMegabytes(pid)
  const api = `${service.url}/api/v1`
  const target = { name, api, token, pid, database: server?.pid, restMB }
  return { side: { ...target, ...(await casesFor({ api, token }, widths)) }, stop: service.stop }
}

/** Measures a case on all sides in alternating rounds, with the writer running, and returns the median of each side. */
export async function measureCase(sides: readonly Side[], name: string, { rounds, seconds }: Rounds) {
  const measured = sides.map((side) => ({ side, one: caseOf(side, name), amount: 0, all: [] as Measured[] }))
  for (const each of measured) {
    each.amount = await withWriter(each.side, () => calibrate(each.side, each.one, seconds))
  }
  for (let round = 0; round < rounds; round++) {
    for (const { side, one, amount, all } of measured) {
      all.push(await withWriter(side, () => load(side, one, { amount })))
    }
  }
  return measured.map(({ all }) => medianOf(all))
}

function caseOf({ cases }: Side, name: string): Case {
  const one = cases.find((each) => each.name === name)
  if (!one) throw new Error(`There is no case ${name}.`)
  return one
}

async function withWriter<T>(side: Side, work: () => Promise<T>): Promise<T> {
  const writer = startWriter(side, side.companies)
  try {
    return await work()
  } finally {
    await writer.stop()
  }
}

function medianOf(all: readonly Measured[]): Measured {
  const median = (key: keyof Measured) =>
    percentile(
      all.map((one) => one[key]),
      50,
    )
  return {
    perSecond: median('perSecond'),
    p50: median('p50'),
    p99: median('p99'),
    errors: all.reduce((sum, one) => sum + one.errors, 0),
    cpuMicros: median('cpuMicros'),
  }
}
