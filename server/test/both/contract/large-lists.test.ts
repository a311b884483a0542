import { RICH_TEXT_MAX } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { listRecords } from '../../../src/records/list.ts'
import { readRecord } from '../../../src/records/read.ts'
import { LargeRead } from '../../../src/scope/large-work.ts'
import { made } from '../../records.ts'
import { inRun } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

/** Characters of one to four bytes, some of them escaped in JSON. Parts of a response end in the middle of them. */
const TEXT = 'a"é\n€😀'.repeat(Math.floor(RICH_TEXT_MAX / 7))
const LARGE = 6
const AT_ONCE = inRun({ short: 4, long: 10 })

let workspace: TestWorkspace
let large: string[]
let small: string[]

/** Six people of half a megabyte, and in front of them six small ones. */
beforeAll(async () => {
  workspace = await newWorkspace()
  await workspace.field('people', { name: 'Text', type: 'rich-text' })
  const company = await made(workspace.api, 'companies')
  const create = async (text: string) =>
    (await made(workspace.api, 'people', { company_id: company.id, custom_fields: { text } })).id
  large = []
  small = []
  for (let n = 0; n < LARGE; n++) large.push(await create(TEXT))
  for (let n = 0; n < LARGE; n++) small.push(await create('small'))
})

/** The response as it was sent, and the part of it with the records. */
async function sent(path: string): Promise<{ status: number; text: string; records: string; length: string | null }> {
  const headers = { Authorization: `Bearer ${workspace.api.token}`, 'Accept-Encoding': 'identity' }
  const response = await fetch(`${inject('service').url}/api/v1${path}`, { headers })
  const text = await response.text()
  const records = text.slice(text.indexOf('"data":'), text.indexOf(',"links":'))
  return { status: response.status, text, records, length: response.headers.get('content-length') }
}

describe('A list of large records', () => {
  const pages = {
    'of small records': 'per_page=6&page=1',
    'of small and large ones': 'per_page=10',
    'of large ones': 'per_page=6&page=2',
  }

  it.each(Object.entries(pages))('%s has the same bytes as one that is filtered', async (_, query) => {
    // A filtered list is never a short one.
    const [short, long] = [
      await sent(`/people?sort=-created_at&${query}`),
      await sent(`/people?sort=-created_at&${query}&filter[created_at][$gt]=2020-01-01`),
    ]
    expect([short.status, long.status]).toEqual([200, 200])
    expect(short.records.length).toBeGreaterThan(100)
    expect(short.records === long.records).toBe(true)
    expect(Number(short.length)).toBe(Buffer.byteLength(short.text))
  })

  it('shows the values as they were written, in lists, in includes, by id and in the feed', async () => {
    const { api } = workspace
    const listed = await api.get('/people?sort=-created_at&per_page=6&page=2')
    const by_id = await Promise.all(large.map((id) => api.get(`/people/${id}`)))
    const included = await api.get('/companies?include=people')
    const feed = await api.get('/changes?cursor=start')
    const textsIn = (records: readonly { id: string; attributes: { custom_fields: { text: string } } }[]) =>
      records.filter(({ id }) => large.includes(id)).map(({ attributes }) => attributes.custom_fields.text === TEXT)
    const all = Array(LARGE).fill(true)
    expect(textsIn(listed.body.data)).toEqual(all)
    expect(textsIn(by_id.map(({ body }) => body.data))).toEqual(all)
    expect(textsIn(included.body.included)).toEqual(all)
    const records = feed.body.data.map(({ attributes }: { attributes: { record: unknown } }) => attributes.record)
    expect(textsIn(records)).toEqual(all)
  })

  it('many of them at once wait for each other, and all are answered', async () => {
    const first = await sent('/people?per_page=12')
    const all = await Promise.all(Array.from({ length: AT_ONCE }, () => sent('/people?per_page=12')))
    expect(all.map(({ status, text }) => [status, text === first.text])).toEqual(Array(AT_ONCE).fill([200, true]))
  })

  it('is not read by the lane for short reads, which ends when it finds more than 256 KB', async () => {
    const scope = { ...(await workspace.scope()), short: true }
    const list = (raw: object) => listRecords(scope, registry.people, { raw: { ...raw }, loose: true, issues: [] })
    await expect(list({ sort: '-created_at', per_page: '6', page: '2' })).rejects.toThrow(LargeRead)
    await expect(list({ per_page: '10', cursor: 'true' })).rejects.toThrow(LargeRead)
    expect((await list({ sort: '-created_at', per_page: '6' })).count).toBe(6)
    const read = (id = '') => readRecord(scope, registry.people, { id, asked: { raw: {}, loose: true, issues: [] } })
    await expect(read(large[0])).rejects.toThrow(LargeRead)
    expect((await read(small[0])).count).toBe(1)
  })
})
