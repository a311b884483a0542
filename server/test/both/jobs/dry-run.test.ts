import { beforeAll, describe, expect, it } from 'vitest'
import { made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { ended, imported, resultsOf } from './jobs.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
})

/** A chunk has 200 rows: these come between rows of different chunks. */
function fillers(name: string): string[] {
  return Array.from({ length: 200 }, (_, index) => `${name} ${index},${name}${index}.example,`)
}

/** The results of a dry run, and those of the same file for real. */
async function bothWays(lines: readonly string[], options: object = {}) {
  const { api } = workspace
  const dry = await imported(api, lines.join('\n'), { ...options, dry_run: true })
  expect(dry.attributes.state).toBe('done')
  const { body } = await api.put(`/jobs/${dry.id}/run`)
  const real = await ended(api, body.data.id)
  return { dry: await resultsOf(api, dry.id), real: await resultsOf(api, real.id) }
}

const outcomesOf = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome)

describe('a dry run checks uniqueness among all rows of the file', () => {
  it('as the real run does', async () => {
    const { dry, real } = await bothWays([
      'name,domains,external_ids.crm',
      'One,one.example,1',
      ...fillers('create'),
      'Same domain,ONE.example,',
      'Same id,,1',
      'Also free,one.example;free.example,',
      'Free,free.example,2',
    ])
    expect(outcomesOf(dry)).toEqual(outcomesOf(real))
    expect(dry.slice(-4).map(({ outcome, errors }) => [outcome, errors])).toEqual([
      ['failed', { 'custom_fields.domains': ['The Domains value one.example is already taken by row 1.'] }],
      ['failed', { 'external_ids.crm': ['The external_ids.crm is already taken: row 1 has the id 1.'] }],
      ['failed', { 'custom_fields.domains': ['The Domains value one.example is already taken by row 1.'] }],
      ['created', null],
    ])
  })

  it('and finds the records of earlier rows in an upsert', async () => {
    const lines = [
      'name,domains,external_ids.erp',
      'First,first.example,',
      'First again,first.example,',
      ...fillers('upsert'),
      'Later,first.example;second.example,',
      'By its first,first.example,9',
      'Other,other.example,9',
    ]
    const { dry, real } = await bothWays(lines, { mode: 'upsert', match: 'domains' })
    expect(outcomesOf(dry)).toEqual(outcomesOf(real))
    expect(dry.slice(0, 2).map(({ outcome, id }) => [outcome, id])).toEqual([
      ['created', null],
      ['updated', null],
    ])
    expect(dry.slice(-3).map(({ outcome, id }) => [outcome, id])).toEqual([
      ['updated', null],
      ['updated', null],
      ['failed', null],
    ])
  })

  it('and knows the records that rows update', async () => {
    const { api } = workspace
    const one = await made(api, 'companies', { name: 'Up', custom_fields: { domains: ['up.example'] } })
    const two = await made(api, 'companies', { name: 'Two', custom_fields: { domains: ['two.example'] } })
    const lines = [
      'id,domains',
      `${one.id},up.example;more.example`,
      ...Array.from({ length: 200 }, () => `${two.id},`),
      `${one.id},more.example`,
      `${two.id},more.example`,
    ]
    const { dry, real } = await bothWays(lines, { mode: 'update', match: 'id' })
    expect(outcomesOf(dry)).toEqual(outcomesOf(real))
    expect(dry.slice(-2).map(({ outcome, id }) => [outcome, id])).toEqual([
      ['updated', one.id],
      ['failed', null],
    ])
  })
})
