import { describe, expect, it } from 'vitest'
import { parseHostName, parseHostOperand, parseServer, withoutWww } from './host.ts'
import { type Issue, reportInto } from './issue.ts'

describe('parseHostName', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['Bücher.DE', 'xn--bcher-kva.de'],
    ['XN--BCHER-KVA.de', 'xn--bcher-kva.de'],
    ['_dmarc.example.com', '_dmarc.example.com'],
  ])('reads %s as %s', (text, host) => {
    expect(parseHostName(text)).toBe(host)
  })

  it.each([
    '',
    '.',
    'com',
    'localhost',
    '1.2.3.4',
    'a b.com',
    'a%2eb.com',
    'a/b.com',
    'a.com:80',
    'a\ud800.com',
    '０.０',
  ])('refuses %j', (text) => {
    expect(parseHostName(text)).toBeUndefined()
  })
})

describe('parseServer', () => {
  it.each([
    ['LocalHost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['[2001:DB8:0:0::1]', '[2001:db8::1]'],
    ['example.com', 'example.com'],
  ])('reads %s as %s', (text, host) => {
    expect(parseServer(text)).toBe(host)
  })

  it.each(['300.0.0.1', '1.2.3', '::1', '[:::]', '0x7f.1', '2130706433'])('refuses %s', (text) => {
    expect(parseServer(text)).toBeUndefined()
  })
})

describe('withoutWww', () => {
  it.each([
    ['www.example.com', 'example.com'],
    ['www.www.example.com', 'example.com'],
    ['www.com', 'www.com'],
    ['wwwx.com', 'wwwx.com'],
    ['example.www.com', 'example.www.com'],
  ])('turns %s into %s', (host, bare) => {
    expect(withoutWww(host)).toBe(bare)
  })
})

describe('parseHostOperand', () => {
  it.each([
    [' WWW.Example.com ', 'keep www', 'www.example.com'],
    ['WWW.Example.com', 'drop www', 'example.com'],
    ['bücher.de', 'keep www', 'xn--bcher-kva.de'],
    ['localhost', 'drop www', 'localhost'],
  ] as const)('reads %j (%s) as %s', (raw, rule, host) => {
    expect(parseHostOperand(raw, rule, { path: 'p', report: () => {} })).toBe(host)
  })

  it.each(['https://example.com', 'example.com/x', 'a@example.com', 'example.com:80', 'example', '', 5, null])(
    'refuses %j',
    (raw) => {
      const issues: Issue[] = []
      expect(parseHostOperand(raw, 'keep www', { path: 'p.0', report: reportInto(issues) })).toBeUndefined()
      expect(issues).toEqual([
        { path: 'p.0', message: 'The domain must be a bare host such as example.com, without a scheme or a path.' },
      ])
    },
  )
})
