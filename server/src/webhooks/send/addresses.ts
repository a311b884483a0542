import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What an operator allows: hosts by name, and networks in CIDR notation. Addresses are networks of one address. */
export type AllowedHosts = { hosts: readonly string[]; networks: readonly string[] }

/** Whether anybody on the internet can have this address. Everything else may be a part of this installation. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast'
  const embedded = embeddedIPv4(parsed)
  if (embedded) return embedded.range() === 'unicast'
  return parsed.range() === 'unicast' && isGlobalUnicast(parsed)
}

/** The IPv4 address that packets to an IPv6 address end at: mapped, translated by NAT64, or tunnelled by 6to4. */
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

/** 2000::/3 is all that was ever assigned. The rest holds the old forms of embedded addresses, among others. */
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

/** A comma list of hosts, addresses and networks. Undefined if a part of it is none of them. */
export function parseAllowedHosts(text: string): AllowedHosts | undefined {
  const hosts: string[] = []
  const networks: string[] = []
  for (const part of text.split(',').map((one) => plainHost(one.trim()))) {
    if (part === '') continue
    if (isIP(part) !== 0) networks.push(`${part}/${isIP(part) === 4 ? 32 : 128}`)
    else if (part.includes('/') && ipaddr.isValidCIDR(part)) networks.push(part)
    else if (/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(part)) hosts.push(part)
    else return undefined
  }
  return { hosts, networks }
}
