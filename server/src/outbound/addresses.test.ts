import { describe, expect, it } from 'vitest'
import { isAllowedAddress, isAllowedHost, isPublicAddress, parseAllowedHosts } from './allowed-url.ts'

describe('isPublicAddress', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '224.0.0.1',
    '239.1.2.3',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '::',
    '::1',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '2001::1',
    '2001:10::1',
    '3fff::1',
    '5f00::1',
    '4000::1',
    'e000::1',
    // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4.
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '::7f00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::7f00:1',
    '64:ff9b:1::808:808',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2002:a9fe:a9fe::',
    'fe80::1%eth0',
    'localhost',
    '127.1',
    '0x7f.1',
    '2130706433',
    '',
    '1.2.3.4.5',
  ])('is false for %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '192.169.0.1',
    '2606:4700:4700::1111',
    '2a00:1450::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('is true for %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('what an operator allows', () => {
  const allowed = parseAllowedHosts('hooks.internal, 10.1.0.0/16,192.168.7.7 , fd00::/8,[::1]') ?? fail()

  it('is hosts by name', () => {
    expect(isAllowedHost(allowed, 'HOOKS.internal.')).toBe(true)
    expect(isAllowedHost(allowed, 'other.hooks.internal')).toBe(false)
  })

  it('is addresses by network, also when they are mapped', () => {
    for (const address of ['10.1.2.3', '192.168.7.7', 'fd00::1', '::1', '::ffff:10.1.2.3']) {
      expect(isAllowedAddress(allowed, address), address).toBe(true)
    }
    for (const address of ['10.2.0.1', '192.168.7.8', '127.0.0.1', 'fe80::1', 'hooks.internal']) {
      expect(isAllowedAddress(allowed, address), address).toBe(false)
    }
  })

  it.each(['10.0.0.0/33', 'http://a.b', 'a b', 'a/8', '-a'])('is not %s', (text) => {
    expect(parseAllowedHosts(text)).toBeUndefined()
  })
})

function fail(): never {
  throw new Error('The list was not read.')
}
