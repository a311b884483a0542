import { describe, expect, it } from 'vitest'
import { csvLine } from './csv-line.ts'
import { escapeFormula, unescapeFormula } from './formula.ts'
import { readListCell, writeListCell } from './list-cell.ts'

describe('a text that a spreadsheet would execute', () => {
  it.each([
    '=1+1',
    '@SUM(A1)',
    '+cmd|calc',
    '-2+A1',
    '\t=1',
    '\r=1',
    '\n=1',
    '- item',
    '+49 30 x',
    '＝1',
    '－A1',
    "'=1",
    "''=1",
    "'+49 30 1",
    "'-5",
  ])('gets an apostrophe, which reading removes: %j', (text) => {
    expect(escapeFormula(text)).toBe(`'${text}`)
    expect(unescapeFormula(`'${text}`)).toBe(text)
  })

  it.each([
    '',
    'Acme',
    '-5',
    '-5.25',
    '+49 30 1234567',
    '+49 (30) 123-45',
    '-',
    '---',
    '+1;+2',
    'a=b',
    "'tis",
    "'",
    "''",
    '1e+21',
  ])('others stay as they are: %j', (text) => {
    expect(escapeFormula(text)).toBe(text)
    expect(unescapeFormula(text)).toBe(text)
  })
})

describe('a list in one cell', () => {
  it.each<[string[], string]>([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a;b'],
    [['a;b', 'c'], '["a;b","c"]'],
    [['x', '=1+1'], "x;'=1+1"],
    [['+49301', '-5'], '+49301;-5'],
    [['["x"]'], '["[\\"x\\"]"]'],
    [['[x'], '[x'],
    [["'=1"], "''=1"],
  ])('%j is %j, and reads as what was written', (values, cell) => {
    expect(writeListCell(values)).toBe(cell)
    expect(readListCell(cell)).toEqual(values)
  })
})

it('a line has its cells joined by commas, quoted where needed, and ends with CRLF', () => {
  expect(csvLine(['id', 'a,b', 'say "hi"', 'two\nlines', '', "'=1"])).toBe(
    'id,"a,b","say ""hi""","two\nlines",,\'=1\r\n',
  )
})
