import { describe, expect, it } from 'vitest'
import type { Issue } from './issue.ts'
import { reportInto } from './issue.ts'
import { momentTest, parseDay, parseMoment } from './moment.ts'

describe('parseDay', () => {
  it.each(['2026-11-14', '2000-02-29', '2024-02-29', '0001-01-01', '9999-12-31'])('reads %s', (text) => {
    expect(parseDay(text)).toBe(text)
  })

  it.each([
    '1900-02-29',
    '2023-02-29',
    '2026-06-31',
    '2026-00-10',
    '2026-10-00',
    '0000-12-31',
    '2026-11-14Z',
    ' 2026-11-14',
    '',
  ])('refuses %j', (text) => {
    expect(parseDay(text)).toBeUndefined()
  })
})

describe('parseMoment', () => {
  it.each([
    ['2026-11-14', '2026-11-14T00:00:00.000Z'],
    ['2026-11-14T09:30', '2026-11-14T09:30:00.000Z'],
    ['2026-11-14T09:30Z', '2026-11-14T09:30:00.000Z'],
    ['2026-11-14t09:30:15z', '2026-11-14T09:30:15.000Z'],
    ['2026-11-14T09:30:15.1Z', '2026-11-14T09:30:15.100Z'],
    ['2026-11-14T09:30:15,125Z', '2026-11-14T09:30:15.125Z'],
    ['2026-11-14T09:30:15.123999999999', '2026-11-14T09:30:15.123Z'],
    ['2026-11-14T09:30:15+05:30', '2026-11-14T04:00:15.000Z'],
    ['2026-11-14T09:30:15-0800', '2026-11-14T17:30:15.000Z'],
    ['2026-11-14T23:30:15-08', '2026-11-15T07:30:15.000Z'],
    ['2026-11-14T09:30:15+23:59', '2026-11-13T09:31:15.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0050-06-01T12:00:00Z', '0050-06-01T12:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('reads %s as %s', (text, moment) => {
    expect(parseMoment(text)).toBe(moment)
  })

  it.each([
    '2026-11-14 09:30:00Z',
    '2026-11-14T09',
    '2026-11-14T9:30',
    '2026-11-14T24:00',
    '2026-11-14T23:59:60Z',
    '2026-11-14T23:60',
    '2026-11-14T09:30:00.',
    '2026-11-14T09:30:00+24:00',
    '2026-11-14T09:30:00+02:60',
    '2026-11-14T09:30:00 02:00',
    '2026-02-30T09:30:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '20261114T093000Z',
    '2026-W46-6',
    'now',
    `2026-11-14T09:30:00.${'1'.repeat(1000)}Z`,
  ])('refuses %s', (text) => {
    expect(parseMoment(text)).toBeUndefined()
  })
})

describe('momentTest', () => {
  const start = '2026-11-14T00:00:00.000Z'
  const end = '2026-11-14T23:59:59.999Z'

  it.each([
    ['$eq', { from: start, to: end }],
    ['$gt', { after: end }],
    ['$gte', { from: start }],
    ['$lt', { before: start }],
    ['$lte', { to: end }],
  ] as const)('%s with a bare date means that whole day', (operator, bounds) => {
    expect(momentTest(operator, '2026-11-14', { path: 'p', report: fail })).toEqual({ test: 'range', bounds })
  })

  const at = '2026-11-14T09:30:00.000Z'

  it.each([
    ['$eq', { from: at, to: at }],
    ['$gt', { after: at }],
    ['$gte', { from: at }],
    ['$lt', { before: at }],
    ['$lte', { to: at }],
  ] as const)('%s with a date-time means that moment', (operator, bounds) => {
    expect(momentTest(operator, '2026-11-14T10:30+01:00', { path: 'p', report: fail })).toEqual({
      test: 'range',
      bounds,
    })
  })

  it.each(['', 'yesterday', '2026-02-30', 5, null, true, ['2026-11-14']])('refuses %j', (raw) => {
    const issues: Issue[] = []
    expect(momentTest('$gte', raw, { path: 'filter.created_at.$gte', report: reportInto(issues) })).toBeUndefined()
    expect(issues).toEqual([
      {
        path: 'filter.created_at.$gte',
        message:
          'The $gte operand must be a date such as 2026-11-14, or an ISO 8601 date-time such as 2026-11-14T09:30:00Z.',
      },
    ])
  })
})

function fail(path: string, message: string): void {
  throw new Error(`${path}: ${message}`)
}
