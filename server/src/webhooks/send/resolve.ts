import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { plainHost } from './addresses.ts'

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<string[]>

/**
 * Names are resolved by a DNS client that blocks no thread: a name server that does not answer would take the threads
 * that files and passwords need. Only what DNS does not know, such as the hosts file, is left to the system, one name
 * at a time. `servers` are asked in place of those of the system.
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
    // The names of the own host never leave it.
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
