import { expect, it } from 'vitest'
import { sampleSchema } from '../test/definitions.ts'
import { type Condition, mergeRanges } from './filter.ts'
import { parseFilter } from './parse-filter.ts'
import { resourceIn } from './resource.ts'

function parsed(filter: object): Condition[] {
  const context = { resource: resourceIn(sampleSchema(), 'companies'), loose: false }
  const condition = parseFilter(filter, context, (path, message) => {
    throw new Error(`${path}: ${message}`)
  })
  return condition ? [condition] : []
}

it('joins the bounds of one field, however they were nested', () => {
  const filter = {
    $and: [{ custom_fields: { number: { $gte: 1, $lt: 9 } } }, { custom_fields: { number: { $gte: 3 } } }],
  }
  expect(mergeRanges(parsed(filter))).toMatchObject([
    { node: 'field', test: { test: 'number', bounds: { from: 3, before: 9 } } },
  ])
})

it('keeps apart what speaks of different fields, and what is not a range', () => {
  const filter = {
    name: { $eq: 'a' },
    created_at: { $gt: '2026-01-01', $lte: '2026-02-01' },
    custom_fields: { number: { $gt: 1 }, currency: { $gt: 1 } },
  }
  expect(mergeRanges(parsed(filter)).map((one) => one.node)).toEqual(['attribute', 'attribute', 'field', 'field'])
})
