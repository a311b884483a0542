import { describe, expect, it } from 'vitest'
import { fieldTypes } from '../field-types.ts'
import { boundedKey } from '../fold.ts'
import { aField, asked, entry, indexed, operandProblems, parsed, presented, problems } from './test-field.ts'

const field = aField('text')

describe('a text', () => {
  it.each([
    ['Engineer', 'Engineer'],
    [' kept as typed\n', ' kept as typed\n'],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['😀'.repeat(255), '😀'.repeat(255)],
    [null, null],
    ['', null],
    [' \t\n', null],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: stored, issues: [] })
  })

  it.each([
    [5, 'must be a string'],
    [true, 'must be a string'],
    [['a'], 'must be a string'],
    [{}, 'must be a string'],
    ['x'.repeat(256), 'must not be longer than 255 characters'],
    ['😀'.repeat(256), 'must not be longer than 255 characters'],
    ['x'.repeat(1_000_000), 'must not be longer than 255 characters'],
    ['a\0b', 'must not contain the NUL character'],
    ['a\ud800b', 'must be valid Unicode'],
  ])('refuses what is no text: %#', (raw, problem) => {
    expect(problems(field, raw)).toEqual([`custom_fields.it: The It ${problem}.`])
  })

  it('may be as long as the field says', () => {
    const longer = aField('text', { settings: { max_length: 300 } })
    expect(parsed(longer, 'x'.repeat(300)).value).toBe('x'.repeat(300))
    expect(problems(longer, 'x'.repeat(301))).toEqual([
      'custom_fields.it: The It must not be longer than 300 characters.',
    ])
  })

  it('is read as it is stored', () => {
    expect(presented(field, ' As typed ')).toBe(' As typed ')
  })

  it.each([
    ['engineer', entry({ match_key: 'engineer' })],
    ['Engineer', entry({ match_key: 'engineer', exact: 'Engineer' })],
    ['STRASSE', entry({ match_key: 'strasse', exact: 'STRASSE' })],
    ['Straße', entry({ match_key: 'strasse', exact: 'Straße' })],
    ['x'.repeat(600), entry({ match_key: boundedKey('x'.repeat(600)), exact: 'x'.repeat(600) })],
  ])('%j is found under its folded form', (stored, row) => {
    expect(indexed(field, stored)).toEqual([row])
  })

  it('is searched in its folded form', () => {
    expect(fieldTypes.text.searchText('ÄRGER')).toBe('ärger')
  })

  it('is compared exactly by $eq', () => {
    expect(asked(field, { $eq: 'VIP' }).value).toEqual({ test: 'exact', key: 'vip', text: 'VIP' })
    expect(asked(field, { $eq: '' }, true).value).toEqual({ test: 'exact', key: '', text: '' })
  })

  it('is searched by $contains in any letter case, blanks included', () => {
    expect(asked(field, { $contains: '50%_Ä' }).value).toEqual({ test: 'contains', part: '50%_ä' })
    expect(asked(field, { $contains: ' ' }).value).toEqual({ test: 'contains', part: ' ' })
  })

  it.each([
    ['$eq', 5, 'must be a string'],
    ['$eq', null, 'must be a string'],
    ['$contains', ['a'], 'must be a string'],
    ['$contains', '', 'must not be empty: $contains needs a text to look for'],
    ['$eq', 'x'.repeat(2049), 'must not be longer than 2048 characters'],
    ['$eq', 'a\0', 'must not contain the NUL character'],
    ['$contains', '\udfff', 'must be valid Unicode'],
  ] as const)('%s refuses what it cannot look for: %#', (operator, raw, problem) => {
    expect(operandProblems(field, { [operator]: raw })).toEqual([`it.${operator}: The It ${problem}.`])
  })
})
