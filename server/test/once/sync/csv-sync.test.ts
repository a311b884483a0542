import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@kith/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sync } from '../../../../examples/csv-sync/sync.ts'
import { newWorkspace } from '../../workspace.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-csv-'))
const file = join(folder, 'companies.csv')
afterAll(() => rmSync(folder, { recursive: true }))

const { api } = await newWorkspace()
const kith = createClient({ url: api.base, token: api.token })
const linesOf = (path = file) => readFileSync(path, 'utf8').trimEnd().split('\r\n')
const run = () => sync(kith, file)
const edit = (change: (text: string) => string) => writeFileSync(file, change(readFileSync(file, 'utf8')))
const inKith = async () => {
  const { data } = await kith.companies.list({ sort: 'name', per_page: 100 })
  return data.map(({ id, attributes: { name, custom_fields } }) => {
    const { domains } = custom_fields
    return `${id},${name.includes(',') ? `"${name}"` : name},${Array.isArray(domains) ? domains.join('; ') : ''}`
  })
}
const expectEqual = async () => expect(linesOf().slice(1).toSorted()).toEqual((await inKith()).toSorted())

beforeAll(async () => {
  await kith.companies.create({ name: 'From Kith', custom_fields: { domains: ['kith.example', 'b.example'] } })
})

it('makes a file of what Kith has, and new companies of rows without an id', async () => {
  expect(await run()).toEqual([])
  expect(linesOf()[0]).toBe('id,name,domains')
  await expectEqual()
  edit((text) => `${text},"Smith, Jones",smith.example\r\n,Second,\r\n`)
  expect(await run()).toEqual([])
  expect(linesOf()).toHaveLength(4)
  await expectEqual()
})

it('sends what changes on each side, once', async () => {
  edit((text) => text.replace('Second,', 'Renamed in the file,new.example; other.example'))
  const { data } = await kith.companies.list({ filter: { name: { $eq: 'From Kith' } } })
  await kith.companies.update(data[0]?.id ?? '', { name: 'Renamed in Kith' })
  await kith.companies.create({ name: 'New in Kith' })
  expect(await run()).toEqual([])
  expect(linesOf().join()).toContain('Renamed in Kith')
  expect((await inKith()).join()).toContain('Renamed in the file,new.example; other.example')
  await expectEqual()
  const before = await kith.companies.list({ sort: 'name' })
  expect(await run()).toEqual([])
  expect((await kith.companies.list({ sort: 'name' })).data).toEqual(before.data)
})

it('deletes on both sides', async () => {
  const { data } = await kith.companies.list({ filter: { name: { $eq: 'New in Kith' } } })
  await kith.companies.delete(data[0]?.id ?? '')
  edit((text) => text.replace(/.*Renamed in the file.*\r\n/, ''))
  expect(await run()).toEqual([])
  expect(linesOf()).toHaveLength(3)
  await expectEqual()
})

it("takes Kith's version of what both have changed or deleted, and keeps the row of the file", async () => {
  const { data } = await kith.companies.list({ filter: { name: { $eq: 'Renamed in Kith' } } })
  await kith.companies.update(data[0]?.id ?? '', { name: 'Kith wins' })
  edit((text) => text.replace('Renamed in Kith', 'File loses'))
  expect(await run()).toEqual([])
  expect(linesOf(`${file}.conflicts`)).toEqual([expect.stringContaining('File loses')])
  await expectEqual()
  await kith.companies.delete(data[0]?.id ?? '')
  edit((text) => text.replace('Kith wins', 'Changed, then gone'))
  expect(await run()).toEqual([])
  expect(linesOf(`${file}.conflicts`)[1]).toContain('Changed, then gone')
  await kith.companies.restore(data[0]?.id ?? '')
  expect(await run()).toEqual([])
  await expectEqual()
})

it('names the rows that Kith refuses, keeps them in the file, and sends the others', async () => {
  edit((text) => `${text},Refused,no domain\r\n,Sent,\r\n`)
  expect(await run()).toEqual([expect.stringMatching(/^Refused: The Domains value no domain must be a domain/)])
  expect(linesOf()).toContain(',Refused,no domain')
  expect((await inKith()).join()).toContain('Sent')
  edit((text) => text.replace(',Refused,no domain\r\n', ''))
  await expectEqual()
})

it('writes nothing twice when a run is repeated that ended before it saved', async () => {
  edit((text) => `${text},Made once,\r\n`.replace('Sent', 'Sent again'))
  const before = [readFileSync(file), readFileSync(`${file}.state`)] as const
  await run()
  writeFileSync(file, before[0])
  writeFileSync(`${file}.state`, before[1])
  rmSync(`${file}.conflicts`)
  expect(await run()).toEqual([])
  expect((await inKith()).filter((line) => line.includes('Made once'))).toHaveLength(1)
  expect(existsSync(`${file}.conflicts`)).toBe(false)
  await expectEqual()
})

it('says which column is wrong', async () => {
  writeFileSync(file, 'id,name,domain\r\n')
  await expect(run()).rejects.toThrow('Companies have no field domain')
  writeFileSync(file, 'name,domains\r\n')
  await expect(run()).rejects.toThrow('needs the columns id and name')
})
