import { type Issue, reportInto } from '@kith/contract/issue'
import { describe, expect, it } from 'vitest'
import { type AllowedHosts, isPermitted, parseEndpointUrl, type UrlRules } from './allowed-url.ts'

const none: AllowedHosts = { hosts: [], networks: [] }
const rules: UrlRules = { allow: none, own: ['crm.example.com:443'] }

function problems(url: unknown, given = rules): string[] {
  const issues: Issue[] = []
  parseEndpointUrl(url, given, reportInto(issues))
  return issues.map(({ path, message }) => `${path}: ${message}`)
}

describe('the URL of an endpoint', () => {
  it.each(['https://example.com/hook', 'https://example.com:8443/a?b=c', 'https://1.1.1.1/', 'HTTPS://EXAMPLE.com'])(
    'can be %s',
    (url) => expect(problems(url)).toEqual([]),
  )

  it.each([
    ['http://example.com/', /must begin with https/],
    ['ftp://example.com/', /must begin with https/],
    ['https://user:pass@example.com/', /credentials/],
    ['https://user@example.com/', /credentials/],
    ['https://example.com/#part', /fragment/],
    ['https://example.com/#', /fragment/],
    ['https://crm.example.com/hook', /this installation/],
    ['https://CRM.example.com.:443/hook', /this installation/],
    [`https://example.com/${'a'.repeat(2048)}`, /2048/],
    ['example.com', /https address/],
    [42, /https address/],
    [null, /https address/],
  ])('cannot be %s', (url, message) => {
    expect(problems(url)).toEqual([expect.stringMatching(message)])
  })

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.1.',
    '１２７.0.0.1',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '0xA000001',
    '192.168.0.1',
    '3232235521',
    '172.16.0.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.1.1.1',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[fe80::1]',
    '127.0.1',
    '0x7f.0x0.0x0.0x1',
    '0x7F000001',
    '①②⑦.⓪.⓪.①',
    '%31%32%37.0.0.1',
    '127.0.0.1:443',
    '0000:8443',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::FFFF:7F00:1]',
    '[::ffff:a9fe:a9fe]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:a9fe:a9fe::]',
    '[::7f00:1]',
    '[FEBF::1]',
    '[fec0::1]',
    '[::1]:8443',
    '[fd00::1]',
    '[ff02::1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '[2002:7f00:1::]',
    '[2002:c0a8:1::1]',
  ])('cannot be a private address, however it is written: %s', (host) => {
    expect(problems(`https://${host}/hook`)).toEqual([expect.stringMatching(/private, local or reserved/)])
  })

  it('can be what the operator allows, also with http', () => {
    const allow = { hosts: ['receiver'], networks: ['127.0.0.0/8'] }
    for (const url of [
      'http://receiver:4000/',
      'https://127.0.0.1/',
      'http://127.0.0.1:9/',
      'http://[::ffff:127.0.0.1]/',
    ]) {
      expect(problems(url, { ...rules, allow })).toEqual([])
    }
    expect(problems('http://10.0.0.1/', { ...rules, allow })).toHaveLength(1)
    expect(problems('https://10.0.0.1/', { ...rules, allow })).toHaveLength(1)
    expect(problems('http://receiver/', rules)).toHaveLength(1)
  })
})

it('a name goes only to addresses that are public or allowed, and without TLS only to allowed ones', () => {
  const allow = { hosts: ['receiver'], networks: ['10.0.0.0/8'] }
  expect(isPermitted(none, { host: 'a.com', address: '8.8.8.8' })).toBe(true)
  expect(isPermitted(none, { host: 'a.com', address: '127.0.0.1' })).toBe(false)
  expect(isPermitted(allow, { host: 'a.com', address: '10.1.1.1', plain: true })).toBe(true)
  expect(isPermitted(allow, { host: 'a.com', address: '8.8.8.8', plain: true })).toBe(false)
  expect(isPermitted(allow, { host: 'receiver', address: '192.168.0.1', plain: true })).toBe(true)
})
