import { describe, expect, it } from 'vitest'
import { fieldTypes } from '../field-types.ts'
import { aField, asked, entry, indexed, parsed, problems } from './test-field.ts'

describe.each([
  ['textarea', 65_535],
  ['rich-text', 262_144],
] as const)('a %s', (type, max) => {
  const field = aField(type)

  it('is kept as typed up to its limit', () => {
    expect(parsed(field, ' # Head\r\n\r\n* x ').value).toBe(' # Head\r\n\r\n* x ')
    expect(parsed(field, 'x'.repeat(max)).value).toHaveLength(max)
    expect(problems(field, 'x'.repeat(max + 1))).toEqual([
      `custom_fields.it: The It must not be longer than ${max.toLocaleString('en-US')} characters.`,
    ])
  })

  it('is empty when it is null or blank', () => {
    expect(parsed(field, null).value).toBeNull()
    expect(parsed(field, ' \n').value).toBeNull()
  })

  it('refuses what is no text', () => {
    expect(problems(field, 1)).toEqual(['custom_fields.it: The It must be a string.'])
    expect(problems(field, 'a\0')).toEqual(['custom_fields.it: The It must not contain the NUL character.'])
  })

  it('takes $contains and $is_empty only, and has one row that says it is there', () => {
    expect(fieldTypes[type].operators).toEqual(['$contains', '$is_empty'])
    expect(asked(field, { $contains: 'HELLO' }).value).toEqual({ test: 'contains', part: 'hello' })
    expect(indexed(field, 'Hello')).toEqual([entry({})])
    expect(fieldTypes[type].searchText('Hello')).toBe('hello')
  })
})
