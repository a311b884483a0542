import { IN_FLIGHT_MAX } from '@kith/contract/limits'
import { errors, Pool } from 'undici'
import { codeOf } from '../../scope/error-code.ts'
import { plainHost } from './addresses.ts'
import { isPermitted, portOf, type UrlRules } from './allowed-url.ts'
import { openResolve, type Resolve } from './resolve.ts'

/** For whom a connection is, and until when its host is looked up. Different names do not share connections. */
type For = { name: string; signal: AbortSignal }

type CheckedPools = { to(url: URL, user: For): Promise<Pool>; close(): Promise<void> }

export type PoolSettings = {
  rules(): UrlRules
  /** How long a request may take. */
  timeout_ms: number
  resolve?: Resolve | undefined
}

/** Connections that are not used are closed after this time. */
const IDLE_MS = 10_000

/**
 * Connections to URLs that others have chosen. Each request resolves the name once, checks all addresses, and connects
 * to one of those.
 */
export function openPools({ rules, timeout_ms, resolve }: PoolSettings): CheckedPools {
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
    // As many again for replays.
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

/** Its message is the word that `errorCode` returns. */
export class Problem extends Error {}

function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const cut = () => reject(new Problem('timeout'))
  signal.addEventListener('abort', cut)
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', cut))
}

/** A word for the log. It must not tell more about a network than that there was no connection. */
export function errorCode(error: unknown): string {
  if (error instanceof Problem) return error.message
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) return 'invalid_response'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(codeOf(error))) return 'tls'
  return 'connection'
}
