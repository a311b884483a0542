import { expect, it } from 'vitest'
import { nextSort, sortedBy, sortKeysIn, sortText } from './sorting.ts'

it('an order of several keys reads and writes the words of the API', () => {
  const keys = sortKeysIn('-created_at,name')
  expect(keys).toEqual([
    { name: 'created_at', descending: true },
    { name: 'name', descending: false },
  ])
  expect(sortText(keys)).toBe('-created_at,name')
  expect(sortText(sortKeysIn(undefined))).toBeUndefined()
})

it.each([
  [undefined, false, 'name'],
  ['name', false, '-name'],
  ['-name', false, undefined],
  ['-created_at', false, 'name'],
  ['-created_at', true, '-created_at,name'],
  ['-created_at,name', true, '-created_at,-name'],
  ['-name,created_at', true, 'created_at'],
])('a click on the header of the name, sorted by %s and keeping the others: %s', (sort, keep, next) => {
  expect(nextSort(sort, 'name', keep)).toBe(next)
})

it('a header knows which key it is', () => {
  expect(sortedBy('-created_at,name', 'name')).toEqual({ name: 'name', descending: false, place: 2, of: 2 })
  expect(sortedBy('-created_at', 'name')).toBeUndefined()
})
