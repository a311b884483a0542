import { gunzipSync } from 'node:zlib'
import { writeXlsx } from 'hucre/xlsx'
import { describe, expect, it } from 'vitest'
import { csvSource } from './csv-source.ts'
import { rewrite } from './rewrite.ts'
import { scan } from './scan.ts'
import { xlsxSource } from './xlsx-source.ts'

const csv = (bytes: string | Uint8Array<ArrayBuffer>) => csvSource(new File([bytes], 'x.csv'))

async function rowsOf(bytes: string | Uint8Array<ArrayBuffer>): Promise<string[][]> {
  const { header, rows } = await scan(await csv(bytes), 0, () => {})
  return [header, ...rows]
}

async function workbook(sheets: Parameters<typeof writeXlsx>[0]['sheets']): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await writeXlsx({ sheets }))
}

const xlsx = (bytes: Uint8Array<ArrayBuffer>) => xlsxSource(new File([bytes], 'x.xlsx'))

describe('a CSV file', () => {
  it('is read as UTF-8 with and without a mark, UTF-16 and Windows-1252', async () => {
    const wanted = [['Näme'], ['Žofie']]
    expect(await rowsOf('Näme\nŽofie')).toEqual(wanted)
    expect(await rowsOf('\uFEFF"Näme"\nŽofie')).toEqual(wanted)
    expect(await rowsOf(new Uint8Array(Buffer.from('\uFEFFNäme\nŽofie', 'utf16le')))).toEqual(wanted)
    expect(await rowsOf(Uint8Array.from([0x4e, 0xe4, 0x6d, 0x65, 0x0a, 0x8e, 0x6f, 0x66, 0x69, 0x65]))).toEqual(wanted)
  })

  it('that is no text, empty or broken is refused with the reason', async () => {
    await expect(rowsOf('')).rejects.toThrow('The file is empty.')
    await expect(rowsOf('a,b\n')).rejects.toThrow('The file has a header and no rows.')
    await expect(rowsOf(Uint8Array.from([1, 2, 0, 0, 0, 3]))).rejects.toThrow('it is not text')
    const broken = new Uint8Array([...Buffer.from('name\nŽofie Žižková'), 0xff])
    await expect(rowsOf(broken)).rejects.toThrow('UTF-8 with broken characters')
    await expect(rowsOf(',,\n1,2,3')).rejects.toThrow('The first row is empty.')
    await expect(rowsOf(`${'a,'.repeat(2000)}b\n1`)).rejects.toThrow('2001 columns')
  })

  it('has a name of its own for each column', async () => {
    expect((await rowsOf('a,a,,a (2),\n1'))[0]).toEqual(['a', 'a (2)', 'Column 3', 'a (2) (2)'])
  })

  it('is counted to its end, with the values of its columns', async () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `${at},${at % 3 === 0 ? '' : `type ${at % 3}`}`)
    const { rows, total, columns } = await scan(await csv(['id,type', ...lines].join('\n')), 0, () => {})
    expect([rows.length, total]).toEqual([200, 1000])
    expect(columns).toEqual([
      { filled: 1000, values: null },
      { filled: 666, values: ['type 1', 'type 2'] },
    ])
  })
})

it('of a file with many columns, fewer rows are shown', async () => {
  const header = `${'a,'.repeat(1999)}b\n`
  const { rows, total, contents } = await scan(await csv(header + 'x,y\n'.repeat(100)), 0, () => {})
  expect([rows.length, total, contents.length]).toEqual([20, 100, 2000])
})

describe('an XLSX file', () => {
  it('has the sheets that can be seen, with numbers, days, times and truth values', async () => {
    const rows = [
      ['Text', 'Number', 'Day', 'Time', 'Done'],
      ['=1+1', 1234.5, new Date('2026-12-24T00:00:00Z'), new Date('2026-12-24T15:30:00Z'), true],
      [null, null, null, null, null],
    ]
    const source = await xlsx(
      await workbook([
        { name: 'Hidden', hidden: true, rows: [['x']] },
        { name: 'Shown', rows },
      ]),
    )
    expect(source.sheets).toEqual(['Shown'])
    const { total, rows: read } = await scan(source, 0, () => {})
    const local = new Date('2026-12-24T15:30:00').toISOString()
    expect([total, read]).toEqual([1, [['=1+1', '1234.5', '2026-12-24', local, 'true']]])
  })

  it('that unpacks to more than a browser can hold is refused before it is unpacked', async () => {
    const bytes = await workbook([{ name: 'A', rows: [['x'], ['y']] }])
    const view = new DataView(bytes.buffer)
    const entry = Buffer.from(bytes).indexOf(Buffer.from('PK\x01\x02'))
    view.setUint32(entry + 24, 3_000_000_000, true)
    await expect(xlsx(bytes)).rejects.toThrow('larger than 512 MB when it is unpacked')
    view.setUint32(entry + 24, 0, true)
    await expect(xlsx(bytes)).rejects.toThrow('larger than 512 MB when it is unpacked')
    view.setUint32(entry + 24, 70_000_000, true)
    await expect(xlsx(bytes)).rejects.toThrow('more than 100 times its size')
  })

  it('that is longer than its directory says is not unpacked further', async () => {
    const long = Array.from({ length: 2000 }, () => ['the same text again and again'])
    const bytes = await workbook([{ name: 'A', rows: [['Head'], ...long] }])
    const names = Buffer.from(bytes)
    for (let at = names.indexOf('PK\x01\x02'); at !== -1; at = names.indexOf('PK\x01\x02', at + 1)) {
      if (
        names
          .subarray(at + 46, at + 70)
          .toString()
          .startsWith('xl/worksheets/')
      )
        names.writeUInt32LE(100, at + 24)
    }
    const source = await xlsx(new Uint8Array(names))
    await expect(scan(source, 0, () => {})).rejects.toThrow()
  })

  it('that is cut off, locked or of the old format is refused with what to do', async () => {
    const bytes = await workbook([{ name: 'A', rows: [['x']] }])
    await expect(xlsx(bytes.slice(0, bytes.length - 40))).rejects.toThrow('save it again')
    const old = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
    await expect(xlsx(old)).rejects.toThrow('Save it as XLSX without a password.')
  })
})

it('a file is sent as UTF-8 CSV, with one column for each target and nothing lost', async () => {
  const source = await csv('Last;First;Mail;Mail 2\nByron;"George ""Lord""";a@x.example, b@x.example;c@x.example;more')
  const columns = [
    { name: 'name', sources: [1, 0], join: 'text' as const },
    { name: 'Mail', sources: [2, 3], join: 'split' as const },
  ]
  const file = await rewrite(
    source.rows(0, () => {}),
    { columns, width: 4, decimal: '.' },
  )
  expect(gunzipSync(await file.bytes()).toString()).toBe(
    'name,Mail\r\n"George ""Lord"" Byron",a@x.example;b@x.example;c@x.example,more\r\n',
  )
})
