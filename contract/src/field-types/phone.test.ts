import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerpt } from '../excerpt.ts'
import { aField, asked, entry, indexed, operandProblems, parsed, presented, problems } from './test-field.ts'

const field = aField('phone')
const needsCode = (raw: string) =>
  `The It value ${excerpt(raw)} must be a phone number with a country code, such as +1 415 555 0100`

describe('a phone number', () => {
  it.each([
    ['+1 415 555 0100', '+14155550100'],
    ['+1 (415) 555-0100', '+14155550100'],
    [' +1.415.555.0100 ', '+14155550100'],
    ['001 415 555 0100', '+14155550100'],
    ['00 44 20 7946 0958', '+442079460958'],
    ['+44 (0)20 7946 0958', '+442079460958'],
    ['tel:+1-415-555-0100', '+14155550100'],
    ['TEL:+1-415-555-0100;ext=123', '+14155550100;ext=123'],
    ['+1 415 555 0100 ext. 0123', '+14155550100;ext=0123'],
    ['+1 415 555 0100 x9', '+14155550100;ext=9'],
    ['+14155550100;ext=123', '+14155550100;ext=123'],
    ['＋１４１５５５５０１００', '+14155550100'],
    ['+800 1234 5678', '+80012345678'],
    ['+39 06 1234567', '+39061234567'],
    ['+49 30 123456', '+4930123456'],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: [stored], issues: [] })
  })

  it.each(['415 555 0100', '(415) 555-0100', '020 7946 0958', 'call me', '1-800-FLOWERS', '+1'.repeat(200)])(
    'refuses %j without a country code',
    (raw) => {
      expect(problems(field, ['+14155550100', raw])).toEqual([`custom_fields.it.1: ${needsCode(raw)}.`])
    },
  )

  it.each(['+1 415', '+1 415 555 0100 99', '+999 123456789', '+', '+abc', '000123', '+1 415 555 0100 or 0101'])(
    'refuses %j, which can be no number',
    (raw) => {
      expect(problems(field, raw)).toEqual([
        `custom_fields.it.0: ${needsCode(raw)}; this one is too short, too long or of no known country.`,
      ])
    },
  )

  it('is the same in any format, but not with another extension', () => {
    expect(parsed(field, ['+1 415 555 0100', '+1 (415) 555-0100', '+14155550100 x1']).value).toEqual([
      '+14155550100',
      '+14155550100;ext=1',
    ])
    expect(indexed(field, ['+14155550100;ext=1'])).toEqual([entry({ match_key: '+14155550100;ext=1' })])
    expect(asked(field, { $has_any: ['001 (415) 555 0100'] }).value).toEqual({ test: 'any', keys: ['+14155550100'] })
    expect(operandProblems(field, { $has_any: ['+14155550100', '415 555 0100'] })).toEqual([
      `it.$has_any.1: ${needsCode('415 555 0100')}.`,
    ])
  })

  it('comes back as it was read', () => {
    const digits = fc.stringMatching(/^[0-9]{4,14}$/)
    const extension = fc.option(fc.stringMatching(/^[0-9]{1,7}$/), { nil: undefined })
    fc.assert(
      fc.property(digits, extension, (sent, ext) => {
        const stored = parsed(field, `+${sent}${ext === undefined ? '' : ` ext. ${ext}`}`).value
        fc.pre(stored !== undefined && stored !== null)
        expect(parsed(field, presented(field, stored)).value).toEqual(stored)
      }),
    )
    expect(parsed(field, '+97100742636477').value).toEqual(['+971742636477'])
  })
})
