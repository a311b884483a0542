import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { IN_FLIGHT_MAX } from '@kith/contract/limits'
import { errors, Pool } from 'undici'
import { codeOf } from '../storage/engines/storage-trouble.ts'
import { isPermitted, plainHost, portOf, type UrlRules } from './allowed-url.ts'

export type PoolSettings = {
  rules(): UrlRules
  /** How long a request may take. */
  timeout_ms: number
  resolve?: Resolve | undefined
}

/** Connections that are not used are closed after this time. */
const IDLE_MS = 10_000

/**
 * Connections to URLs that users have chosen. Each request resolves the host once, checks all its addresses, and
 * connects to one of them. `user.name` separates the connections of different users; `user.signal` limits the lookup of
 * the host.
 */
export function openPools({ rules, timeout_ms, resolve }: PoolSettings): {
  to(url: URL, user: { name: string; signal: AbortSignal }): Promise<Pool>
  close(): Promise<void>
} {
  const pools = new Map<string, { pool: Pool; timer: NodeJS.Timeout }>()
  const addressesOf = resolve ?? openResolve()

  async function checkedAddress(url: URL): Promise<string> {
    const { allow, own } = rules()
    const host = plainHost(url.hostname)
    const plain = url.protocol !== 'https:'
    const addresses = await addressesOf(host).catch(() => [])
    const [first] = addresses
    if (first === undefined) throw new Problem('dns')
    const isOwn = (address: string) => own.includes(`${plainHost(address)}:${portOf(url)}`)
    const isFine = (address: string) => isPermitted(allow, { host, address, plain }) && !isOwn(address)
    if (!addresses.every(isFine)) throw new Problem('blocked_address')
    return first
  }

  function poolFor(key: string, url: URL, address: string): Pool {
    const known = pools.get(key)
    const pool = known?.pool ?? newPool(url, address)
    clearTimeout(known?.timer)
    const timer = setTimeout(() => {
      pools.delete(key)
      void pool.close().catch(() => {})
    }, IDLE_MS + timeout_ms).unref()
    pools.set(key, { pool, timer })
    return pool
  }

  return {
    async to(url, { name, signal }) {
      const address = await before(signal, checkedAddress(url))
      return poolFor(`${name} ${url.origin} ${address}`, url, address)
    },
    async close() {
      const open = [...pools.values()]
      pools.clear()
      for (const { timer } of open) clearTimeout(timer)
      await Promise.all(open.map(({ pool }) => pool.destroy()))
    },
  }
}

/** Connects to the checked address only. The name is kept for TLS and Host. */
function newPool(url: URL, address: string): Pool {
  const family = address.includes(':') ? 6 : 4
  return new Pool(url.origin, {
    // Twice as many, because replays run at the same time.
    connections: 2 * IN_FLIGHT_MAX,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS / 2,
    keepAliveMaxTimeout: IDLE_MS / 2,
    allowH2: false,
    connect: {
      lookup: (_host, options, done) => (options.all ? done(null, [{ address, family }]) : done(null, address, family)),
    },
  })
}

/** An error whose message is the code that `errorCode` returns. */
export class Problem extends Error {}

function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const cut = () => reject(new Problem('timeout'))
  signal.addEventListener('abort', cut)
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', cut))
}

/** The code of an error for the log. It must not reveal more about a network than that there was no connection. */
export function errorCode(error: unknown): string {
  if (error instanceof Problem) return error.message
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) return 'invalid_response'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(codeOf(error))) return 'tls'
  return 'connection'
}

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<string[]>

/**
 * Resolves names with a DNS client that blocks no thread: a name server that does not answer would take the threads
 * that files and passwords need. Only names that DNS does not know, such as those in the hosts file, are resolved by
 * the system, one at a time. `servers` replace the name servers of the system.
 */
export function openResolve(servers?: readonly string[]): Resolve {
  const dns = new Resolver({ timeout: 2000, tries: 2 })
  if (servers) dns.setServers(servers)
  const running = new Map<string, Promise<string[]>>()
  let systemTurn: Promise<unknown> = Promise.resolve()

  async function inDns(name: string): Promise<string[]> {
    const found = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)])
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  }

  function inSystem(name: string): Promise<string[]> {
    const found = systemTurn.then(() => lookup(name, { all: true }))
    systemTurn = found.catch(() => {})
    return found.then((all) => all.map(({ address }) => address))
  }

  async function resolve(name: string): Promise<string[]> {
    // Names of the own host are never sent to a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const found = name.includes('.') ? await inDns(name) : []
    return found.length > 0 ? found : inSystem(name)
  }

  return (host) => {
    const name = plainHost(host)
    if (isIP(name) !== 0) return Promise.resolve([name])
    const known = running.get(name)
    if (known) return known
    const found = resolve(name).finally(() => running.delete(name))
    running.set(name, found)
    return found
  }
}
