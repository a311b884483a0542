import { describe, expect, it } from 'vitest'
import type { FieldTypeName } from '../field-type-name.ts'
import { aField, asked, operandProblems, parsed, problems } from './test-field.ts'

/** For each type: values as stored, all different. */
const values: [FieldTypeName, readonly string[]][] = [
  ['tags-input', many((i) => `Tag ${i}`)],
  ['email', many((i) => `user${i}@example.com`)],
  ['phone', many((i) => `+1415555${1000 + i}`)],
  ['link', many((i) => `https://example.com/${i}`)],
  ['domain', many((i) => `d${i}.example.com`)],
]

describe.each(values)('a list of %s', (type, list) => {
  const field = aField(type)
  const [first = '', second = ''] = list

  it('takes a list, or one string as a list of one', () => {
    expect(parsed(field, list.slice(0, 5)).value).toEqual(list.slice(0, 5))
    expect(parsed(field, first).value).toEqual([first])
  })

  it.each([[null], [[]], [''], ['  ']])('is empty when it is %j', (raw) => {
    expect(parsed(field, raw)).toEqual({ value: null, issues: [] })
  })

  it('folds repeats to the first', () => {
    expect(parsed(field, [first, second, first]).value).toEqual([first, second])
  })

  it('refuses items that are empty or no strings at their index', () => {
    expect(problems(field, [first, '', null, 5, 'a\0b', [first]])).toEqual([
      'custom_fields.it.1: The It must not have an empty value.',
      'custom_fields.it.2: The It must not have an empty value.',
      'custom_fields.it.3: The It must be a string.',
      'custom_fields.it.4: The It must not contain the NUL character.',
      'custom_fields.it.5: The It must be a string.',
    ])
  })

  it.each([5, true, {}])('refuses %j, which is no list', (raw) => {
    expect(problems(field, raw)).toEqual(['custom_fields.it: The It must be a list of strings, or one string.'])
  })

  it('holds as many values as the field says', () => {
    expect(problems(field, list.slice(0, 6))).toEqual(['custom_fields.it: The It must not have more than 5 values.'])
    expect(parsed(field, [...list.slice(0, 5), first]).value).toEqual(list.slice(0, 5))
    expect(problems(field, Array(101).fill(first))).toEqual([
      'custom_fields.it: The It must not have more than 5 values.',
    ])
    expect(parsed(aField(type, { max_values: 100 }), list.slice(0, 100)).value).toHaveLength(100)
  })

  it('holds one value unless the field is set to hold several, tags aside', () => {
    const single = aField(type, { multiple: false })
    expect(parsed(single, [first, first]).value).toEqual([first])
    expect(problems(single, [first, second])).toEqual(
      type === 'tags-input' ? [] : ['custom_fields.it: The It must not have more than 1 value.'],
    )
  })

  it('takes a list as operand; in a query string one text is one value, never split', () => {
    expect(asked(field, { $has_any: [first, second] }).value).toMatchObject({ test: 'any' })
    expect(asked(field, { $has_none: [first] }, true).value).toMatchObject({ test: 'none' })
    const loose = asked(field, { $has_any: first }, true).value
    expect(loose).toEqual(asked(field, { $has_any: [first] }).value)
    expect(operandProblems(field, { $has_any: first })).toEqual(['it.$has_any: The It must be a list.'])
    expect(operandProblems(field, { $has_any: [] })).toEqual(['it.$has_any: The It must not be an empty list.'])
    expect(operandProblems(field, { $has_any: '' }, true)).toEqual(['it.$has_any: The It must not be an empty list.'])
    expect(operandProblems(field, { $has_any: list.slice(0, 101) })).toEqual([
      'it.$has_any: The It must not be a list of more than 100 values.',
    ])
  })

  it('refuses operands that no value can be', () => {
    expect(operandProblems(field, { $has_any: [first, 5, 'a\0', 'x'.repeat(2049)] })).toEqual([
      'it.$has_any.1: The It must be a string.',
      'it.$has_any.2: The It must not contain the NUL character.',
      'it.$has_any.3: The It must not be longer than 2048 characters.',
    ])
  })
})

function many(make: (i: number) => string): string[] {
  return Array.from({ length: 101 }, (_, i) => make(i))
}
