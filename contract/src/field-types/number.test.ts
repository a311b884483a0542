import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aField, asked, entry, indexed, operandProblems, parsed, presented, problems } from './test-field.ts'

const field = aField('number')

describe('a number', () => {
  it.each([
    [0, 0],
    [-0, 0],
    ['-0', 0],
    [1.5, 1.5],
    ['1.5', 1.5],
    [' +42 ', 42],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1.2E-3', 0.0012],
    ['007', 7],
    [2 ** 53, 2 ** 53],
    [-(2 ** 53), -(2 ** 53)],
    ['9007199254740992', 2 ** 53],
    ['9.007199254740992e15', 2 ** 53],
    [null, null],
    ['', null],
    ['  ', null],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: stored, issues: [] })
  })

  it.each([
    'abc',
    '1,5',
    '0x10',
    'Infinity',
    '1e400',
    Number.POSITIVE_INFINITY,
    Number.NaN,
    '1_000',
    '--1',
    'e5',
    '.',
    '1 2',
    true,
    [1],
    {},
    '1'.repeat(401),
  ])('refuses %j', (raw) => {
    expect(problems(field, raw)).toEqual(['custom_fields.it: The It must be a number.'])
  })

  it.each([2 ** 53 + 2, '9007199254740993', '-9007199254740993', '9007199254740992.5', 1e300])(
    'refuses %j, which it could not keep',
    (raw) => {
      expect(problems(field, raw)).toEqual([
        'custom_fields.it: The It must be between -9007199254740992 and 9007199254740992.',
      ])
    },
  )

  it('is found by its number', () => {
    expect(indexed(field, 1.5)).toEqual([entry({ number_key: 1.5 })])
  })

  it('comes back as it was read', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -(2 ** 53), max: 2 ** 53 }), (sent) => {
        const stored = parsed(field, sent).value ?? null
        expect(parsed(field, presented(field, stored ?? 0)).value).toBe(stored)
        expect(parsed(field, String(sent)).value).toBe(stored)
      }),
    )
  })

  it.each([
    ['$eq', 5, { from: 5, to: 5 }],
    ['$gt', '5', { after: 5 }],
    ['$gte', 5.5, { from: 5.5 }],
    ['$lt', '-1e3', { before: -1000 }],
    ['$lte', 1e300, { to: 1e300 }],
  ] as const)('%s %j asks for a range', (operator, raw, bounds) => {
    expect(asked(field, { [operator]: raw }).value).toEqual({ test: 'number', bounds })
    expect(asked(field, { [operator]: raw }, true).value).toEqual({ test: 'number', bounds })
  })

  it.each([null, '', 'many', true, [5]])('cannot be compared with %j', (raw) => {
    expect(operandProblems(field, { $eq: raw }, true)).toEqual(['it.$eq: The It must be a number.'])
  })
})
