import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aField, asked, entry, indexed, parsed, presented, problems } from './test-field.ts'

const field = aField('date-time')

describe('a date-time', () => {
  it.each([
    ['2026-11-14T09:30:00.125Z', '2026-11-14T09:30:00.125Z'],
    ['2026-11-14T09:30:00+02:00', '2026-11-14T07:30:00.000Z'],
    ['2026-11-14', '2026-11-14T00:00:00.000Z'],
    [null, null],
    ['', null],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: stored, issues: [] })
  })

  it.each(['2026-11-14 09:30', '2026-11-14T24:00:00Z', 1_700_000_000, true])('refuses %j', (raw) => {
    expect(problems(field, raw)).toEqual([
      'custom_fields.it: The It must be a date such as 2026-11-14, or an ISO 8601 date-time such as 2026-11-14T09:30:00Z.',
    ])
  })

  it('comes back as it was read', () => {
    const moments = fc.date({ noInvalidDate: true, min: new Date('0100-01-01'), max: new Date('9999-12-31') })
    fc.assert(
      fc.property(moments, (sent) => {
        const stored = parsed(field, sent.toISOString()).value ?? 'refused'
        expect(stored).toBe(sent.toISOString())
        expect(parsed(field, presented(field, stored)).value).toBe(stored)
      }),
    )
  })

  it('is found under its text', () => {
    expect(indexed(field, '2026-11-14T09:30:00.125Z')).toEqual([entry({ match_key: '2026-11-14T09:30:00.125Z' })])
  })

  it('takes a bare date as that whole day', () => {
    expect(asked(field, { $eq: '2026-11-14' }).value).toEqual({
      test: 'range',
      bounds: { from: '2026-11-14T00:00:00.000Z', to: '2026-11-14T23:59:59.999Z' },
    })
  })
})
