import { describe, expect, it } from 'vitest'
import { csvReader, delimiterIn } from './csv-rows.ts'

const text = 'a,b\r\n"x, y","say ""hi"""\n\n,\r"two\r\nlines",5" pipe\nlast,'
const rows = [
  ['a', 'b'],
  ['x, y', 'say "hi"'],
  ['', ''],
  ['two\r\nlines', '5" pipe'],
  ['last', ''],
]

describe('CSV', () => {
  it('is read the same in pieces of any length', () => {
    for (let length = 1; length <= text.length; length++) {
      const reader = csvReader(',')
      const read: string[][] = []
      for (let at = 0; at < text.length; at += length) read.push(...reader.write(text.slice(at, at + length)))
      expect([...read, ...reader.end()]).toEqual(rows)
    }
  })

  it('that ends within quotes says where', () => {
    const reader = csvReader(',')
    reader.write('a,b\n1,2\n"never closed\n3,4\n')
    expect(() => reader.end()).toThrow('Row 2 has a quote that is never closed.')
  })

  it('with a row of more than 1 MiB is refused before the rest of the file is read', () => {
    const reader = csvReader(',')
    expect(() => reader.write(`a\n"${'x'.repeat(1024 * 1024 + 1)}`)).toThrow('Row 1 is longer than 1 MiB.')
  })

  it.each([
    ['a,b;c,d', ','],
    ['a;b;c', ';'],
    ['a\tb', '\t'],
    ['"a,b";c', ';'],
    ['a|b', '|'],
    ['alone', ','],
  ])('%j is separated by %j', (header, delimiter) => {
    expect(delimiterIn(`${header}\n1,2,3,4,5`)).toBe(delimiter)
  })
})
