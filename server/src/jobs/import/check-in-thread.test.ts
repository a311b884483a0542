import { describe, expect, it } from 'vitest'
import { checkFile, type FileCheck } from './check-in-thread.ts'

type Options = { format?: 'csv' | 'ndjson'; delimiter?: string; columns?: string[]; size?: number }

/** The facts about a file that arrives in pieces of a few bytes. */
async function checked(file: string | Buffer, options: Options = {}) {
  const { format = 'csv', delimiter = null, columns = [], size = 5 } = options
  const bytes = Buffer.from(file)
  const check: FileCheck = checkFile({ format, delimiter, columns })
  for (let from = 0; from < bytes.length; from += size) await check.write(bytes.subarray(from, from + size))
  return check.end()
}

const TEXT = 'name,city\nZoë,Köln\nAda,Łódź\n'

describe('the encoding of a file', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT), 'utf-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${TEXT}`), 'utf-8'],
    ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), 'utf-16le'],
    ['UTF-16 in the other order', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16(), 'utf-16be'],
    ['UTF-16 without a mark', Buffer.from('name,city\nAda,London\n', 'utf16le'), 'utf-16le'],
    ['Windows-1252', Buffer.from('name,city\nZoë,Köln\n', 'latin1'), 'windows-1252'],
    ['Windows-1252 with its last letter at the end', Buffer.from('name\nCafé', 'latin1'), 'windows-1252'],
    ['ASCII', Buffer.from('name\nAda\n'), 'utf-8'],
  ])('%s is detected', async (_name, bytes, encoding) => {
    expect(await checked(bytes, { size: 1024 })).toMatchObject({ encoding })
    if (!encoding.startsWith('utf-16')) expect(await checked(bytes, { size: 1 })).toMatchObject({ encoding })
  })

  it('gives the header its letters', async () => {
    const header = '"Größe, in cm",Straße\n1,2\n'
    for (const bytes of [Buffer.from(header), Buffer.from(`\uFEFF${header}`), Buffer.from(header, 'latin1')]) {
      expect(await checked(bytes, { size: 100 })).toMatchObject({ columns: ['Größe, in cm', 'Straße'], rows: 1 })
    }
  })

  it.each([
    ['UTF-8 that was cut off in a letter', Buffer.from('name\nZoë\nZo\xc3', 'latin1').fill('Zoë', 5, 9), /cut off/],
    ['UTF-8 with broken letters', Buffer.concat([Buffer.from('name\nZoë Zoë Zoë'), Buffer.from([0xff])]), /broken/],
    ['bytes that are no letter', Buffer.from([0x6e, 0x0a, 0xe9, 0x81, 0x20]), /neither UTF-8 nor Windows-1252/],
    ['NUL bytes', Buffer.from('name\nA\0B\n'), /NUL bytes/],
    ['a workbook', Buffer.from('PK\x03\x04…'), /XLSX/],
  ])('%s is refused', async (_name, bytes, message) => {
    await expect(checked(bytes, { size: 1024 })).rejects.toThrow(message)
  })
})

describe('the delimiter', () => {
  it.each([
    ['a,b\n1,2\n', ','],
    ['a;b\n1;2\n', ';'],
    ['a\tb\n1\t2\n', '\t'],
    ['a|b\n', '|'],
    ['a;b,c\n1,2\n', ','],
    ['"a;b"\n', ','],
    ['a\n1\n', ','],
  ])('of %j is %j', async (file, delimiter) => {
    expect(await checked(file)).toMatchObject({ delimiter })
  })

  it('is the one that the job names', async () => {
    expect(await checked('a,b;c\n', { delimiter: ';' })).toMatchObject({ columns: ['a,b', 'c'] })
    expect(await checked('a;b\n', { delimiter: ',' })).toMatchObject({ columns: ['a;b'] })
  })

  it('is a comma if the mapping has the whole header as a column', async () => {
    expect(await checked('a;b\n1\n', { columns: ['a;b'] })).toMatchObject({ columns: ['a;b'], delimiter: ',' })
  })
})

describe('the rows of a file', () => {
  it.each([
    ['name\nA\nB\n', 2],
    ['name\nA\nB', 2],
    ['name\r\nA\r\nB\r\n', 2],
    ['name\rA\rB\r', 2],
    ['name\nA\r\nB\rC\n', 3],
    ['\n\nname\n\nA\n\n', 1],
    ['name,b\n"A\n1",2\n"say ""x""",3\n', 2],
    ['name\n', 0],
    ['a,b\n1\n1,2,3\n', 2],
    ['name\n5" disk\n', 1],
  ])('of %j are %i', async (file, rows) => {
    expect(await checked(file)).toMatchObject({ rows })
    expect(await checked(file, { size: 1 })).toMatchObject({ rows })
  })

  it.each([
    ['', /empty/],
    ['\n\n', /empty/],
    ['name\nA\n"B\nC\n', /^Row 2 has a quote that is never closed\. The file was cut off there/],
    ['"name\nA', /^The header has a quote/],
    [`name\nA\n"${'x'.repeat(2_200_000)}`, /^Row 2 is longer than 2 MiB/],
    [`name${'\nA'.repeat(1_000_001)}`, /more than 1000000 rows/],
    [`name${','.repeat(2000)}\n`, /^The header has 2001 columns\. At most 2000 are accepted/],
    [`name\nA\n${','.repeat(2000)}\n`, /^Row 2 has 2001 columns/],
  ])('cannot be read in %.20j', async (file, message) => {
    await expect(checked(file, { size: 60_000 })).rejects.toThrow(message)
  })

  it.each([
    ['{"name":"A"}\n{"name":"B"}\n', 2],
    ['{"name":"A"}\r\n\r\nnot JSON', 2],
    ['{"id":"1"}\n{"type":"end","meta":{"count":1}}\n', 1],
    ['\uFEFF{"name":"A"}', 1],
  ])('of NDJSON are its lines: %j', async (file, rows) => {
    expect(await checked(file, { format: 'ndjson' })).toMatchObject({ rows, columns: [] })
  })

  it.each([
    [Buffer.from('{"name":"Zoë"}\n', 'latin1'), /UTF-8/],
    [Buffer.from('{"name":"A"}\n', 'utf16le'), /UTF-8/],
    [Buffer.from('\n'), /empty/],
    [Buffer.from(`{"name":"${'x'.repeat(2_200_000)}`), /^Row 1 is longer than 2 MiB/],
  ])('of NDJSON cannot be read: %#', async (file, message) => {
    await expect(checked(file, { format: 'ndjson', size: 60_000 })).rejects.toThrow(message)
  })
})
