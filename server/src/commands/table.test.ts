import { expect, test } from 'vitest'
import { printTable } from './table.ts'

test('columns are aligned, and what is missing is a dash', () => {
  const rows = [
    ['acme', 'Acm\u00e9 Inc.', null],
    ['a', 'B', 'open'],
  ]
  expect(printTable(['slug', 'name', 'access'], rows).split('\n')).toEqual([
    'SLUG  NAME       ACCESS',
    'acme  Acm\u00e9 Inc.  -',
    'a     B          open',
  ])
})

test('no name moves the cursor', () => {
  expect(printTable(['name'], [['a\u001b[2Jb\nc']])).toBe('NAME\na [2Jb c')
})
