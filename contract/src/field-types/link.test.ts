import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerpt } from '../excerpt.ts'
import { boundedKey } from '../fold.ts'
import { aField, asked, entry, indexed, operandProblems, parsed, presented, problems } from './test-field.ts'

const field = aField('link')
const refused = (raw: string) =>
  `The It value ${excerpt(raw)} must be an http or https address of at most 2048 characters, such as https://example.com/about, without spaces, user name or password.`

describe('a link', () => {
  it.each([
    ['https://example.com', 'https://example.com'],
    [' HTTPS://Example.COM/About/ ', 'https://example.com/About'],
    ['example.com', 'example.com'],
    ['Example.com/A/B//', 'example.com/A/B'],
    ['http://example.com/', 'http://example.com'],
    ['https://example.com/?Q=a/', 'https://example.com/?Q=a/'],
    ['https://example.com/#/Home/', 'https://example.com/#/Home/'],
    ['https://example.com?x=1', 'https://example.com?x=1'],
    ['example.com:8080/x', 'example.com:8080/x'],
    ['localhost:3000', 'localhost:3000'],
    ['http://192.168.0.1/x', 'http://192.168.0.1/x'],
    ['http://[2001:DB8::1]:80/', 'http://[2001:db8::1]:80'],
    ['https://BÜCHER.de/ä', 'https://bücher.de/ä'],
    ['https://a_b.example.com', 'https://a_b.example.com'],
    ['https://example.com/a:b@c', 'https://example.com/a:b@c'],
    ['https://en.wikipedia.org/wiki/Ada_(x),_y', 'https://en.wikipedia.org/wiki/Ada_(x),_y'],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: [stored], issues: [] })
  })

  it.each([
    'javascript:alert(1)',
    'JavaScript://example.com/%0aalert(1)',
    'mailto:ada@example.com',
    'ftp://example.com',
    'data:text/html,x',
    'tel:+14155550100',
    'http:example.com',
    'http:/example.com',
    'http://',
    'https:///example.com',
    '//example.com',
    '/about',
    'example',
    'https://example',
    'https://user:pass@example.com',
    'user@example.com',
    'https://example.com\\@evil.com',
    'https://exa mple.com',
    'https://example.com/a b',
    'https://example.com/a\tb',
    'https://example.com:99999',
    'example.com:',
    'https://exam%70le.com',
    'https://1.2.3',
    'https://256.1.1.1',
    'https://[::1',
    'https://-a.com',
    'https://a..com',
    `https://example.com/${'x'.repeat(2029)}`,
  ])('refuses %j', (raw) => {
    expect(problems(field, ['a.com', raw])).toEqual([`custom_fields.it.1: ${refused(raw)}`])
  })

  it('may be 2048 characters long', () => {
    const longest = `https://example.com/${'x'.repeat(2028)}`
    expect(longest).toHaveLength(2048)
    expect(parsed(field, longest).value).toEqual([longest])
    expect(indexed(field, [longest])[0]?.match_key).toBe(boundedKey(longest.slice(8)))
  })

  it('is the same in any letter case, with or without scheme and slash', () => {
    const spellings = ['https://Example.com/About/', 'http://example.com/about', 'EXAMPLE.COM/ABOUT']
    expect(parsed(field, spellings).value).toEqual(['https://example.com/About'])
    expect(asked(field, { $has_any: spellings }).value).toEqual({
      test: 'any',
      keys: ['example.com/about', 'example.com/about', 'example.com/about'],
    })
    expect(parsed(field, ['https://bücher.de', 'http://xn--bcher-kva.de']).value).toEqual(['https://bücher.de'])
  })

  it('is found under its host without www.', () => {
    expect(indexed(field, ['https://www.example.com:8080/Ä'])).toEqual([
      entry({ match_key: 'www.example.com:8080/ä', host_key: 'example.com' }),
    ])
  })

  it('is not looked for as something else', () => {
    expect(operandProblems(field, { $has_any: ['a.com', 'mailto:a@b.com'] })).toEqual([
      `it.$has_any.1: ${refused('mailto:a@b.com')}`,
    ])
  })

  it('comes back as it was read', () => {
    const links = fc.webUrl({ withQueryParameters: true, withFragments: true })
    fc.assert(
      fc.property(links, fc.boolean(), fc.nat(3), (url, bare, slashes) => {
        const sent = (bare ? url.replace(/^https?:\/\//, '') : url) + '/'.repeat(slashes)
        const stored = parsed(field, sent).value
        fc.pre(stored !== undefined && stored !== null)
        expect(parsed(field, presented(field, stored)).value).toEqual(stored)
      }),
    )
  })

  it('is refused in linear time', () => {
    const started = performance.now()
    for (const part of ['/', ':', '.', 'a.', '[', '@', 'http://']) problems(field, part.repeat(300_000))
    for (const part of ['/', ':', '.', 'a.', '[', 'ä']) problems(field, `https://example.com${part.repeat(1000)}`)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
