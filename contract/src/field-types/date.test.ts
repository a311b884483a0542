import { describe, expect, it } from 'vitest'
import { aField, asked, entry, indexed, operandProblems, parsed, problems } from './test-field.ts'

const field = aField('date')

describe('a date', () => {
  it.each([
    ['2026-11-14', '2026-11-14'],
    ['2024-02-29', '2024-02-29'],
    ['0001-01-01', '0001-01-01'],
    ['9999-12-31', '9999-12-31'],
    [null, null],
    ['', null],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: stored, issues: [] })
  })

  it.each([
    '2026-02-29',
    '2026-04-31',
    '2026-13-01',
    '0000-01-01',
    '2026-1-1',
    '14.11.2026',
    '2026-11-14T09:30:00Z',
    20261114,
    {},
  ])('refuses %j', (raw) => {
    expect(problems(field, raw)).toEqual([
      'custom_fields.it: The It must be a date of the calendar such as 2026-11-14.',
    ])
  })

  it('is found under its text', () => {
    expect(indexed(field, '2026-11-14')).toEqual([entry({ match_key: '2026-11-14' })])
  })

  it.each([
    ['$eq', '2026-11-14', { from: '2026-11-14', to: '2026-11-14' }],
    ['$gt', '2026-11-14', { after: '2026-11-14' }],
    ['$gte', '2026-11-14T23:30:00Z', { from: '2026-11-14' }],
    ['$lt', '2026-11-14T23:30:00-02:00', { before: '2026-11-15' }],
    ['$lte', '2026-11-14', { to: '2026-11-14' }],
  ] as const)('%s %s compares with the day, of a date-time with its UTC day', (operator, raw, bounds) => {
    expect(asked(field, { [operator]: raw }).value).toEqual({ test: 'range', bounds })
  })

  it.each(['tomorrow', '2026-02-30', '', null, 2026])('cannot be compared with %j', (raw) => {
    expect(operandProblems(field, { $gt: raw })).toEqual([
      'it.$gt: The It must be a date such as 2026-11-14, or an ISO 8601 date-time such as 2026-11-14T09:30:00Z.',
    ])
  })
})
