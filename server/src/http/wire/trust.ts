import { BlockList, isIP } from 'node:net'

/** Which proxies to trust: all callers, none, the last so many hops, or these addresses and networks. */
export type Trust = boolean | number | string[]

/** Whether the machine at an address is a trusted proxy. `hop` is 0 for the machine that connected to us. */
export type TrustedProxy = (address: string | undefined, hop: number) => boolean

/** The networks that have names in `TRUST_PROXY`. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** One rule for everything that a proxy forwards: addresses, host names and protocols. */
export function trustedProxy(trust: Trust): TrustedProxy {
  if (typeof trust === 'boolean') return () => trust
  if (typeof trust === 'number') return (_address, hop) => hop < trust
  const proxies = new BlockList()
  for (const network of trust.flatMap((one) => NAMED[one] ?? [one])) {
    const [address = '', bits] = network.split('/')
    const family = familyOf(address)
    proxies.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  return (address) => address !== undefined && isIP(address) !== 0 && proxies.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
