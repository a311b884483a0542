import { ANSWER_MAX_BYTES } from '@kith/contract/limits'
import { beforeAll, describe, expect, it } from 'vitest'
import { BIG, bigFields, bigValues, storeBehind } from '../../large-records.ts'
import { made, madeIds, problemsOf } from '../../records.ts'
import { isLong } from '../../run-length.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let company: string
const COUNT = 24

/** 24 people of nearly 1 MiB each, of one company. */
beforeAll(async () => {
  workspace = await newWorkspace()
  await bigFields(workspace, 'people')
  company = (await made(workspace.api, 'companies')).id
  const ids: string[] = []
  for (let n = 0; n < COUNT; n++) ids.push((await made(workspace.api, 'people', { company_id: company })).id)
  await storeBehind(workspace, 'people', { ids, values: { ...bigValues([BIG, BIG, BIG, BIG - 1000]), big_5: 'small' } })
})

const told =
  /^The response would be larger than 16,777,216 bytes \(16 MiB\): it has ([\d,]+) bytes before all \d+ records are in it\. Ask for fewer records \(such as per_page=(\d+)\), or for fewer attributes of each with fields\.$/

async function refusedPage(
  answering: ReturnType<TestWorkspace['api']['get']>,
): Promise<{ bytes: number; fewer: number }> {
  const errors = await problemsOf(answering)
  expect(Object.keys(errors)).toEqual(['per_page'])
  expect(errors.per_page?.[0]).toMatch(told)
  const [, bytes = '', fewer = ''] = told.exec(errors.per_page?.[0] ?? '') ?? []
  return { bytes: Number(bytes.replaceAll(',', '')), fewer: Number(fewer) }
}

describe('A response has at most 16 MiB', () => {
  it('a list that would be larger is refused, and says how many records fit', async () => {
    const { api } = workspace
    const ways = {
      page: (n: number) => api.get(`/people?per_page=${n}`),
      cursor: (n: number) => api.get(`/people?per_page=${n}&cursor=true`),
      query: (n: number) => api.post('/people/query', { per_page: n }),
      filtered: (n: number) => api.get(`/people?per_page=${n}&filter[company][$in]=${company}&sort=name`),
    }
    // Each answer has 16 MB.
    const some = Object.entries(ways).filter(([way]) => isLong || way === 'page' || way === 'filtered')
    for (const [way, list] of some) {
      const { bytes, fewer } = await refusedPage(list(COUNT))
      expect(bytes, way).toBeGreaterThan(ANSWER_MAX_BYTES)
      expect(fewer, way).toBe(16)
      const answer = await list(fewer)
      expect([way, answer.status, answer.body.data.length]).toEqual([way, 200, 16])
      expect(answer.body.data[15].attributes.custom_fields.big_1).toHaveLength(BIG)
    }
  })

  it('fields makes it smaller', async () => {
    const { api } = workspace
    const names = await api.get(`/people?per_page=${COUNT}&fields=name`)
    expect([names.status, names.body.data.length]).toEqual([200, COUNT])
    const one = await api.get(`/people?per_page=${COUNT}&fields=custom_fields.big_5`)
    expect(one.body.data.map((row: { attributes: object }) => row.attributes)).toEqual(
      Array.from({ length: COUNT }, () => ({ custom_fields: { big_5: 'small' } })),
    )
    await refusedPage(api.get(`/people?per_page=${COUNT}&fields=custom_fields`))
  })

  it('what is included counts', async () => {
    const { api } = workspace
    await made(api, 'companies')
    const [message = ''] = (await problemsOf(api.get('/companies?include=people'))).per_page ?? []
    expect(message).toMatch(told)
    const single = await problemsOf(api.get(`/companies/${company}?include=people`))
    expect(single.include?.[0]).toMatch(
      /^The response would be larger than .* Include fewer relations, or ask for fewer attributes/,
    )
    const named = await api.get(`/companies/${company}?include=people&fields[people]=name`)
    expect(named.body.included).toHaveLength(COUNT)
  })

  it('a write is not refused for what it includes: what does not fit is left out and named', async () => {
    const { api } = workspace
    const answer = await api.patch(`/companies/${company}?include=people`, { name: 'Renamed' })
    expect([answer.status, answer.body.data.attributes.name]).toEqual([200, 'Renamed'])
    expect(answer.body.meta).toEqual({ truncated: ['people'] })
    expect(answer.body.included).toHaveLength(16)
    expect(answer.text.length).toBeLessThan(ANSWER_MAX_BYTES)
  })

  it('counts bytes: texts of other alphabets have up to three for a character', async () => {
    const other = await newWorkspace()
    await bigFields(other, 'tasks')
    const ids = await madeIds(other.api, 'tasks', 10)
    await storeBehind(other, 'tasks', { ids, values: bigValues([BIG, BIG, BIG], '字') })
    const { bytes, fewer } = await refusedPage(other.api.get('/tasks'))
    expect([bytes > ANSWER_MAX_BYTES, fewer]).toEqual([true, 7])
    expect((await other.api.get('/tasks?per_page=7')).status).toBe(200)
  })

  it('a tool answers with a third of that, for it says everything twice', async () => {
    const tools = await connectTo(workspace)
    const text = await tools.refused('list_records', { resource: 'people', per_page: COUNT })
    expect(text).toContain('Ask for fewer records (such as per_page=5)')
    const listed = await tools.call('list_records', { resource: 'people', per_page: 5 })
    expect(listed.data).toHaveLength(5)
  })
})
