import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerpt } from '../excerpt.ts'
import { aField, asked, entry, indexed, operandProblems, parsed, presented, problems } from './test-field.ts'

const field = aField('domain')
const refused = (raw: string) =>
  `The It value ${excerpt(raw)} must be a domain such as example.com, or the address of a website under it.`

describe('a domain', () => {
  it.each([
    ['example.com', 'example.com'],
    [' WWW.Example.COM. ', 'example.com'],
    ['https://www.example.com/about?x=1#y', 'example.com'],
    ['http://sub.example.com:8080', 'sub.example.com'],
    ['example.com/path', 'example.com'],
    ['www.www.example.com', 'example.com'],
    ['www.com', 'www.com'],
    ['BÜCHER.de', 'xn--bcher-kva.de'],
    ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['食狮。中国', 'xn--85x722f.xn--fiqs8s'],
    ['a-b.example.co.uk', 'a-b.example.co.uk'],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: [stored], issues: [] })
  })

  it.each([
    'example',
    'localhost',
    'ada@example.com',
    'https://user@example.com',
    'ftp://example.com',
    '127.0.0.1',
    '１２７.0.0.1',
    'http://[::1]/',
    'exa mple.com',
    'exa_mple.com',
    '-example.com',
    'example-.com',
    'example..com',
    '.example.com',
    'example.com..',
    'example.123',
    'http://',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(127)}com`,
    '*.example.com',
    'example.com, example.org',
  ])('refuses %j', (raw) => {
    expect(problems(field, ['a.com', raw])).toEqual([`custom_fields.it.1: ${refused(raw)}`])
  })

  it('is the same as a bare host or a full URL, with or without www.', () => {
    const spellings = ['https://www.example.com/x', 'EXAMPLE.com', 'www.example.com']
    expect(parsed(field, spellings).value).toEqual(['example.com'])
    expect(asked(field, { $has_none: spellings }).value).toEqual({ test: 'none', keys: Array(3).fill('example.com') })
    expect(indexed(field, ['example.com'])).toEqual([entry({ match_key: 'example.com' })])
    expect(operandProblems(field, { $has_any: ['example.com', 'nothing'] })).toEqual([
      `it.$has_any.1: ${refused('nothing')}`,
    ])
  })

  it('comes back as it was read', () => {
    fc.assert(
      fc.property(fc.domain(), fc.constantFrom('', 'www.', 'https://www.', 'WWW.www.'), (host, before) => {
        const stored = parsed(field, before + host).value
        fc.pre(stored !== undefined && stored !== null)
        expect(parsed(field, presented(field, stored)).value).toEqual(stored)
      }),
    )
  })
})
