import { expect, it } from 'vitest'
import { csvCell } from './export.ts'

it.each([
  ['plain', 'plain'],
  ['', ''],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['=HYPERLINK("http://evil")', `"'=HYPERLINK(""http://evil"")"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['\t=1', `"'\t=1"`],
  ['＝1+1', `"'＝1+1"`],
])('%j is a cell that no spreadsheet runs: %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell)
})
