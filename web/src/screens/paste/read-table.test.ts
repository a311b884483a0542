import { expect, it } from 'vitest'
import { tableIn } from './read-table.ts'

it.each([
  [
    'a spreadsheet',
    'Name\tAmount\r\nAcme\t1,5\r\n',
    [
      ['Name', 'Amount'],
      ['Acme', '1,5'],
    ],
  ],
  [
    'a cell with a line end and a quote',
    '"one\ntwo"\t"a ""b"""\nc\td',
    [
      ['one\ntwo', 'a "b"'],
      ['c', 'd'],
    ],
  ],
  [
    'rows of unequal length',
    'a\tb\tc\nd\n\n\t\t',
    [
      ['a', 'b', 'c'],
      ['d', '', ''],
    ],
  ],
  ['one row', 'a\tb', [['a', 'b']]],
  [
    'CSV',
    'a,b\n"c,d",e',
    [
      ['a', 'b'],
      ['c,d', 'e'],
    ],
  ],
  [
    'CSV with semicolons',
    'a;1,5\nb;2,5',
    [
      ['a', '1,5'],
      ['b', '2,5'],
    ],
  ],
  ['a list of names, some with a comma', 'Acme, Inc.\nBorg\n', [['Acme, Inc.'], ['Borg']]],
  [
    'an inch',
    'a"\tb\nc\td',
    [
      ['a"', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a quote that does not end',
    '"a\tb\nc\td',
    [
      ['"a', 'b'],
      ['c', 'd'],
    ],
  ],
])('%s is a table', (_what, text, rows) => {
  expect(tableIn(text)).toEqual(rows)
})

it.each(['', '  ', 'Acme', 'Acme, Inc.', 'Acme\n\n', '\t\n\t'])('%j is no table', (text) => {
  expect(tableIn(text)).toBeUndefined()
})
