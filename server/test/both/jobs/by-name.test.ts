import { beforeEach, describe, expect, it } from 'vitest'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { ended, imported, resultsOf } from './jobs.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await newWorkspace()
})

const mapping = { Company: 'company_id.name' }
const people = { resource: 'people', mapping }

async function made(name: string): Promise<string> {
  return (await workspace.api.post('/companies', { name })).body.data.id
}

/** The names of people, each with the name of its company. */
async function companies(): Promise<Record<string, string | undefined>> {
  const { data, included = [] } = (await workspace.api.get('/people?include=company')).body
  type Found = { id: string; attributes: { name: string; company_id: string | null } }
  const nameOf = (id: string | null) => included.find((one: Found) => one.id === id)?.attributes.name
  return Object.fromEntries(data.map(({ attributes }: Found) => [attributes.name, nameOf(attributes.company_id)]))
}

const file = ['name,Company', 'Ada,acme', 'Ben,MULLER', 'Cleo,Twin', 'Dan,New One', 'Eve,"New one, Ltd."', ''].join(
  '\n',
)

describe('an import that finds companies by their names', () => {
  it('links those that differ in letter case, accents and legal form only, and says what is left open', async () => {
    for (const name of ['Acme GmbH', 'Müller AG']) await made(name)
    const twins = [await made('Twin Ltd'), await made('Twin Inc.')]
    const dry = await imported(workspace.api, file, { ...people, dry_run: true })
    expect(dry.attributes.named).toEqual({ linked: 2, created: 0, open: 3 })
    const job = await imported(workspace.api, file, people)
    expect(job.attributes.progress).toMatchObject({ created: 2, failed: 3 })
    expect(job.attributes).not.toHaveProperty('named')
    expect(await companies()).toEqual({ Ada: 'Acme GmbH', Ben: 'Müller AG' })
    const [, , twin, unknown] = await resultsOf(workspace.api, job.id)
    expect(twin?.message).toBe(
      `The company_id names several records in companies that have the name Twin: ${twins.toSorted().join(', ')}. Use one of these IDs.`,
    )
    expect(unknown?.message).toBe('The company_id names no record: none in companies has the name New One.')
    // The choice: the id in place of the name.
    await imported(workspace.api, `name,Company\nCleo,${twins[1]}\n`, people)
    expect((await companies()).Cleo).toBe('Twin Inc.')
  })

  it('creates those that no company has once, if that is wanted, as the dry run has said', async () => {
    await made('Acme GmbH')
    const dry = await imported(workspace.api, file, { ...people, create_related: true, dry_run: true })
    expect(dry.attributes).toMatchObject({
      named: { linked: 2, created: 3, open: 0 },
      progress: { created: 5, failed: 0 },
    })
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(1)
    const { body } = await workspace.api.put(`/jobs/${dry.id}/run`)
    await ended(workspace.api, body.data.id)
    expect(await companies()).toEqual({
      ...{ Ada: 'Acme GmbH', Ben: 'MULLER', Cleo: 'Twin' },
      ...{ Dan: 'New One', Eve: 'New One' },
    })
  })

  it('counts a name of several chunks as one company', async () => {
    const rows = Array.from({ length: 450 }, (_, index) => `Person ${index},Only One`)
    const options = { ...people, create_related: true, dry_run: true }
    const dry = await imported(workspace.api, ['name,Company', ...rows].join('\n'), options)
    expect(dry.attributes.named).toEqual({ linked: 449, created: 1, open: 0 })
  })

  it('its undo deletes the companies that it created, unless they or what names them was changed since', async () => {
    const { api } = workspace
    await made('Acme GmbH')
    const rows = 'name,Company\nAda,Acme\nBen,Gone\nCleo,Kept\nDan,Edited\n'
    const job = await imported(api, rows, { ...people, create_related: true })
    const idOf = async (resource: string, name: string) => {
      return (await api.post(`/${resource}/query`, { filter: { name: { $eq: name } } })).body.data[0]?.id
    }
    await api.patch(`/people/${await idOf('people', 'Cleo')}`, { name: 'Cleo Changed' })
    await api.patch(`/companies/${await idOf('companies', 'Edited')}`, { name: 'Edited since' })
    const { body } = await api.put(`/jobs/${job.id}/undo`)
    const undo = await ended(api, body.data.id)
    expect(undo.attributes.progress).toMatchObject({ updated: 2, failed: 2 })
    expect(await companies()).toEqual({ 'Cleo Changed': 'Kept' })
    const left = (await api.get('/companies?sort=name')).body.data.map(
      (one: { attributes: { name: string } }) => one.attributes.name,
    )
    expect(left).toEqual(['Acme GmbH', 'Edited since', 'Kept'])
    const results = await resultsOf(api, undo.id)
    expect(results.map(({ message }) => message).filter(Boolean)).toEqual([
      expect.stringMatching(/^The person .* was changed again/),
      expect.stringMatching(/^The company .* was changed again/),
    ])
  })

  it('takes names in imports only, and of resources that have names', async () => {
    const { api } = workspace
    expect((await api.post('/people', { name: 'Ada', company_id: { name: 'Acme' } })).status).toBe(422)
    const wrong = { type: 'import', resource: 'people', format: 'csv', mode: 'create', mapping: { T: 'task_ids.name' } }
    expect((await api.post('/jobs', wrong)).body.errors).toHaveProperty('mapping.T')
    const line = '{"name": "Ada", "company_id": {"name": "Acme"}}\n'
    await made('ACME, Inc.')
    await imported(api, line, { resource: 'people', format: 'ndjson' })
    expect(await companies()).toEqual({ Ada: 'ACME, Inc.' })
  })
})
