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

const options = someOptions('Prospecting', 'Closed, won', 'ÄRGER', 'Twin', 'twin', optionId(0).toUpperCase())
const listing = `The It must be one of: Prospecting, Closed, won, ÄRGER, Twin, twin, ${optionId(0).toUpperCase()}.`

describe.each(['radio', 'toggle-buttons', 'select'] as const)('a choice by %s', (type) => {
  const field = aField(type, { options })

  it.each([
    [optionId(1), optionId(1)],
    [optionId(1).toUpperCase(), optionId(1)],
    ['Prospecting', optionId(0)],
    ['  prospecTING ', optionId(0)],
    ['ärger', optionId(2)],
    ['closed, won', optionId(1)],
    [{ id: optionId(2), label: 'ÄRGER' }, optionId(2)],
    [{ id: optionId(2), label: 'An old label' }, optionId(2)],
    [{ id: optionId(4).toUpperCase() }, optionId(4)],
    // A label that looks like the id of another option: the id wins.
    [optionId(0), optionId(0)],
    [null, null],
    ['', null],
    ['  ', null],
  ])('%j is stored as %j', (raw, stored) => {
    expect(parsed(field, raw)).toEqual({ value: stored, issues: [] })
  })

  it.each([
    ['Lost', `${listing} "Lost" is not one of them.`],
    [optionId(9), `${listing} "${optionId(9)}" is not one of them.`],
    [{ id: 'Prospecting' }, `${listing} "Prospecting" is not one of them.`],
    ['x'.repeat(5000), `${listing} "${'x'.repeat(100)}…" is not one of them.`],
    [1, `${listing} Send a label or an ID as a string.`],
    [['Prospecting'], `${listing} Send a label or an ID as a string.`],
    [{ label: 'Prospecting' }, `${listing} Send a label or an ID as a string.`],
    [{ id: optionId(0), name: 'x' }, `${listing} Send a label or an ID as a string.`],
    ['TWIN', 'The It has more than one option "TWIN". Send the ID of the option instead.'],
  ])('%j is refused', (raw, message) => {
    expect(problems(field, raw)).toEqual([`custom_fields.it: ${message}`])
  })

  it('says so when there are no options, and lists only so many', () => {
    expect(problems(aField(type), 'x')).toEqual(['custom_fields.it: The It has no options yet.'])
    const many = aField(type, { options: someOptions(...Array.from({ length: 200 }, (_, i) => `${i}`.repeat(60))) })
    const [problem = ''] = problems(many, 'x')
    expect(problem.length).toBeLessThan(4500)
    expect(problem).toMatch(/ and \d+ more\. "x" is not one of them\.$/)
  })

  it('is read with its label, or as null when the option is gone', () => {
    expect(presented(field, optionId(0))).toEqual({ id: optionId(0), label: 'Prospecting' })
    expect(presented(field, optionId(9))).toBeNull()
  })

  it('comes back as it was read', () => {
    for (const { id } of options) expect(parsed(field, presented(field, id)).value).toBe(id)
  })

  it('is found by its id', () => {
    expect(indexed(field, optionId(2))).toEqual([entry({ match_key: optionId(2) })])
    expect(indexed(field, optionId(9))).toEqual([])
  })

  it.each([
    ['$eq', 'prospecting', false, 'any', [optionId(0)]],
    ['$eq', 'Closed, won', true, 'any', [optionId(1)]],
    ['$in', ['Prospecting', optionId(2)], false, 'any', [optionId(0), optionId(2)]],
    ['$not_in', ['Closed, won'], true, 'none', [optionId(1)]],
    ['$in', ` prospecting,,ärger, ${optionId(3)} `, true, 'any', [optionId(0), optionId(2), optionId(3)]],
    ['$in', [{ id: optionId(1), label: 'x' }], false, 'any', [optionId(1)]],
  ] as const)('%s %j (loose: %j)', (operator, raw, loose, test, keys) => {
    expect(asked(field, { [operator]: raw }, loose)).toEqual({ value: { test, keys }, issues: [] })
  })

  it.each([
    ['$eq', 'Lost', false, [`it.$eq: ${listing} "Lost" is not one of them.`]],
    ['$eq', null, false, [`it.$eq: ${listing} Send a label or an ID as a string.`]],
    ['$eq', 'x'.repeat(3000), true, ['it.$eq: The It must not be longer than 2048 characters.']],
    ['$in', ['Prospecting', 'Lost'], false, [`it.$in.1: ${listing} "Lost" is not one of them.`]],
    ['$in', 'Prospecting,Lost', true, [`it.$in.1: ${listing} "Lost" is not one of them.`]],
    ['$in', ['Closed, won, lost'], true, [`it.$in.0: ${listing} "Closed, won, lost" is not one of them.`]],
    ['$in', 'Prospecting', false, ['it.$in: The It must be a list.']],
    ['$not_in', [], false, ['it.$not_in: The It must not be an empty list.']],
    ['$not_in', ' , ', true, ['it.$not_in: The It must not be an empty list.']],
    ['$in', Array(101).fill('Prospecting'), false, ['it.$in: The It must not be a list of more than 100 values.']],
    ['$in', { a: 1 }, true, ['it.$in: The It must be a list.']],
  ] as const)('%s refuses %j (loose: %j)', (operator, raw, loose, expected) => {
    expect(operandProblems(field, { [operator]: raw }, loose)).toEqual(expected)
  })
})
