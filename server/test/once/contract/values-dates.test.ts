import { describe, expect, it } from 'vitest'
import { writtenField } from '../../written-field.ts'

describe('4. Custom field values: a date is a real calendar day', () => {
  it('is read as it is written', async () => {
    const field = await writtenField('date')
    const days = ['2026-11-14', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31', '1969-12-31']
    for (const day of days) expect(await field.shown(day)).toBe(day)
    expect(await field.shown(null)).toBeNull()
  })

  it('what is no day of the calendar is refused, with an example of one that is', async () => {
    const field = await writtenField('date')
    const impossible = [
      '2026-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '0000-01-01',
    ]
    const otherForms = ['14.11.2026', '11/14/2026', '2026-1-4', '20261114', '2026-W46-6', '2026-11', 'tomorrow', 'x']
    const spaced = [' 2026-11-14', '2026-11-14 ', '2026-11-14T09:30:00Z', '２０２６-11-14', '+002026-11-14']
    for (const value of [...impossible, ...otherForms, ...spaced, 20261114, 1_794_614_400_000, true, [], {}]) {
      expect(await field.refused(value), JSON.stringify(value)).toEqual({
        'custom_fields.it': [expect.stringMatching(/^The It must be a date.*2026-11-14/)],
      })
    }
  })
})

describe('4. Custom field values: a date-time is read in UTC with three fractional digits', () => {
  it('is written in any ISO 8601 form with an offset', async () => {
    const field = await writtenField('date-time')
    const cases = [
      ['2026-11-14T09:30:00.000Z', '2026-11-14T09:30:00.000Z'],
      ['2026-11-14T09:30:00Z', '2026-11-14T09:30:00.000Z'],
      ['2026-11-14T09:30:00+00:00', '2026-11-14T09:30:00.000Z'],
      ['2026-11-14T09:30:00-00:00', '2026-11-14T09:30:00.000Z'],
      ['2026-11-14T10:30:00+01:00', '2026-11-14T09:30:00.000Z'],
      ['2026-11-14T10:30:00+0100', '2026-11-14T09:30:00.000Z'],
      ['2026-11-14T10:30:00+01', '2026-11-14T09:30:00.000Z'],
      ['2026-11-14T23:30:00-05:30', '2026-11-15T05:00:00.000Z'],
      ['2026-01-01T00:15:00+00:30', '2025-12-31T23:45:00.000Z'],
      ['2026-11-14T09:30:00.1Z', '2026-11-14T09:30:00.100Z'],
      ['2026-11-14T09:30:00.123456789Z', '2026-11-14T09:30:00.123Z'],
      ['2026-11-14T09:30Z', '2026-11-14T09:30:00.000Z'],
      ['2024-02-29T23:59:59.999+14:00', '2024-02-29T09:59:59.999Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ]
    for (const [sent, shown] of cases) expect(await field.shown(sent), sent).toBe(shown)
    expect(await field.shown(null)).toBeNull()
  })

  it('without an offset it is UTC, and a bare date is midnight UTC', async () => {
    const field = await writtenField('date-time')
    expect(await field.shown('2026-11-14T09:30:00')).toBe('2026-11-14T09:30:00.000Z')
    expect(await field.shown('2026-11-14T09:30:00.25')).toBe('2026-11-14T09:30:00.250Z')
    expect(await field.shown('2026-11-14T09:30')).toBe('2026-11-14T09:30:00.000Z')
    expect(await field.shown('2026-11-14')).toBe('2026-11-14T00:00:00.000Z')
  })

  it('anything else is refused, with examples of what is accepted', async () => {
    const field = await writtenField('date-time')
    const impossible = ['2026-02-29T00:00:00Z', '2026-11-14T25:00:00Z', '2026-11-14T09:60:00Z', '2026-11-14T09:30:61Z']
    const beyond = ['9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00', '2026-11-14T09:30:00+25:00']
    const otherForms = ['2026-11-14 09:30:00', '14 Nov 2026', '1794648600', '2026-11-14T', 'now', '09:30', '2026-02-30']
    for (const value of [...impossible, ...beyond, ...otherForms, 1_794_648_600_000, false, [], {}]) {
      expect(await field.refused(value), JSON.stringify(value)).toEqual({
        'custom_fields.it': [expect.stringMatching(/^The It must be a date.*2026-11-14.*2026-11-14T09:30:00Z/)],
      })
    }
  })
})
