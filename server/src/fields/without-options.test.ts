import { expect, test } from 'vitest'
import { withoutOptions } from './update.ts'

test.each([
  ['a single choice goes with its key', { stage: 'o1', name: 'x' }, { name: 'x' }],
  ['a list keeps the others in their order', { stage: ['o3', 'o1', 'o2'] }, { stage: ['o3', 'o2'] }],
  ['a list that becomes empty goes with its key', { stage: ['o1'] }, {}],
  ['another option stays', { stage: 'o2' }, undefined],
  ['a record without the field stays', {}, undefined],
  ['another field that happens to hold the text stays', { note: 'o1', stage: 'o2' }, undefined],
])('%s', (_, before, after) => {
  const rewritten = withoutOptions(JSON.stringify(before), 'stage', ['o1', 'o9'])
  expect(rewritten === undefined ? undefined : JSON.parse(rewritten)).toEqual(after)
})
