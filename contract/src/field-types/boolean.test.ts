import { describe, expect, it } from 'vitest'
import { aField, asked, entry, indexed, operandProblems, parsed, presented, problems } from './test-field.ts'

describe.each(['checkbox', 'toggle'] as const)('a %s', (type) => {
  const field = aField(type)

  it.each([
    [true, true],
    [false, false],
    [null, null],
    ['', null],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: stored, issues: [] })
  })

  it.each(['true', '1', 1, 0, 'yes', [true], {}])('refuses %j', (raw) => {
    expect(problems(field, raw)).toEqual(['custom_fields.it: The It must be true or false.'])
  })

  it.each([true, false])('%j is a value like the other', (stored) => {
    expect(presented(field, stored)).toBe(stored)
    expect(indexed(field, stored)).toEqual([entry({ match_key: String(stored) })])
  })

  it.each([
    [true, false, 'true'],
    [false, false, 'false'],
    ['true', true, 'true'],
    ['1', true, 'true'],
    ['false', true, 'false'],
    ['0', true, 'false'],
  ])('$eq %j (loose: %j) asks for %s', (raw, loose, key) => {
    expect(asked(field, { $eq: raw }, loose).value).toEqual({ test: 'any', keys: [key] })
  })

  it.each([
    ['true', false, 'must be true or false'],
    [1, false, 'must be true or false'],
    [null, false, 'must be true or false'],
    ['yes', true, 'must be true or false (or 1 or 0)'],
    ['', true, 'must be true or false (or 1 or 0)'],
  ])('$eq %j (loose: %j) is refused', (raw, loose, problem) => {
    expect(operandProblems(field, { $eq: raw }, loose)).toEqual([`it.$eq: The It ${problem}.`])
  })
})
