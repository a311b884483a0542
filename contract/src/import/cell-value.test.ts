import { describe, expect, it } from 'vitest'
import { aField } from '../field-types/test-field.ts'
import { cellValue } from './cell-value.ts'
import type { CellSettings } from './settings.ts'
import type { ImportTarget } from './target.ts'

const settings: CellSettings = { blank: 'keep', dates: 'iso', decimal: '.' }
const fieldOf = (type: Parameters<typeof aField>[0]): ImportTarget => ({ kind: 'field', field: aField(type) })

describe('a date', () => {
  it.each([
    ['iso', '2026-11-14', '2026-11-14'],
    ['iso', '2026/11/4', '2026-11-04'],
    ['iso', '2026.1.14', '2026-01-14'],
    ['dmy', '14/11/2026', '2026-11-14'],
    ['dmy', '4.1.2026', '2026-01-04'],
    ['dmy', '14-11-2026', '2026-11-14'],
    ['mdy', '11/14/2026', '2026-11-14'],
    ['dmy', '2026-11-14', '2026-11-14'],
    // The field itself reports the accepted values.
    ['iso', '14/11/2026', '14/11/2026'],
    ['dmy', '14/11-2026', '14/11-2026'],
    ['dmy', '14/11/26', '14/11/26'],
    ['dmy', 'tomorrow', 'tomorrow'],
  ] as const)('%s %s is %s', (dates, cell, value) => {
    expect(cellValue(cell, fieldOf('date'), { ...settings, dates })).toBe(value)
  })

  it.each([
    ['iso', '2026-11-14T09:30:00.125Z', '2026-11-14T09:30:00.125Z'],
    ['iso', '2026-11-14 9:30', '2026-11-14T09:30'],
    ['dmy', '14.11.2026 09:30:15', '2026-11-14T09:30:15'],
    ['mdy', '11/14/2026, 09:30', '2026-11-14T09:30'],
    ['mdy', '11/14/2026', '2026-11-14'],
  ] as const)('%s %s is the time %s', (dates, cell, value) => {
    expect(cellValue(cell, fieldOf('date-time'), { ...settings, dates })).toBe(value)
  })
})

describe('a number', () => {
  it.each([
    ['.', '1234.5', '1234.5'],
    ['.', '1,234.5', '1234.5'],
    ['.', '1,234,567', '1234567'],
    ['.', '-1 234', '-1234'],
    ['.', "1'234.50", '1234.50'],
    ['.', '1,5', '1,5'],
    [',', '1234,5', '1234.5'],
    [',', '1.234,5', '1234.5'],
    [',', '1.234.567', '1234567'],
    [',', '1.234', '1234'],
  ] as const)('with the decimal mark %s, %s is %s', (decimal, cell, value) => {
    expect(cellValue(cell, fieldOf('number'), { ...settings, decimal })).toBe(value)
  })

  it('with a comma as its mark does not take a point for one', () => {
    expect(Number(cellValue('1.5', fieldOf('number'), { ...settings, decimal: ',' }))).toBeNaN()
  })
})

describe('a cell', () => {
  it.each([
    ['true', true],
    ['Yes', true],
    ['1', true],
    ['FALSE', false],
    ['no', false],
    ['perhaps', 'perhaps'],
  ])('%s of a checkbox is %s', (cell, value) => {
    expect(cellValue(cell, fieldOf('checkbox'), settings)).toBe(value)
  })

  it.each([
    ['a@x.io; b@x.io', ['a@x.io', 'b@x.io']],
    ['["a;b", "c"]', ['a;b', 'c']],
    ['a;;b;', ['a', 'b']],
  ])('of a list has its values joined by ; or as a JSON list: %s', (cell, values) => {
    expect(cellValue(cell, fieldOf('tags-input'), settings)).toEqual(values)
    expect(cellValue(cell, { kind: 'external_ids', namespace: 'crm' }, settings)).toEqual(values)
  })

  it('that an export has escaped is read as it was', () => {
    expect(cellValue("'=1+1", { kind: 'label', key: 'name' }, settings)).toBe('=1+1')
    expect(cellValue("'=1+1", fieldOf('text'), settings)).toBe('=1+1')
    expect(cellValue("'tis", fieldOf('text'), settings)).toBe("'tis")
  })

  it.each(['', '  '])('that is empty keeps the value, or clears it: "%s"', (cell) => {
    expect(cellValue(cell, fieldOf('text'), settings)).toBeUndefined()
    expect(cellValue(cell, fieldOf('text'), { ...settings, blank: 'clear' })).toBeNull()
  })

  it('names records by id or match, and members by id or email address', () => {
    const company = { kind: 'reference', key: 'company_id', to: 'companies' } as const
    expect(cellValue('01kb', company, settings)).toBe('01kb')
    const match = { match: { field: 'domains', value: 'acme.com' } }
    expect(cellValue(' acme.com ', { ...company, by: 'domains' }, settings)).toEqual(match)
    const owner = { kind: 'reference', key: 'account_owner_id', to: 'users' } as const
    expect(cellValue('ada@acme.com', owner, settings)).toEqual({ email: 'ada@acme.com' })
    const assignees = { kind: 'links', key: 'assignee_ids', to: 'users' } as const
    expect(cellValue('01kb;ada@acme.com', assignees, settings)).toEqual(['01kb', { email: 'ada@acme.com' }])
  })
})
