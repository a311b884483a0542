import { isIP } from 'node:net'
import type { Report } from '@kith/contract/issue'
import { WEBHOOK_URL_MAX } from '@kith/contract/limits'
import ipaddr from 'ipaddr.js'

/** The rules of the installation for the URLs of endpoints. `own` are its own hosts with their ports. */
export type UrlRules = { allow: AllowedHosts; own: readonly string[] }

/** Parses the URL of an endpoint. Names are resolved with each attempt, not here. */
export function parseEndpointUrl(raw: unknown, rules: UrlRules, report: Report): string {
  const url = typeof raw === 'string' && raw.length <= WEBHOOK_URL_MAX ? URL.parse(raw.trim()) : null
  const problem = url ? urlProblem(url, rules) : `must be an https address of at most ${WEBHOOK_URL_MAX} characters.`
  if (problem !== undefined) report('url', `The url ${problem}`)
  return url?.href ?? ''
}

function urlProblem(url: URL, rules: UrlRules): string | undefined {
  const host = plainHost(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && mayBePlain(rules.allow, host))) {
    return 'must begin with https://. The operator of this installation can allow hosts with http.'
  }
  if (url.href.length > WEBHOOK_URL_MAX) return `must not be longer than ${WEBHOOK_URL_MAX} characters.`
  if (url.username !== '' || url.password !== '') return 'must not contain credentials. Verify the signature instead.'
  if (url.hash !== '' || url.href.endsWith('#')) return 'must not contain a fragment (#…).'
  if (rules.own.includes(hostAndPort(url))) return 'must not be the address of this installation.'
  if (isIP(host) !== 0 && !isPermitted(rules.allow, { host, address: host })) {
    return 'must not be a private, local or reserved address.'
  }
  return undefined
}

/** A name can resolve to an allowed network. Each attempt checks that. */
function mayBePlain(allow: AllowedHosts, host: string): boolean {
  if (isAllowedHost(allow, host)) return true
  return isIP(host) === 0 ? allow.networks.length > 0 : isAllowedAddress(allow, host)
}

/** A host and its port, in the form of `own`. */
export function hostAndPort(url: URL): string {
  return `${plainHost(url.hostname)}:${portOf(url)}`
}

export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
}

/** Whether an attempt may connect to an address. Without TLS, only to hosts and networks that the operator allows. */
export function isPermitted(
  allow: AllowedHosts,
  { host, address, plain = false }: { host: string; address: string; plain?: boolean },
): boolean {
  if (isAllowedHost(allow, host) || isAllowedAddress(allow, address)) return true
  return !plain && isPublicAddress(address)
}

/**
 * The targets that an operator allows: hosts by name, and networks in CIDR notation. Addresses are networks of one
 * address.
 */
export type AllowedHosts = { hosts: readonly string[]; networks: readonly string[] }

/** Whether an address is public. All others may belong to the network of this installation. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast'
  const embedded = embeddedIPv4(parsed)
  if (embedded) return embedded.range() === 'unicast'
  return parsed.range() === 'unicast' && isGlobalUnicast(parsed)
}

/** The IPv4 address that an IPv6 address leads to: mapped, translated by NAT64, or tunnelled by 6to4. */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray()
  switch (address.range()) {
    case 'ipv4Mapped':
      return new ipaddr.IPv4(bytes.slice(12, 16))
    case 'rfc6052':
      // The other prefix, 64:ff9b:1::/48, is for use inside a network.
      return address.parts.slice(2, 6).some((part) => part !== 0) ? undefined : new ipaddr.IPv4(bytes.slice(12, 16))
    case '6to4':
      return new ipaddr.IPv4(bytes.slice(2, 6))
    default:
      return undefined
  }
}

/** Only 2000::/3 is assigned. The rest contains old forms of embedded addresses, among others. */
function isGlobalUnicast(address: ipaddr.IPv6): boolean {
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}

/** Whether the operator allows a host by its name. */
export function isAllowedHost({ hosts }: AllowedHosts, host: string): boolean {
  return hosts.includes(plainHost(host))
}

/** Whether the operator allows an address. A mapped address counts as the IPv4 address. */
export function isAllowedAddress({ networks }: AllowedHosts, address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network)
    return range.kind() === parsed.kind() && parsed.match(range, bits)
  })
}

/** A host without the brackets of IPv6 and the dot at the end of a full name. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}

/** Parses a comma-separated list of hosts, addresses and networks. Undefined if one of them is invalid. */
export function parseAllowedHosts(text: string): AllowedHosts | undefined {
  const hosts: string[] = []
  const networks: string[] = []
  for (const part of text.split(',').map((one) => plainHost(one.trim()))) {
    if (part === '') continue
    // Not the names of hosts: the setting is taken for a switch.
    if (part === 'true' || part === 'false') return undefined
    if (isIP(part) !== 0) networks.push(`${part}/${isIP(part) === 4 ? 32 : 128}`)
    else if (part.includes('/') && ipaddr.isValidCIDR(part)) networks.push(part)
    else if (/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(part)) hosts.push(part)
    else return undefined
  }
  return { hosts, networks }
}
