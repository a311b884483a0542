import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  aField,
  asked,
  entry,
  indexed,
  operandProblems,
  optionId,
  parsed,
  presented,
  problems,
  someOptions,
} from './test-field.ts'

const options = someOptions('Red', 'Green', 'Blue')
const listing = 'The It must be one of: Red, Green, Blue.'

describe.each(['checkbox-list', 'multi-select'] as const)('choices by %s', (type) => {
  const field = aField(type, { options, max_values: 1, multiple: false })

  it.each([
    [
      ['blue', 'RED'],
      [optionId(2), optionId(0)],
    ],
    [[optionId(1).toUpperCase(), 'green', { id: optionId(1), label: 'old' }], [optionId(1)]],
    [
      ['Red', 'Green', 'Blue', 'red'],
      [optionId(0), optionId(1), optionId(2)],
    ],
    [[], null],
    [null, null],
    ['', null],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: stored, issues: [] })
  })

  it.each([
    ['Red', ['custom_fields.it: The It must be a list of labels or IDs of options.']],
    [{ id: optionId(0) }, ['custom_fields.it: The It must be a list of labels or IDs of options.']],
    [
      ['Red', 'Pink', null, ''],
      [
        `custom_fields.it.1: ${listing} "Pink" is not one of them.`,
        `custom_fields.it.2: ${listing} Send a label or an ID as a string.`,
        `custom_fields.it.3: ${listing} "" is not one of them.`,
      ],
    ],
    [Array(201).fill('Red'), ['custom_fields.it: The It must not have more than 200 values.']],
  ])('refuses %j', (raw, expected) => {
    expect(problems(field, raw)).toEqual(expected)
  })

  it('asks for the id where two options share a label', () => {
    const twins = aField(type, { options: someOptions('Twin', 'TWIN') })
    expect(problems(twins, ['twin'])).toEqual([
      'custom_fields.it.0: The It has more than one option "twin". Send the ID of the option instead.',
    ])
    expect(parsed(twins, [optionId(1)]).value).toEqual([optionId(1)])
  })

  it('are read with their labels, without those that are gone', () => {
    expect(presented(field, [optionId(2), optionId(9), optionId(0)])).toEqual([
      { id: optionId(2), label: 'Blue' },
      { id: optionId(0), label: 'Red' },
    ])
    expect(indexed(field, [optionId(2), optionId(9)])).toEqual([entry({ match_key: optionId(2) })])
  })

  it('come back as they were read', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(options, { minLength: 1 }), (chosen) => {
        const stored = chosen.map((option) => option.id)
        expect(parsed(field, presented(field, stored)).value).toEqual(stored)
      }),
    )
  })

  it.each([
    ['$has_any', ['red', optionId(1)], false, 'any', [optionId(0), optionId(1)]],
    ['$has_none', 'Red,Blue', true, 'none', [optionId(0), optionId(2)]],
  ] as const)('%s %j (loose: %j)', (operator, raw, loose, test, keys) => {
    expect(asked(field, { [operator]: raw }, loose)).toEqual({ value: { test, keys }, issues: [] })
  })

  it('are not looked for under an unknown label', () => {
    expect(operandProblems(field, { $has_any: ['Red', 'Pink'] })).toEqual([
      `it.$has_any.1: ${listing} "Pink" is not one of them.`,
    ])
    expect(operandProblems(field, { $has_any: 'Red' })).toEqual(['it.$has_any: The It must be a list.'])
  })
})
