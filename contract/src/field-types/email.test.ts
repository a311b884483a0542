import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerpt } from '../excerpt.ts'
import { aField, asked, entry, indexed, parsed, presented, problems } from './test-field.ts'

const field = aField('email')
const label = 'a'.repeat(63)

describe('an email address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    [' Ada.Lovelace+crm@Example.COM ', 'Ada.Lovelace+crm@Example.COM'],
    ["o'brien_x-1@sub.example.co.uk", "o'brien_x-1@sub.example.co.uk"],
    ['jörg@bücher.de', 'jörg@bücher.de'],
    ['a@xn--bcher-kva.de', 'a@xn--bcher-kva.de'],
    [`${'l'.repeat(64)}@example.com`, `${'l'.repeat(64)}@example.com`],
    [`a@${label}.${label}.${label}.example.com`, `a@${label}.${label}.${label}.example.com`],
  ])('%j is kept as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: [stored], issues: [] })
  })

  it.each([
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'a@b@example.com',
    'a b@example.com',
    'a\u200bb@example.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    '"a b"@example.com',
    'Ada <ada@example.com>',
    'a,b@example.com',
    'mailto:ada@example.com',
    'a@example.com.',
    'a@.example.com',
    'a@exa mple.com',
    'a@exa_mple.com',
    'a@-example.com',
    'a@127.0.0.1',
    'a@[127.0.0.1]',
    'a@example.com/path',
    'a@example%2ecom',
    `${'l'.repeat(65)}@example.com`,
    `a@${label}a.com`,
  ])('refuses %j', (raw) => {
    expect(problems(field, ['b@example.com', raw])).toEqual([
      `custom_fields.it.1: The It value ${excerpt(raw)} must be a valid email address, such as ada@example.com.`,
    ])
  })

  it('is no longer than 254 characters', () => {
    const host = `${label}.${label}.${label}.com`
    const longest = `${'l'.repeat(253 - host.length)}@${host}`
    expect(longest).toHaveLength(254)
    expect(parsed(field, longest).value).toEqual([longest])
    expect(problems(field, `l${longest}`)).toEqual([
      'custom_fields.it.0: The It must not have an address longer than 254 characters.',
    ])
  })

  it('is refused in linear time', () => {
    const started = performance.now()
    for (const part of ['a.', '@', 'a@', '-', '.', 'ä']) problems(field, part.repeat(500_000))
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('is the same in any letter case', () => {
    expect(parsed(field, ['Ada@Example.com', 'ada@example.COM']).value).toEqual(['Ada@Example.com'])
    expect(indexed(field, ['Ada@WWW.Bücher.DE'])).toEqual([
      entry({ match_key: 'ada@www.bücher.de', host_key: 'www.xn--bcher-kva.de' }),
    ])
    expect(asked(field, { $has_any: [' ADA@example.com ', 'no address'] }).value).toEqual({
      test: 'any',
      keys: ['ada@example.com', 'no address'],
    })
  })

  it('comes back as it was read', () => {
    fc.assert(
      fc.property(fc.array(fc.emailAddress(), { minLength: 1, maxLength: 5 }), (sent) => {
        const stored = parsed(field, sent).value
        fc.pre(stored !== undefined && stored !== null)
        expect(parsed(field, presented(field, stored)).value).toEqual(stored)
      }),
    )
  })
})
