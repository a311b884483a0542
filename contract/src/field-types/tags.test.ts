import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aField, asked, entry, indexed, parsed, presented, problems } from './test-field.ts'

const field = aField('tags-input')

describe('tags', () => {
  it('are kept as typed, two spellings of a word as two tags', () => {
    expect(parsed(field, [' VIP ', 'VIP', 'vip', 'VIP']).value).toEqual([' VIP ', 'VIP', 'vip'])
  })

  it('are no longer than 255 characters', () => {
    expect(parsed(field, '😀'.repeat(255)).value).toEqual(['😀'.repeat(255)])
    expect(problems(field, ['ok', 'x'.repeat(256)])).toEqual([
      'custom_fields.it.1: The It must not have a value longer than 255 characters.',
    ])
  })

  it('are unique by their folded form and found by their exact text', () => {
    expect(indexed(field, ['VIP', 'vip'])).toEqual([
      entry({ match_key: 'vip', exact: 'VIP' }),
      entry({ match_key: 'vip' }),
    ])
    expect(asked(field, { $has_any: ['VIP', 'a,b'] }).value).toEqual({
      test: 'any',
      keys: ['vip', 'a,b'],
      texts: ['VIP', 'a,b'],
    })
    expect(asked(field, { $has_none: 'a,B' }, true).value).toEqual({ test: 'none', keys: ['a,b'], texts: ['a,B'] })
  })

  it('come back as they were read', () => {
    const tag = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1, maxLength: 5 }), (sent) => {
        const stored = parsed(field, sent).value
        fc.pre(stored !== undefined && stored !== null)
        expect(parsed(field, presented(field, stored)).value).toEqual(stored)
      }),
    )
  })
})
