import { expect, it } from 'vitest'
import type { Cell } from './cells.ts'
import { csvCell } from './export-dialog.tsx'
import { xlsxCell } from './xlsx-file.ts'

const wallClock = (moment: string) => {
  const at = new Date(moment)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
}

it.each<[Cell, string, unknown]>([
  [null, '', null],
  ['=1+1', "'=1+1", '=1+1'],
  [-5.5, '-5.5', -5.5],
  [true, 'true', true],
  [{ list: ['a', '=b'] }, "a;'=b", 'a; =b'],
  [{ list: ['a;b'] }, '["a;b"]', '["a;b"]'],
  [{ list: [] }, '', null],
  [{ day: '2026-11-14' }, '2026-11-14', new Date('2026-11-14T00:00:00Z')],
  [{ moment: '2026-11-14T09:30:00.125Z' }, '2026-11-14T09:30:00.125Z', wallClock('2026-11-14T09:30:00.125Z')],
  ['a\u0000b\tc', 'a\u0000b\tc', 'ab\tc'],
])('%j is %j in CSV and %j in a spreadsheet', (cell, csv, xlsx) => {
  expect(csvCell(cell)).toBe(csv)
  expect(xlsxCell(cell)).toEqual(xlsx)
})

it('a text that is longer than Excel takes ends with an ellipsis', () => {
  const cell = xlsxCell('x'.repeat(40_000))
  expect(cell).toHaveLength(32_767)
  expect(String(cell).endsWith('x…')).toBe(true)
})
