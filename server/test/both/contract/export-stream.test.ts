import { get, type IncomingMessage } from 'node:http'
import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { updateRecord } from '../../../src/records/write.ts'
import { loadSample } from '../../../src/sample/load.ts'
import type { Api } from '../../api.ts'
import { openExport, readCsv, readExport } from '../../exported.ts'
import { BIG, BIG_FIELDS, bigFields, bigValues, storeBehind } from '../../large-records.ts'
import { gone, made, madeIds } from '../../records.ts'
import { inRun } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

/** More than one part has. */
const RECORDS = inRun({ short: 2500, long: 100_000 })

/** The tests share it, so each of them counts what is there. */
const filled = once(async () => {
  const workspace = await newWorkspace()
  await loadSample(await workspace.scope(), { sizes: { people: RECORDS }, seed: 1 })
  return workspace
})

/** Records of a megabyte each: more than the buffers of a connection hold. */
async function newLarge(): Promise<{ workspace: TestWorkspace; ids: string[] }> {
  const workspace = await newWorkspace()
  await bigFields(workspace, 'notes')
  const ids = await madeIds(workspace.api, 'notes', 40)
  await storeBehind(workspace, 'notes', { ids, values: bigValues(Array(BIG_FIELDS - 1).fill(BIG)) })
  return { workspace, ids: ids.toSorted() }
}

const filledWithLarge = once(newLarge)

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Opens an export and does not read it. */
function opened({ base, token }: Api, path: string): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    get(base + path, { headers, agent: false }, resolve).on('error', reject)
  })
}

describe('sync 4. Export of many records', () => {
  it('a record that existed throughout comes exactly once, whatever is written meanwhile', async () => {
    const workspace = await filled()
    const { api } = workspace
    const before = (await readExport(api, '/people/export?fields=name')).ids
    expect(before.length).toBeGreaterThanOrEqual(RECORDS)
    const removed = new Set(before.filter((_, index) => index % 500 === 7).slice(0, 20))
    const response = await openExport(api, '/people/export?fields=name')
    const [, reading] = await Promise.all([
      (async () => {
        for (const id of removed) await gone(api, 'people', id)
        for (const id of before.slice(0, 20)) await api.patch(`/people/${id}`, { name: 'Renamed' })
        for (let one = 0; one < 20; one++) await made(api, 'people')
      })(),
      response.text(),
    ])
    const lines = reading.trimEnd().split('\n')
    const ids = lines.slice(0, -1).map((line) => JSON.parse(line).id)
    expect(JSON.parse(lines.at(-1) ?? '').meta.count).toBe(ids.length)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.toSorted()).toEqual(ids)
    const got = new Set(ids)
    expect(before.filter((id) => !removed.has(id) && !got.has(id))).toEqual([])
  })

  it('has with a filter what the list has, whether few or many match', async () => {
    const workspace = await filled()
    const { api } = workspace
    const all = (await readExport(api, '/people/export')).records
    const scope = await workspace.scope()
    const asked = { raw: {}, loose: true, issues: [] }
    for (const { id } of all.slice(1000, 1003)) {
      await updateRecord(scope, registry.people, { id, body: { name: 'Zebedee' }, asked, expected: undefined })
    }
    for (const filter of ['filter[name][$contains]=a', 'filter[name][$contains]=zebedee', 'filter[name][$eq]=nobody']) {
      const { ids, end } = await readExport(api, `/people/export?${filter}`)
      const { body } = await api.get(`/people?${filter}&per_page=1`)
      expect([ids.length, end?.meta?.count]).toEqual([body.meta.total, body.meta.total])
      expect(ids.toSorted()).toEqual(ids)
    }
  })

  it('CSV has every record once, under one header', async () => {
    const { api } = await filled()
    const { total } = (await api.get('/people?per_page=1')).body.meta
    const [header, ...rows] = await readCsv(api, '/people/export?format=csv&fields=name')
    expect(header).toEqual(['id', 'name'])
    expect([rows.length, new Set(rows.map(([id]) => id)).size]).toEqual([total, total])
    expect(total).toBeGreaterThanOrEqual(RECORDS)
  })

  it('records of any size come in parts, and after= continues between them', async () => {
    const { workspace, ids } = await filledWithLarge()
    const whole = await readExport(workspace.api, '/notes/export')
    expect(whole.ids).toEqual(ids)
    expect(whole.records.at(-1)?.attributes.custom_fields.big_1).toHaveLength(BIG)
    const rest = await readExport(workspace.api, `/notes/export?after=${ids[36]}&fields=title`)
    expect(rest.ids).toEqual(ids.slice(37))
  })
})

describe('sync 4. Exports at once', () => {
  it('two per token, four per workspace: more is 429 with Retry-After: 5; a slow reader delays no other request', async () => {
    const { workspace } = await newLarge()
    const [first, second, third] = [workspace.api, await workspace.token(), await workspace.token()]
    const open: IncomingMessage[] = []
    for (const api of [first, first, second, second]) open.push(await opened(api, '/notes/export'))
    expect(open.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    const ofToken = await first.get('/notes/export')
    expect([ofToken.status, ofToken.headers.get('retry-after')]).toEqual([429, '5'])
    expect(ofToken.body.message).toContain('at most 2 at once')
    const ofWorkspace = await third.get('/notes/export')
    expect([ofWorkspace.status, ofWorkspace.headers.get('retry-after')]).toEqual([429, '5'])
    expect(ofWorkspace.body.message).toContain('at most 4 at once')
    // Nobody reads, and the service still answers.
    expect((await third.get('/notes?per_page=1&filter[title][$contains]=one')).status).toBe(200)
    expect((await third.patch('/notes/01kacm7krp9mcrqeke4h6bxpg9', {})).status).toBe(404)
    open[0]?.destroy()
    await expect
      .poll(async () => (await opened(first, '/notes/export?after=7zzzzzzzzzzzzzzzzzzzzzzzzz')).statusCode)
      .toBe(200)
    for (const response of open) response.destroy()
  })

  it('an export ends when the token stops being valid', async () => {
    const { workspace } = await filledWithLarge()
    const token = await workspace.token()
    const response = await opened(token, '/notes/export')
    await workspace.revoke(token.id)
    const reading = async () => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      return text
    }
    await expect(reading()).rejects.toThrow('aborted')
  })

  it('counts as one read, however many parts it has', async () => {
    const token = await (await filled()).token()
    const left = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining'))
    const before = left(await token.get('/user'))
    const { response, ids } = await readExport(token, '/people/export?fields=name')
    expect(ids.length).toBeGreaterThanOrEqual(RECORDS)
    expect([left(response), left(await token.get('/user'))]).toEqual([before - 1, before - 2])
  })
})
