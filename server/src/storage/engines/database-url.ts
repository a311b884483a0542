import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url)
}

/** The file that `file:` and a path name. */
export function sqlitePath(url: string): string {
  return resolve(url.replace(/^file:(\/\/)?/, ''))
}

/** The required role of a host, in the words of libpq. */
const KINDS = ['any', 'read-write', 'primary'] as const

export type HostKind = (typeof KINDS)[number]

/** An address for each host of a server, and the required role. */
export type Hosts = { urls: readonly [string, ...string[]]; kind: HostKind }

const FORM =
  'Several hosts are postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write, with a ' +
  'port for each of them or for none. target_session_attrs takes any (the default), read-write or primary.'

/** The problem with the hosts of an address, and the accepted forms; undefined if there is none. */
export function hostsProblem(url: string): string | undefined {
  const hosts = parseHosts(url)
  return typeof hosts === 'string' ? `${hosts} ${FORM}` : undefined
}

/** The settings are checked at the start. */
export function hostsIn(url: string): Hosts {
  const hosts = parseHosts(url)
  if (typeof hosts === 'string') throw new Error(`${hosts} ${FORM}`)
  return hosts
}

/** A text describes the problem. */
function parseHosts(url: string): Hosts | string {
  const [, start = '', names = '', path = '', query = ''] =
    /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)\??(.*)$/s.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  const asked = parameters.get('target_session_attrs')
  const kind = KINDS.find((one) => one === (asked ?? 'any'))
  if (!kind) return `target_session_attrs=${asked} is not accepted.`
  const hosts = (parameters.get('host') ?? names).split(',')
  const ports = parameters.get('port')?.split(',') ?? []
  // An address of one host is the driver's business.
  if (hosts.length === 1 && ports.length <= 1 && asked === null) return { urls: [url], kind }
  if (ports.length > 1 && ports.length !== hosts.length) {
    return `There are ${ports.length} ports for ${hosts.length} host${hosts.length === 1 ? '' : 's'}.`
  }
  if (hosts.includes('')) return 'A host has no name.'
  // They are not printed: a password with a slash in it would be taken for one.
  const isHost = (host: string) => /^([^:[\]\s]+|\[[\da-f:.]+\])(:\d+)?$/i.test(host)
  if (!hosts.every(isHost)) return 'A host must be a name or an address, with or without a port.'
  const given = [...ports, ...hosts.flatMap((host) => /:(\d+)$/.exec(host)?.[1] ?? [])]
  const isPort = (port: string) => /^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535
  if (!given.every(isPort)) return 'A port must be a number from 1 to 65535.'
  const urls = hosts.map((host, index) => {
    const own = new URLSearchParams(parameters)
    own.delete('target_session_attrs')
    if (parameters.has('host')) own.set('host', host)
    if (ports.length > 0) own.set('port', ports[index] ?? ports[0] ?? '')
    const rest = own.size === 0 ? '' : `?${own}`
    return `${start}${parameters.has('host') ? names : host}${path}${rest}`
  })
  const [first = url, ...others] = urls
  return { urls: [first, ...others], kind }
}

/**
 * Makes a folder and those above it, readable by the owner only. `mkdirSync` with `recursive` never returns for a path
 * in a file system that refuses folders, such as /proc.
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
